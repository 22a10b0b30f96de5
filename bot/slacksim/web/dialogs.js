// Small dialogs of the page itself: "are you sure" before a click, and a picture in full size.

import { draw, h } from './dom.js';
import { icon } from './icons.js';
import { textObject } from './mrkdwn.js';

const layer = () => document.getElementById('dialogs');
let close = null;

/** Closes the open dialog, if any, and says whether there was one. */
export function closeDialog() {
  if (!close) return false;
  close();
  return true;
}

function show(node, focusOn, closed) {
  closeDialog();
  const before = document.activeElement;
  close = () => {
    close = null;
    draw(layer(), []);
    holdBack();
    if (before && before.isConnected) before.focus({ preventScroll: true });
    closed();
  };
  drawDialog(node, focusOn);
}

function drawDialog(node, focusOn) {
  draw(
    layer(),
    h(
      'div',
      {
        class: 'shade',
        key: 'shade',
        onpointerdown: (event) => {
          if (event.target === event.currentTarget) closeDialog();
        },
      },
      node,
    ),
  );
  holdBack();
  const target = layer().querySelector(focusOn);
  if (target) target.focus({ preventScroll: true });
}

/** Makes everything behind the topmost open layer unreachable for mouse, keyboard and screen readers. */
export function holdBack() {
  const modal = document.getElementById('modal');
  const dialogOpen = Boolean(close);
  modal.inert = dialogOpen;
  document.getElementById('app').inert = dialogOpen || modal.childElementCount > 0;
}

/** Asks what a Block Kit confirm object asks; resolves to true when the person goes on. */
export function confirmFirst(question, place) {
  return new Promise((resolve) => {
    let answer = false;
    const decide = (value) => () => {
      answer = value;
      closeDialog();
    };
    show(questionDialog(question, place, decide), '[data-testid="confirm-accept"]', () => resolve(answer));
  });
}

function questionDialog(question, place, decide) {
  const props = {
    class: 'dialog',
    role: 'alertdialog',
    'aria-modal': 'true',
    'aria-labelledby': 'confirm-title',
    'data-testid': 'confirm',
  };
  const accept = question.style === 'danger' ? 'button button-danger-solid' : 'button button-primary';
  return h(
    'div',
    props,
    h(
      'div',
      { class: 'dialog-head' },
      h('h2', { id: 'confirm-title', class: 'dialog-title' }, textObject(question.title, place)),
      h('button', { type: 'button', class: 'plain-button', 'aria-label': 'Close', onclick: decide(false) }, icon('close')),
    ),
    h('div', { class: 'dialog-body text' }, textObject(question.text, place)),
    h(
      'div',
      { class: 'dialog-foot' },
      h(
        'button',
        { type: 'button', class: 'button', 'data-testid': 'confirm-deny', onclick: decide(false) },
        textObject(question.deny, place),
      ),
      h(
        'button',
        { type: 'button', class: accept, 'data-testid': 'confirm-accept', onclick: decide(true) },
        textObject(question.confirm, place),
      ),
    ),
  );
}

/** Shows a picture in full size, with its words below it; a click switches between fitting the window and real size. */
export function showPicture(address, alt, title) {
  const frame = h(
    'figure',
    { class: 'lightbox', role: 'dialog', 'aria-modal': 'true', 'aria-label': title || alt || 'Picture', 'data-testid': 'lightbox' },
    h(
      'div',
      { class: 'lightbox-head' },
      h('span', { class: 'lightbox-title' }, title || 'Picture'),
      h(
        'a',
        { class: 'plain-button', href: address, target: '_blank', rel: 'noopener noreferrer', 'aria-label': 'Open in a new tab' },
        icon('external'),
      ),
      h('button', { type: 'button', class: 'plain-button lightbox-close', 'aria-label': 'Close', onclick: closeDialog }, icon('close', 20)),
    ),
    h(
      'div',
      { class: 'lightbox-picture', onclick: (event) => event.currentTarget.classList.toggle('lightbox-real') },
      h('img', { src: address, alt }),
    ),
    alt && h('figcaption', { class: 'lightbox-words' }, alt),
  );
  show(frame, '.lightbox-close', () => {});
}

/** Shows a panel of the page over everything; what is at focusOn gets the focus. The function that it returns draws the panel anew while it is open. */
export function showPanel(node, focusOn) {
  show(node, focusOn, () => {});
  const mine = close;
  return (again, focusThen) => {
    if (close === mine) drawDialog(again, focusThen);
  };
}
