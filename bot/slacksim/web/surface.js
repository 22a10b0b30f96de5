// What people have clicked and filled in, and makes the Surface (see controls.js) through which a message or view draws its controls.
//
// A click is busy until the workspace has answered it. A refused one shows why, in Slack's words, until the next click there.

import { tell } from './api.js';
import { initialValue } from './controls.js';

const clicks = new Map(); // container, block, action, value: {busy, refused}
const filled = new Map(); // container, block, action: what is filled in
const versions = new Map(); // container: how often anything above changed
let redraw = () => {};

/** Tells the surfaces what to call when a click begins or ends, or something is filled in. */
export function onSurfaceChange(callback) {
  redraw = callback;
}

/** A name for {channel, message_ts} or {view_id}. */
function nameOf(container) {
  return container.view_id || `${container.channel}/${container.message_ts}`;
}

/** A number that changes whenever a surface of this container must be drawn again. */
export function surfaceVersion(container) {
  return versions.get(nameOf(container)) || 0;
}

function touch(container) {
  const name = nameOf(container);
  versions.set(name, (versions.get(name) || 0) + 1);
  redraw();
}

/**
 * The Surface of a container for one user. form: the container is a modal, whose input blocks are collected for a submit. errors:
 * {block_id: words} of a refused submit.
 */
export function makeSurface({ container, place, form = false, errors = null }) {
  const name = nameOf(container);
  const field = (blockId, element) => `${name} ${place.viewer} ${blockId} ${element.action_id}`;
  // Buttons of one action_id in one block are told apart by their value.
  const click = (blockId, element) => `${field(blockId, element)} ${element.value || ''}`;
  return {
    place,
    errors,
    form,
    state: (blockId, element) => clicks.get(click(blockId, element)) || {},
    value: (blockId, element) => {
      const key = field(blockId, element);
      return filled.has(key) ? filled.get(key) : initialValue(element);
    },
    keep: (blockId, element, value) => {
      filled.set(field(blockId, element), value);
      if (errors) delete errors[blockId]; // what was wrong is being put right
      touch(container);
    },
    dispatches: (block) => block.type !== 'input' || Boolean(block.dispatch_action),
    act: (block, element, change) => dispatch(container, place.viewer, block, element, change, click(block.block_id, element)),
  };
}

async function dispatch(container, user, block, element, change, key) {
  if ((clicks.get(key) || {}).busy) return;
  clicks.set(key, { busy: true });
  touch(container);
  try {
    await tell('action', { user, container, block_id: block.block_id, action_id: element.action_id, ...onWire(element, change) });
    clicks.delete(key);
  } catch (error) {
    clicks.set(key, { refused: refusalWords(error) });
  }
  touch(container);
}

const GONE = ['message_not_found', 'view_not_found', 'no_such_action'];

/** What Slack shows when a click reached nobody, with the reason behind it. */
function refusalWords(error) {
  if (GONE.includes(error.code)) return `That is not there any more. (${error.message})`;
  return `Oh no, something went wrong. Please try that again. (${error.message})`;
}

// A rich text field is edited as plain text and sent as the structure that apps expect.
function onWire(element, change) {
  if (element.type !== 'rich_text_input' || !change.value) return change;
  return { value: { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: change.value }] }] } };
}

/** What is filled in on a view, as {block_id: {action_id: value}}, with initial values where nobody touched a field. */
export function valuesOf(blocks, surface) {
  const values = {};
  for (const block of blocks || []) {
    const elements =
      block.type === 'input'
        ? [block.element]
        : [...(block.elements || []), block.accessory].filter((element) => element && element.action_id);
    for (const element of elements) {
      if (CLICKED.includes(element.type)) continue;
      const value = surface.value(block.block_id, element);
      if (value === null && element.type === 'datetimepicker') continue; // it has no empty value
      (values[block.block_id] ||= {})[element.action_id] = onWire(element, { value }).value;
    }
  }
  return values;
}

// Elements that are clicked and hold nothing.
const CLICKED = ['button', 'overflow', 'workflow_button', 'feedback_buttons', 'icon_button', 'image'];

/** Forgets a container that is gone. */
export function forget(container) {
  const name = nameOf(container);
  for (const map of [clicks, filled]) for (const key of map.keys()) if (key.startsWith(`${name} `)) map.delete(key);
  versions.delete(name);
}
