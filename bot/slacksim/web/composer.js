// The box in which one writes: grows with the text, takes files, sends on Enter. What it completes is in completion.js.
//
// What is typed is kept per place until it is sent, also when one looks elsewhere in between.

import { accept, closeCompletion, commandHint, complete, completionList, completionOf, steer } from './completion.js';
import { classes, h } from './dom.js';
import { PICKER } from './emoji.js';
import { icon, spinner } from './icons.js';
import { openMenu } from './menu.js';

const drafts = new Map(); // spot: {text, sending, refused: why it could not be sent}
const picked = new Map(); // spot: files chosen but not sent yet
let redraw = () => {};

/** Tells the composers what to call when what they show has changed. */
export function onComposerChange(callback) {
  redraw = callback;
}

/**
 * A composer. spot: {key: a name of the place that is stable, testid, label, place, inThread, commands, shortcuts: those of the app
 * that need no message, use(shortcut), send(text, files) -> promise}. Text that could not be sent comes back.
 */
export function composer(spot) {
  const draft = draftOf(spot);
  const files = filesOf(spot);
  const completion = completionOf(spot);
  const take = (area) => {
    accept(spot, area);
    typed(spot, area);
  };
  return h(
    'div',
    { class: 'composer', key: `composer ${spot.key}` },
    completion ? completionList(completion, (el) => take(areaOf(el))) : commandHint(spot, draft.text),
    h(
      'div',
      { key: 'box', class: classes('composer-box', draft.refused && 'composer-refused') },
      textArea(spot, draft, completion, take),
      files.length > 0 &&
        h(
          'div',
          { key: 'files', class: 'composer-files' },
          files.map((file) => fileChip(spot, file)),
        ),
      foot(spot, draft, files),
    ),
    draft.refused && h('div', { key: 'refused', class: 'refusal', role: 'alert' }, icon('warning', 16), h('span', null, draft.refused)),
  );
}

function draftOf(spot) {
  return drafts.get(spot.key) || { text: '', sending: false, refused: '' };
}

function filesOf(spot) {
  return picked.get(spot.key) || [];
}

function textArea(spot, draft, completion, take) {
  return h('textarea', {
    key: 'text',
    class: 'composer-text',
    rows: 1,
    'data-testid': spot.testid,
    'aria-label': spot.label,
    placeholder: spot.label,
    autocomplete: 'off',
    spellcheck: 'true',
    'aria-autocomplete': 'list',
    'aria-expanded': completion ? 'true' : 'false',
    'aria-activedescendant': completion ? `completion-${completion.active}` : undefined,
    created: (el) => {
      el.value = draft.text;
      grow(el);
    },
    oninput: (event) => typed(spot, event.target),
    onkeydown: (event) => keyed(spot, event, take),
    onclick: (event) => complete(spot, event.target) && redraw(),
    onblur: () => closeCompletion(spot) && redraw(),
    onpaste: (event) => addFiles(spot, event.clipboardData.files),
    ...dropZone(spot),
  });
}

/** What makes an element take files that are dropped on it, for the composer whose spot has this key. */
export function dropZone(spot) {
  const over = (event, on) => {
    if (on) event.currentTarget.dataset.dropping = 'true';
    else delete event.currentTarget.dataset.dropping;
  };
  return {
    ondragover: (event) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      over(event, true);
    },
    ondragleave: (event) => over(event, false),
    ondrop: (event) => {
      over(event, false);
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      addFiles(spot, event.dataTransfer.files);
      const area = event.currentTarget.closest('.pane').querySelector('.composer-text');
      if (area) area.focus();
    },
  };
}

function fileChip(spot, file) {
  const remove = () => {
    picked.set(
      spot.key,
      filesOf(spot).filter((one) => one !== file),
    );
    redraw();
  };
  return h(
    'span',
    { class: 'composer-file' },
    icon('file', 16),
    file.name,
    h('button', { type: 'button', class: 'plain-button', 'aria-label': `Remove ${file.name}`, onclick: remove }, icon('close', 14)),
  );
}

