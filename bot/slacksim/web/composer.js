// The box in which one writes: grows with the text, completes @people, #channels, :emoji: and /commands, sends on Enter.
//
// What is typed is kept per place until it is sent, also when one looks elsewhere in between.

import { classes, h } from './dom.js';
import { icon, spinner } from './icons.js';
import { emoji, findEmoji, PICKER } from './emoji.js';
import { openMenu } from './menu.js';
import { avatar } from './place.js';

const drafts = new Map();
const completions = new Map();
const picked = new Map(); // files chosen but not sent yet
let redraw = () => {};

/** Tells the composers what to call when what they show has changed. */
export function onComposerChange(callback) {
  redraw = callback;
}

/**
 * A composer. spot: {key: a name of the place that is stable, testid, label, place, inThread, commands, channelMembers,
 * shortcuts: those of the app that need no message; use(shortcut); send(text, files) -> promise}. While a send is under way, and when it fails, the text stays.
 */
export function composer(spot) {
  const draft = drafts.get(spot.key) || { text: '', sending: false, refused: '' };
  const completion = completions.get(spot.key);
  const files = picked.get(spot.key) || [];
  const ready = (draft.text.trim() !== '' || files.length > 0) && !draft.sending;
  return h('div', { class: 'composer', key: `composer ${spot.key}` },
    completion && completionList(spot, completion),
    !completion && commandHint(spot, draft.text),
    h('div', { key: 'box', class: classes('composer-box', draft.refused && 'composer-refused') },
      h('textarea', {
        class: 'composer-text', rows: 1, 'data-testid': spot.testid, 'aria-label': spot.label, placeholder: spot.label, autocomplete: 'off', spellcheck: 'true',
        'aria-autocomplete': 'list', 'aria-expanded': completion ? 'true' : 'false', 'aria-activedescendant': completion ? `completion-${completion.active}` : undefined,
        created: (el) => { el.value = draft.text; grow(el); },
        oninput: (event) => typed(spot, event.target),
        onkeydown: (event) => keyed(spot, event),
        onclick: (event) => complete(spot, event.target),
        onblur: () => { if (completions.delete(spot.key)) redraw(); },
        onpaste: (event) => { if (event.clipboardData.files.length) addFiles(spot, event.clipboardData.files); },
        ondragover: (event) => event.preventDefault(),
        ondrop: (event) => { event.preventDefault(); addFiles(spot, event.dataTransfer.files); },
      }),
      files.length > 0 && h('div', { class: 'composer-files' }, files.map((file, position) => h('span', { class: 'composer-file' }, icon('file', 16), file.name,
        h('button', { type: 'button', class: 'plain-button', 'aria-label': `Remove ${file.name}`, onclick: () => { files.splice(position, 1); redraw(); } }, icon('close', 14))))),
      h('div', { key: 'foot', class: 'composer-foot' },
        h('label', { class: 'plain-button', title: 'Attach a file' }, icon('clip'),
          h('input', { type: 'file', class: 'unseen', multiple: true, 'aria-label': 'Attach a file', 'data-testid': `${spot.testid}-file`, onchange: (event) => { addFiles(spot, event.target.files); event.target.value = ''; } })),
        insertButton(spot, 'smile', 'Insert an emoji', pickEmoji),
        insertButton(spot, null, 'Mention somebody', (area) => insertAt(spot, area, '@'), '@'),
        !spot.inThread && insertButton(spot, null, 'Run a command', (area) => { area.value = ''; insertAt(spot, area, '/'); }, '/'),
        spot.shortcuts.length > 0 && insertButton(spot, 'bolt', 'Shortcuts', pickShortcut),
        h('span', { class: 'composer-keys' }, 'Enter sends, Shift + Enter makes a new line'),
        h('button', { type: 'button', class: classes('composer-send', ready && 'composer-ready'), 'data-testid': spot.inThread ? 'thread-send' : 'send', 'aria-label': 'Send', 'aria-disabled': ready ? undefined : 'true', onclick: () => send(spot) },
          draft.sending ? spinner(16) : icon('send', 18)))),
    draft.refused && h('div', { key: 'refused', class: 'refusal', role: 'alert' }, icon('warning', 16), h('span', null, draft.refused)));
}

function insertButton(spot, mark, label, act, text) {
  return h('button', { type: 'button', class: 'plain-button', title: label, 'aria-label': label, onclick: (event) => act(areaOf(event.currentTarget), event.currentTarget, spot) }, mark ? icon(mark) : h('span', { class: 'composer-sign' }, text));
}

function areaOf(el) {
  return el.closest('.composer').querySelector('textarea');
}

