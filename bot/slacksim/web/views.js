// Modals and the App Home tab: views that an app opened for a user.

import { classes, draw, h } from './dom.js';
import { tell } from './api.js';
import { drawBlocks } from './blocks.js';
import { holdBack } from './dialogs.js';
import { botMark, icon, spinner } from './icons.js';
import { textObject } from './mrkdwn.js';
import { forget, makeSurface, valuesOf } from './surface.js';

// What is under way on a view, by its id: {submitting, refused, errors}.
const progress = new Map();
let shownId = null;
let shownHash = null;
let focusBefore = null;
let dismiss = null; // closes the topmost view, as Escape does

/**
 * Draws the topmost view of the stack, or takes the modal away. actions: {redraw(), reload(): reads the views again}.
 */
export function drawModal(stack, place, actions) {
  const layer = document.getElementById('modal');
  const view = stack[stack.length - 1];
  if (view && !shownId) focusBefore = document.activeElement;
  dismiss = view ? () => closeView(stack, false, place, actions) : null;
  draw(layer, view ? modal(view, stack, place, actions) : []);
  holdBack();
  const id = view ? view.id : null;
  const updated = view && id === shownId && view.hash !== shownHash;
  shownHash = view ? view.hash : null;
  // A modal often opens as "loading" and gets its fields by an update.
  if (updated && !document.activeElement.matches('#modal :is(input, textarea, .select)')) focusFirst(layer);
  if (id === shownId) return;
  if (shownId && !stack.some((one) => one.id === shownId)) {
    progress.delete(shownId);
    forget({ view_id: shownId });
  }
  shownId = id;
  if (view) focusFirst(layer);
  else if (focusBefore && focusBefore.isConnected) focusBefore.focus({ preventScroll: true });
}

function focusFirst(layer) {
  const target =
    layer.querySelector('.modal-body :is(input:not([type="hidden"]), textarea, .select)') ||
    layer.querySelector('[data-testid="modal-submit"]') ||
    layer.querySelector('[data-testid="modal-close"]');
  if (target) target.focus({ preventScroll: true });
}

/** Whether a modal is open. */
export function modalOpen() {
  return shownId !== null;
}

/** Closes the topmost view, if any, and says whether there was one. */
export function dismissModal() {
  if (!dismiss) return false;
  dismiss();
  return true;
}

function modal(view, stack, place, actions) {
  const state = progress.get(view.id) || {};
  const surface = makeSurface({ container: { view_id: view.id }, place, form: true, errors: state.errors });
  const close = (all) => () => closeView(stack, all, place, actions);
  const props = {
    class: 'modal',
    role: 'dialog',
    'aria-modal': 'true',
    'aria-labelledby': 'modal-title',
    'data-testid': 'modal',
    'data-view-id': view.id,
    'data-callback-id': view.callback_id,
    novalidate: true,
    onsubmit: (event) => {
      event.preventDefault();
      if (view.submit) submit(view, surface, place, actions);
    },
  };
  const refused =
    state.refused &&
    h('div', { key: 'refused', class: 'modal-refused', role: 'alert' }, icon('warning', 16), h('span', null, state.refused));
  const body = h('div', { key: `body ${view.id}`, class: 'modal-body', tabindex: -1 }, drawBlocks(view.blocks, surface));
  return h(
    'div',
    { class: 'shade', key: `modal ${view.root_view_id}` },
    h('form', props, head(view, stack, place, close), refused, body, foot(view, state, place, close)),
  );
}

function head(view, stack, place, close) {
  const back = { key: 'back', type: 'button', class: 'plain-button', 'aria-label': 'Back', onclick: close(false) };
  const cross = {
    key: 'cross',
    type: 'button',
    class: 'plain-button',
    'aria-label': 'Close',
    'data-testid': 'modal-x',
    onclick: close(true),
  };
  return h(
    'div',
    { key: 'head', class: 'dialog-head' },
    stack.length > 1 && h('button', back, icon('back')),
    h('span', { class: 'modal-mark' }, botMark(24)),
    h('h2', { class: 'dialog-title', id: 'modal-title' }, textObject(view.title, place)),
    h('button', cross, icon('close')),
  );
}

function foot(view, state, place, close) {
  const closeWords = view.close ? textObject(view.close, place) : view.submit ? 'Cancel' : 'Close';
  const submitProps = {
    key: 'submit',
    type: 'submit',
    class: classes('button button-primary', state.submitting && 'button-busy'),
    'aria-busy': state.submitting ? 'true' : undefined,
    'data-testid': 'modal-submit',
  };
  const submitWords = view.submit && [
    h('span', { class: 'button-words' }, textObject(view.submit, place)),
    state.submitting && h('span', { class: 'button-spinner' }, spinner(16)),
  ];
  return h(
    'div',
    { key: 'foot', class: 'dialog-foot' },
    h('button', { key: 'close', type: 'button', class: 'button', 'data-testid': 'modal-close', onclick: close(false) }, closeWords),
    view.submit && h('button', submitProps, submitWords),
  );
}

async function submit(view, surface, place, actions) {
  if ((progress.get(view.id) || {}).submitting) return;
  const missing = missingFields(view.blocks, surface);
  if (Object.keys(missing).length) {
    progress.set(view.id, { errors: missing });
    return refresh(actions, true);
  }
  progress.set(view.id, { submitting: true });
  actions.redraw();
  try {
    const answer = await tell('submit', { user: place.viewer, view_id: view.id, values: valuesOf(view.blocks, surface) });
    if (answer.response_action === 'errors') progress.set(view.id, { errors: answer.errors });
    else progress.delete(view.id);
  } catch (error) {
    const errors = error.body && error.body.errors;
    progress.set(view.id, errors ? { errors } : { refused: `We had some trouble connecting. Try again? (${error.message})` });
  }
  await actions.reload();
  refresh(actions, Boolean((progress.get(view.id) || {}).errors));
}

// Slack checks in the client that what is not optional is filled in, before the app hears of it.
function missingFields(blocks, surface) {
  const errors = {};
  for (const block of blocks || []) {
    if (block.type !== 'input' || block.optional || !block.element) continue;
    const value = surface.value(block.block_id, block.element);
    if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
      errors[block.block_id] = 'Please complete this required field.';
  }
  return errors;
}

async function refresh(actions, toError) {
  actions.redraw();
  if (!toError) return;
  await Promise.resolve(); // the errors are drawn first
  const wrong = document.querySelector('#modal .input-wrong :is(input, textarea, button)');
  if (wrong) wrong.focus();
}

// closeView takes the topmost view away, or with all the whole stack, as the cross does.
async function closeView(stack, all, place, actions) {
  for (const view of all ? stack.toReversed() : stack.slice(-1)) {
    progress.delete(view.id);
    // The modal is gone for the person even when the app did not hear of it.
    await tell('close_view', { user: place.viewer, view_id: view.id }).catch(() => {});
  }
  await actions.reload();
  actions.redraw();
}

/** The Home tab that the app published for the viewer, or what Slack shows before it did. */
export function homeTab(view, place) {
  if (!view || !(view.blocks || []).length) {
    return h(
      'div',
      { class: 'home-empty' },
      h('span', { class: 'home-empty-mark' }, botMark(72)),
      h('h2', null, `This is the Home tab of ${place.info.bot.name}`),
      h('p', null, 'The app has not published anything here yet.'),
    );
  }
  const surface = makeSurface({ container: { view_id: view.id }, place });
  return h('div', { class: 'home', 'data-testid': 'home', 'data-view-id': view.id }, drawBlocks(view.blocks, surface));
}
