// Menus that open at a control: select options, overflow actions, people, emoji.
//
// One menu is open at a time. It takes the focus, is steered with the arrow keys, Enter and Escape, narrows down while one types,
// and gives the focus back to the control that opened it.

import { classes, draw, h } from './dom.js';
import { icon } from './icons.js';

let open = null;

/**
 * Opens a menu at `anchor`. items: [{value, label (nodes), words (plain text for narrowing down), description?, group?, address?}].
 * options: {title, narrow: whether to show a text field, chosen: values that carry a tick, several: keep open and toggle, grid: lay
 * the items out as a grid}. pick(value, item) is called for each choice.
 */
export function openMenu(anchor, items, options, pick) {
  closeMenu();
  const layer = document.getElementById('menus');
  const menu = { anchor, items, options, pick, layer, part: '', active: -1, chosen: new Set(options.chosen || []) };
  menu.active = shownItems(menu).findIndex((item) => menu.chosen.has(item.value));
  if (menu.active < 0) menu.active = 0;
  open = menu;
  anchor.setAttribute('aria-expanded', 'true');
  render(menu);
  position(menu);
  (layer.querySelector('.menu-narrow') || layer.querySelector('.menu')).focus({ preventScroll: true });
}

/** Closes the open menu, if any, and says whether there was one. */
export function closeMenu() {
  if (!open) return false;
  const { anchor, layer } = open;
  const hadFocus = layer.contains(document.activeElement);
  open = null;
  anchor.setAttribute('aria-expanded', 'false');
  draw(layer, []);
  if (hadFocus && anchor.isConnected) anchor.focus({ preventScroll: true });
  return true;
}

/** Whether a menu is open at this control. */
export function menuOpenAt(anchor) {
  return Boolean(open && open.anchor === anchor);
}

function shownItems(menu) {
  const part = menu.part.trim().toLowerCase();
  return part === '' ? menu.items : menu.items.filter((item) => item.words.toLowerCase().includes(part));
}

function render(menu) {
  const items = shownItems(menu);
  menu.active = Math.max(0, Math.min(menu.active, items.length - 1));
  draw(
    menu.layer,
    h(
      'div',
      {
        class: classes('menu', menu.options.grid && 'menu-grid'),
        role: 'listbox',
        tabindex: -1,
        'data-testid': 'menu',
        'aria-label': menu.options.title || 'Options',
        'aria-multiselectable': menu.options.several ? 'true' : undefined,
        onkeydown: (event) => steer(menu, event),
      },
      menu.options.narrow &&
        h('input', {
          class: 'menu-narrow',
          type: 'text',
          placeholder: 'Search…',
          'aria-label': 'Narrow down',
          autocomplete: 'off',
          oninput: (event) => {
            menu.part = event.target.value;
            menu.active = 0;
            render(menu);
          },
        }),
      h(
        'div',
        { class: 'menu-items' },
        grouped(items).map(([item, position]) =>
          typeof item === 'string' ? h('div', { class: 'menu-group', key: `group ${item}` }, item) : option(menu, item, position),
        ),
      ),
      items.length === 0 && h('div', { class: 'menu-none' }, 'Nothing found'),
    ),
  );
  const active = menu.layer.querySelector('.menu-item-active');
  if (active) active.scrollIntoView({ block: 'nearest' });
}

// grouped puts each group's name before its first item.
function grouped(items) {
  const out = [];
  items.forEach((item, position) => {
    if (item.group && (position === 0 || items[position - 1].group !== item.group)) out.push([item.group, -1]);
    out.push([item, position]);
  });
  return out;
}

function option(menu, item, position) {
  const chosen = menu.chosen.has(item.value);
  return h(
    'div',
    {
      key: `item ${item.value}`,
      role: 'option',
      'aria-selected': chosen ? 'true' : 'false',
      'data-value': item.value,
      title: menu.options.grid ? item.words : undefined,
      class: classes('menu-item', position === menu.active && 'menu-item-active'),
      onmousemove: () => {
        if (menu.active !== position) {
          menu.active = position;
          render(menu);
        }
      },
      onclick: () => choose(menu, item),
    },
    menu.options.several && h('span', { class: classes('menu-tick', chosen && 'menu-tick-on') }, chosen && icon('check', 14)),
    h('span', { class: 'menu-label' }, item.label, item.description && h('span', { class: 'menu-description' }, item.description)),
    !menu.options.several && chosen && h('span', { class: 'menu-chosen' }, icon('check', 16)),
  );
}

function choose(menu, item) {
  if (!menu.options.several) {
    closeMenu();
    menu.pick(item.value, item);
    return;
  }
  if (menu.chosen.has(item.value)) menu.chosen.delete(item.value);
  else menu.chosen.add(item.value);
  render(menu);
  menu.pick(item.value, item);
}

function steer(menu, event) {
  const items = shownItems(menu);
  const across = menu.options.grid ? { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 } : { ArrowUp: -1, ArrowDown: 1 };
  if (event.key in across) {
    menu.active = (menu.active + across[event.key] + items.length) % Math.max(1, items.length);
    render(menu);
  } else if (event.key === 'Enter' || (event.key === ' ' && !menu.options.narrow)) {
    if (items[menu.active]) choose(menu, items[menu.active]);
  } else if (event.key === 'Escape' || event.key === 'Tab') {
    closeMenu();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

function position(menu) {
  const el = menu.layer.querySelector('.menu');
  const box = menu.anchor.getBoundingClientRect();
  el.style.minWidth = menu.options.grid ? '' : `${Math.max(180, box.width)}px`;
  const { offsetWidth: width, offsetHeight: height } = el;
  const below = innerHeight - box.bottom;
  const top = below >= height + 8 || below >= box.top ? Math.min(box.bottom + 4, innerHeight - height - 8) : box.top - height - 4;
  el.style.top = `${Math.max(8, top)}px`;
  el.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
}

addEventListener(
  'pointerdown',
  (event) => {
    if (open && !open.layer.contains(event.target) && !open.anchor.contains(event.target)) closeMenu();
  },
  true,
);
addEventListener('resize', closeMenu);
addEventListener(
  'scroll',
  (event) => {
    if (open && !open.layer.contains(event.target)) follow(open);
  },
  true,
);

// follow keeps a menu at its control while the page scrolls, and closes it once the control is out of sight.
function follow(menu) {
  const box = menu.anchor.getBoundingClientRect();
  const inSight = menu.anchor.isConnected && box.bottom > 0 && box.top < innerHeight;
  if (inSight) position(menu);
  else closeMenu();
}