function pickEmoji(area, button, spot) {
  const items = PICKER.map((name) => ({ value: name, words: `:${name}:`, label: emoji(name) }));
  openMenu(button, items, { grid: true, title: 'Emoji' }, (name) => insertAt(spot, area, `:${name}: `));
}

function pickShortcut(area, button, spot) {
  const items = spot.shortcuts.map((shortcut) => ({ value: shortcut.callback_id, label: shortcut.name, words: shortcut.name, description: spot.place.info.bot.name }));
  openMenu(button, items, { title: 'Shortcuts' }, (callback) => spot.use(spot.shortcuts.find((shortcut) => shortcut.callback_id === callback)));
}

function insertAt(spot, area, text) {
  area.focus();
  const before = area.value.slice(0, area.selectionStart);
  const glue = text === '@' && before !== '' && !/\s$/.test(before) ? ' ' : '';
  area.setRangeText(glue + text, area.selectionStart, area.selectionEnd, 'end');
  typed(spot, area);
}

function addFiles(spot, list) {
  const files = picked.get(spot.key) || [];
  picked.set(spot.key, [...files, ...list]);
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

function keyed(spot, event) {
  const completion = completions.get(spot.key);
  if (event.isComposing) return;
  if (completion && steer(spot, completion, event)) {
    event.preventDefault();
    event.stopPropagation();
    return;
  }
  if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
    event.preventDefault();
    send(spot);
  }
}

async function send(spot) {
  const draft = drafts.get(spot.key);
  const files = picked.get(spot.key) || [];
  const text = draft ? draft.text.trim() : '';
  if ((text === '' && files.length === 0) || (draft && draft.sending)) return;
  completions.delete(spot.key);
  drafts.set(spot.key, { text: '', sending: true, refused: '' });
  picked.delete(spot.key);
  setText(spot, '');
  redraw();
  try {
    await spot.send(text, files);
    settle(spot, '', '');
  } catch (error) {
    if (files.length) picked.set(spot.key, files);
    settle(spot, text, error.message);
  }
  redraw();
}

// settle ends a send. What was typed meanwhile stays; text that could not be sent comes back before it.
function settle(spot, back, refused) {
  const meanwhile = (drafts.get(spot.key) || { text: '' }).text;
  const text = [back, meanwhile].filter((part) => part !== '').join('\n');
  drafts.set(spot.key, { text, sending: false, refused });
  if (back !== '') setText(spot, text);
}

function setText(spot, text) {
  const area = document.querySelector(`[data-testid="${spot.testid}"]`);
  if (!area) return;
  area.value = text;
  grow(area);
}

// --- completion ---

