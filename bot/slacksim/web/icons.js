// Line icons, drawn on a 20 by 20 grid in the colour of the text around them.

import { h } from './dom.js';

const PATHS = {
  hash: 'M8 3 6.5 17M13.5 3 12 17M3.5 7.5h14M2.5 12.5h14',
  lock: 'M5 9h10v8H5zM7 9V6.5a3 3 0 0 1 6 0V9',
  close: 'M5 5l10 10M15 5 5 15',
  send: 'M3 10 17 3.5 13 17 9.5 11.5zM9.5 11.5 17 3.5',
  smile: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM7.2 12a3.4 3.4 0 0 0 5.6 0M7.5 8v.01M12.5 8v.01',
  thread: 'M4 4.5h12v8.5H9.5L6 16v-3H4zM7 7.5h6M7 10h4',
  sun: 'M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 2v2M10 16v2M2 10h2M16 10h2M4.3 4.3l1.4 1.4M14.3 14.3l1.4 1.4M15.7 4.3l-1.4 1.4M5.7 14.3l-1.4 1.4',
  moon: 'M16.5 11.5A7 7 0 1 1 8.5 3.5a5.6 5.6 0 0 0 8 8z',
  auto: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 3v14',
  check: 'M4.5 10.5 8.5 14.5 15.5 6',
  chevron: 'M5.5 8 10 12.5 14.5 8',
  more: 'M10 4.7v.01M10 10v.01M10 15.3v.01',
  eye: 'M2.5 10S5.5 5 10 5s7.5 5 7.5 5-3 5-7.5 5-7.5-5-7.5-5zM10 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  warning: 'M10 3.5 17.5 16.5h-15zM10 8.5v3.5M10 14.2v.01',
  bolt: 'M11 2.5 4.5 11.5H9.5L8.5 17.5 15.5 8H10.5z',
  file: 'M5.5 3h6l3.5 3.5V17h-9.5zM11.5 3v3.5H15',
  clip: 'M14.5 9 9 14.5a3 3 0 0 1-4.3-4.3l6-6a2 2 0 0 1 2.9 2.9l-5.8 5.8a1 1 0 0 1-1.4-1.4L11.5 6.5',
  people:
    'M7.5 4a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4zM2.5 16c0-2.8 2.2-4.6 5-4.6s5 1.8 5 4.6M12.5 4.4a2.5 2.5 0 0 1 0 4.6M14.5 11.8c1.8.6 3 2.1 3 4.2',
  back: 'M12.5 4.5 7 10l5.5 5.5',
  external: 'M8 4.5H4.5v11h11V12M11 4.5h4.5V9M15.5 4.5 9 11',
};

/** An icon by name. It is decoration: whatever it sits on carries the words. */
export function icon(name, size = 18) {
  return h(
    'svg',
    { class: `icon icon-${name}`, width: size, height: size, viewBox: '0 0 20 20', 'aria-hidden': 'true', focusable: 'false' },
    h('path', {
      d: PATHS[name],
      fill: 'none',
      stroke: 'currentColor',
      'stroke-width': name === 'more' ? 2.8 : 1.6,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
    }),
  );
}

/** The mark of the app: a sluice gate, three streams let through at different heights. */
export function botMark(size = 36) {
  return h(
    'svg',
    { class: 'bot-mark', width: size, height: size, viewBox: '0 0 36 36', 'aria-hidden': 'true', focusable: 'false' },
    h('rect', { width: 36, height: 36, class: 'bot-mark-ground' }),
    h('path', { d: 'M9 8v20M18 8v20M27 8v20', class: 'bot-mark-post' }),
    h('path', { d: 'M9 15h9M18 21h9', class: 'bot-mark-gate' }),
    h('path', { d: 'M9 25.5q2.25-2.5 4.5 0t4.5 0 4.5 0 4.5 0', class: 'bot-mark-water' }),
  );
}

const SPINNER = 'M10 3a7 7 0 1 1-7 7';

/** A turning ring for something under way. */
export function spinner(size = 16) {
  return h(
    'svg',
    { class: 'spinner', width: size, height: size, viewBox: '0 0 20 20', 'aria-hidden': 'true', focusable: 'false' },
    h('path', { d: SPINNER, fill: 'none', stroke: 'currentColor', 'stroke-width': 2.4, 'stroke-linecap': 'round' }),
  );
}