function foot(spot, draft, files) {
  const ready = (draft.text.trim() !== '' || files.length > 0) && !draft.sending;
  const sign = (text) => h('span', { class: 'composer-sign' }, text);
  return h(
    'div',
    { key: 'foot', class: 'composer-foot' },
    filePicker(spot),
    tool('Insert an emoji', icon('smile'), (button) => pickEmoji(spot, button)),
    tool('Mention somebody', sign('@'), (button) => insert(spot, areaOf(button), '@')),
    !spot.inThread && tool('Run a command', sign('/'), (button) => startCommand(spot, areaOf(button))),
    spot.shortcuts.length > 0 && tool('Shortcuts', icon('bolt'), (button) => pickShortcut(spot, button)),
    h('span', { class: 'composer-keys' }, 'Enter sends, Shift + Enter makes a new line'),
    h(
      'button',
      {
        type: 'button',
        class: classes('composer-send', ready && 'composer-ready'),
        'data-testid': spot.inThread ? 'thread-send' : 'send',
        'aria-label': 'Send',
        'aria-disabled': ready ? undefined : 'true',
        onclick: () => send(spot),
      },
      draft.sending ? spinner(16) : icon('send', 18),
    ),
  );
}

function filePicker(spot) {
  const chosen = (event) => {
    addFiles(spot, event.target.files);
    event.target.value = '';
  };
  return h(
    'label',
    { class: 'plain-button', title: 'Attach a file' },
    icon('clip'),
    h('input', {
      type: 'file',
      class: 'unseen',
      multiple: true,
      'aria-label': 'Attach a file',
      'data-testid': `${spot.testid}-file`,
      onchange: chosen,
    }),
  );
}

function tool(label, mark, act) {
  return h(
    'button',
    { type: 'button', class: 'plain-button', title: label, 'aria-label': label, onclick: (event) => act(event.currentTarget) },
    mark,
  );
}

function areaOf(el) {
  return el.closest('.composer').querySelector('textarea');
}

function pickEmoji(spot, button) {
  openMenu(button, PICKER, { grid: true, narrow: true, title: 'Emoji' }, (name) => insert(spot, areaOf(button), `:${name}: `));
}

function pickShortcut(spot, button) {
  const app = spot.place.info.bot.name;
  const items = spot.shortcuts.map((one) => ({ value: one.callback_id, label: one.name, words: one.name, description: app }));
  openMenu(button, items, { title: 'Shortcuts' }, (callback) => spot.use(spot.shortcuts.find((one) => one.callback_id === callback)));
}

function startCommand(spot, area) {
  area.value = '';
  insert(spot, area, '/');
}

function insert(spot, area, text) {
  area.focus();
  const before = area.value.slice(0, area.selectionStart);
  const glue = text === '@' && before !== '' && !/\s$/.test(before) ? ' ' : '';
  area.setRangeText(glue + text, area.selectionStart, area.selectionEnd, 'end');
  typed(spot, area);
}

function addFiles(spot, list) {
  if (list.length === 0) return;
  picked.set(spot.key, [...filesOf(spot), ...list]);
  redraw();
}

function grow(area) {
  area.style.height = 'auto';
  area.style.height = `${Math.min(area.scrollHeight, Math.round(innerHeight * 0.4))}px`;
}

function typed(spot, area) {
  drafts.set(spot.key, { text: area.value, sending: false, refused: '' });
  grow(area);
  complete(spot, area);
  redraw();
}

function keyed(spot, event, take) {
  if (event.isComposing) return;
  const steered = steer(spot, event);
  if (steered) {
    event.preventDefault();
    event.stopPropagation();
    if (steered === 'accept') take(event.target);
    else redraw();
  } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
    event.preventDefault();
    send(spot);
  }
}

async function send(spot) {
  const draft = draftOf(spot);
  const files = filesOf(spot);
  const text = draft.text.trim();
  if ((text === '' && files.length === 0) || draft.sending) return;
  closeCompletion(spot);
  drafts.set(spot.key, { text: '', sending: true, refused: '' });
  picked.delete(spot.key);
  show(spot, '');
  redraw();
  try {
    await spot.send(text, files);
    settle(spot, '', '');
  } catch (error) {
    if (files.length) picked.set(spot.key, files);
    settle(spot, text, `This was not sent: ${error.message}.`);
  }
  redraw();
}

// settle ends a send. What was typed meanwhile stays; text that could not be sent comes back before it.
function settle(spot, back, refused) {
  const text = [back, draftOf(spot).text].filter((part) => part !== '').join('\n');
  drafts.set(spot.key, { text, sending: false, refused });
  if (back !== '') show(spot, text);
}

function show(spot, text) {
  const area = document.querySelector(`[data-testid="${spot.testid}"]`);
  if (!area) return;
  area.value = text;
  grow(area);
}