const WORD = /(^|[\s(])([@#:])([\p{L}\p{N}_.+-]*)$/u;

function complete(spot, area) {
  const before = area.value.slice(0, area.selectionStart);
  const found = area.selectionStart === area.selectionEnd && (commandsFor(spot, before) || wordsFor(spot, before));
  const items = found ? found.items : [];
  const old = completions.get(spot.key);
  if (items.length === 0) completions.delete(spot.key);
  else completions.set(spot.key, { ...found, active: 0 });
  if (old || items.length) redraw();
}

function commandsFor(spot, before) {
  if (spot.inThread) return null;
  const first = /^\/(\S*)$/.exec(before);
  if (!first) return null;
  const items = spot.commands.filter((command) => command.command.startsWith(before)).map((command) => ({
    insert: `${command.command} `, exact: command.command, mark: h('span', { class: 'completion-slash' }, '/'),
    label: [h('b', null, command.command), ' ', h('span', { class: 'completion-usage' }, command.usage_hint)], description: command.description,
  }));
  return { title: 'Commands', from: 0, items };
}

function wordsFor(spot, before) {
  const match = WORD.exec(before);
  if (!match) return null;
  const [, , sign, part] = match;
  const from = before.length - part.length - 1;
  if (sign === ':') return part.length < 2 ? null : { title: 'Emoji', from, items: findEmoji(part.toLowerCase(), 8).map(([name, character]) => ({ insert: `:${name}: `, exact: `:${name}`, mark: h('span', { class: 'emoji' }, character), label: `:${name}:` })) };
  if (sign === '#') return { title: 'Channels', from, items: channelItems(spot.place, part) };
  return { title: 'People and groups', from, items: peopleItems(spot.place, part) };
}

function channelItems(place, part) {
  return place.info.channels.filter((channel) => !channel.dm && channel.name.startsWith(part.toLowerCase())).slice(0, 8)
    .map((channel) => ({ insert: `#${channel.name} `, exact: `#${channel.name}`, mark: icon('hash'), label: h('b', null, channel.name), description: channel.topic }));
}

function peopleItems(place, part) {
  const { info } = place;
  const wanted = part.toLowerCase();
  const fits = (...names) => names.some((name) => name && name.toLowerCase().split(' ').some((word) => word.startsWith(wanted)));
  const app = place.user(info.app.id);
  const appName = info.bot.name.toLowerCase() === app.name ? info.bot.name : app.name;
  const apps = fits(app.name, info.bot.name) ? [{ insert: `@${appName} `, exact: `@${appName}`, mark: avatar(app, 'medium'), label: h('b', null, info.bot.name), description: 'App' }] : [];
  const people = info.users.filter((user) => !user.bot && !user.deleted && fits(user.name, user.real_name))
    .map((user) => ({ insert: `@${user.name} `, exact: `@${user.name}`, mark: avatar(place.user(user.id), 'medium'), label: h('b', null, user.name), description: user.real_name }));
  const groups = info.groups.filter((group) => fits(group.handle, group.name))
    .map((group) => ({ insert: `@${group.handle} `, exact: `@${group.handle}`, mark: h('span', { class: 'completion-group' }, icon('people')), label: h('b', null, `@${group.handle}`), description: `${group.members.length} ${group.members.length === 1 ? 'member' : 'members'}` }));
  return [...apps, ...people, ...groups].slice(0, 8);
}

function steer(spot, completion, event) {
  const count = completion.items.length;
  switch (event.key) {
    case 'ArrowDown': case 'ArrowUp':
      completion.active = (completion.active + (event.key === 'ArrowDown' ? 1 : count - 1)) % count;
      completion.moved = true;
      redraw();
      return true;
    case 'Escape':
      completions.delete(spot.key);
      redraw();
      return true;
    case 'Enter':
      // A name typed in full needs no completion: Enter sends, as it does after any other word.
      if (event.shiftKey || (!completion.moved && typedInFull(event.target, completion))) return false;
      accept(spot, completion, event.target);
      return true;
    case 'Tab':
      accept(spot, completion, event.target);
      return true;
    default:
      return false;
  }
}

function typedInFull(area, completion) {
  const typedWord = area.value.slice(completion.from, area.selectionStart).toLowerCase();
  return completion.items.some((item) => item.exact.toLowerCase() === typedWord);
}

function accept(spot, completion, area) {
  const item = completion.items[completion.active];
  const end = area.selectionStart + (area.value[area.selectionStart] === ' ' && item.insert.endsWith(' ') ? 1 : 0);
  area.setRangeText(item.insert, completion.from, end, 'end');
  completions.delete(spot.key);
  typed(spot, area);
}

function completionList(spot, completion) {
  return h('div', { key: 'completion', class: 'completion', role: 'listbox', 'aria-label': completion.title, 'data-testid': 'completion' },
    h('div', { class: 'completion-title' }, h('span', null, completion.title), h('span', null, h('kbd', null, '↑'), h('kbd', null, '↓'), ' to choose, ', h('kbd', null, 'Tab'), ' to take')),
    completion.items.map((item, position) => h('div', {
      id: `completion-${position}`, key: item.exact, role: 'option', 'aria-selected': position === completion.active ? 'true' : 'false', 'data-value': item.exact,
      class: classes('completion-item', position === completion.active && 'completion-active'),
      onpointerdown: (event) => { event.preventDefault(); completion.active = position; accept(spot, completion, areaOf(event.currentTarget)); },
    }, h('span', { class: 'completion-mark' }, item.mark), h('span', { class: 'completion-words' }, h('span', { class: 'completion-label' }, item.label), item.description && h('span', { class: 'completion-description' }, item.description)))));
}

// commandHint shows how a command goes on while its words are typed.
function commandHint(spot, text) {
  const typedCommand = /^(\/\S+)\s/.exec(text);
  const command = typedCommand && !spot.inThread && spot.commands.find((one) => one.command === typedCommand[1]);
  if (!command) return false;
  const word = text.slice(typedCommand[0].length).split(/\s/)[0];
  const forms = String(command.usage_hint || '').split(/\s*\|\s*/).filter(Boolean);
  const fitting = forms.filter((form) => form.split(' ')[0].startsWith(word));
  return h('div', { key: 'hint', class: 'completion completion-hint', 'data-testid': 'command-hint' },
    h('div', { class: 'completion-title' }, h('span', null, h('b', null, command.command), ' ', command.description)),
    h('div', { class: 'hint-forms' }, (fitting.length ? fitting : forms).map((form) => h('code', { class: 'code hint-form', key: form }, form))));
}
