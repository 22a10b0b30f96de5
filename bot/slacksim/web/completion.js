// What a composer offers while one types: commands, people and groups, channels, emoji; and how a command goes on.
//
// A spot is the place of a composer, as composer.js describes it. Nothing here draws by itself: the composer does.

import { classes, h } from './dom.js';
import { findEmoji } from './emoji.js';
import { icon } from './icons.js';
import { avatar } from './place.js';

const LIMIT = 8;

// By spot: {title, from: where the word begins, items, active: position, moved: whether the person has chosen with the arrows}. An
// item is {insert, exact: the word typed in full, mark, label, description?}.
const completions = new Map();

/** What is offered at a spot now, or undefined. */
export function completionOf(spot) {
  return completions.get(spot.key);
}

/** Stops offering; says whether anything was offered. */
export function closeCompletion(spot) {
  return completions.delete(spot.key);
}

/** Finds what fits the word before the caret; says whether the offer may have changed. */
export function complete(spot, area) {
  const before = area.value.slice(0, area.selectionStart);
  const found = area.selectionStart === area.selectionEnd && (commandsFor(spot, before) || wordsFor(spot, before));
  const had = closeCompletion(spot);
  if (found && found.items.length > 0) completions.set(spot.key, { ...found, active: 0, moved: false });
  return had || completions.has(spot.key);
}

function commandsFor(spot, before) {
  if (spot.inThread || !/^\/\S*$/.test(before)) return null;
  const items = spot.commands
    .filter((command) => command.command.startsWith(before))
    .map((command) => ({
      insert: `${command.command} `,
      exact: command.command,
      mark: h('span', { class: 'completion-slash' }, '/'),
      label: [h('b', null, command.command), ' ', h('span', { class: 'completion-usage' }, command.usage_hint)],
      description: command.description,
    }));
  return { title: 'Commands', from: 0, items };
}

const WORD = /(?:^|[\s(])([@#:])([\p{L}\p{N}_.+-]*)$/u;

function wordsFor(spot, before) {
  const match = WORD.exec(before);
  if (!match) return null;
  const [, sign, part] = match;
  const from = before.length - part.length - 1;
  const wanted = part.toLowerCase();
  switch (sign) {
    case '#':
      return { title: 'Channels', from, items: channelItems(spot.place, wanted) };
    case '@':
      return { title: 'People and groups', from, items: peopleItems(spot.place, wanted) };
    default:
      return part.length < 2 ? null : { title: 'Emoji', from, items: findEmoji(wanted, LIMIT).map(emojiItem) };
  }
}

function emojiItem([name, character]) {
  return { insert: `:${name}: `, exact: `:${name}`, mark: h('span', { class: 'emoji' }, character), label: `:${name}:` };
}

function named(word, mark, label, description) {
  return { insert: `${word} `, exact: word, mark, label: h('b', null, label), description };
}

function channelItems(place, wanted) {
  const fitting = place.info.channels.filter((channel) => !channel.dm && channel.name.startsWith(wanted));
  return fitting.slice(0, LIMIT).map((channel) => named(`#${channel.name}`, icon('hash'), channel.name, channel.topic));
}

function peopleItems(place, wanted) {
  const { app, bot, users, groups } = place.info;
  const fits = (...names) =>
    names.some((name) =>
      name
        .toLowerCase()
        .split(' ')
        .some((word) => word.startsWith(wanted)),
    );
  const found = [];
  if (fits(app.name, bot.name)) {
    // People write the app's name as it is shown where that is the same word.
    const word = bot.name.toLowerCase() === app.name ? bot.name : app.name;
    found.push(named(`@${word}`, avatar(place.user(app.id), 'medium'), bot.name, 'App'));
  }
  for (const user of users) {
    if (!user.bot && !user.deleted && fits(user.name, user.real_name))
      found.push(named(`@${user.name}`, avatar(place.user(user.id), 'medium'), user.name, user.real_name));
  }
  for (const group of groups) {
    if (!fits(group.handle, group.name)) continue;
    const members = `${group.members.length} ${group.members.length === 1 ? 'member' : 'members'}`;
    found.push(named(`@${group.handle}`, h('span', { class: 'completion-group' }, icon('people')), `@${group.handle}`, members));
  }
  return found.slice(0, LIMIT);
}

/** What a key does to the offer: 'accept', 'moved' (it must be drawn again), or null when the key is none of its business. */
export function steer(spot, event) {
  const completion = completionOf(spot);
  if (!completion) return null;
  const count = completion.items.length;
  switch (event.key) {
    case 'ArrowDown':
    case 'ArrowUp':
      completion.active = (completion.active + (event.key === 'ArrowDown' ? 1 : count - 1)) % count;
      completion.moved = true;
      return 'moved';
    case 'Escape':
      closeCompletion(spot);
      return 'moved';
    case 'Tab':
      return 'accept';
    case 'Enter':
      // A name typed in full needs no completion: Enter sends, as it does after any other word.
      return event.shiftKey || (!completion.moved && typedInFull(completion, event.target)) ? null : 'accept';
    default:
      return null;
  }
}

function typedInFull(completion, area) {
  const word = area.value.slice(completion.from, area.selectionStart).toLowerCase();
  return completion.items.some((item) => item.exact.toLowerCase() === word);
}

/** Puts the chosen item in the place of the word that was begun. */
export function accept(spot, area) {
  const completion = completionOf(spot);
  const item = completion.items[completion.active];
  const end = area.selectionStart + (area.value[area.selectionStart] === ' ' ? 1 : 0);
  area.setRangeText(item.insert, completion.from, end, 'end');
  closeCompletion(spot);
}

/** The offer as a list; take(el) is called with the item's element when one is clicked. */
export function completionList(completion, take) {
  const keys = h('span', null, h('kbd', null, '↑'), h('kbd', null, '↓'), ' to choose, ', h('kbd', null, 'Tab'), ' to take');
  return h(
    'div',
    { key: 'completion', class: 'completion', role: 'listbox', 'aria-label': completion.title, 'data-testid': 'completion' },
    h('div', { class: 'completion-title' }, h('span', null, completion.title), keys),
    completion.items.map((item, position) => completionItem(completion, item, position, take)),
  );
}

function completionItem(completion, item, position, take) {
  const active = position === completion.active;
  const props = {
    id: `completion-${position}`,
    key: item.exact,
    role: 'option',
    class: classes('completion-item', active && 'completion-active'),
    'aria-selected': active ? 'true' : 'false',
    'data-value': item.exact,
    // Before the click takes the focus away from the text.
    onpointerdown: (event) => {
      event.preventDefault();
      completion.active = position;
      take(event.currentTarget);
    },
  };
  const words = [
    h('span', { class: 'completion-label' }, item.label),
    item.description && h('span', { class: 'completion-description' }, item.description),
  ];
  return h('div', props, h('span', { class: 'completion-mark' }, item.mark), h('span', { class: 'completion-words' }, words));
}

/** How a command goes on, while its words are typed: its usage hint, narrowed down to the forms that fit. */
export function commandHint(spot, text) {
  const match = /^(\/\S+)\s+(\S*)(\s?)/.exec(text);
  const command = match && !spot.inThread && spot.commands.find((one) => one.command === match[1]);
  if (!command) return false;
  const forms = String(command.usage_hint || '')
    .split(/\s*\|\s*/)
    .filter(Boolean);
  const [, , word, ended] = match;
  const fitting = forms.map((form) => [form.split(' ')[0], form]).filter(([first]) => (ended ? first === word : first.startsWith(word)));
  const shown = fitting.length ? fitting.map(([, form]) => form) : forms;
  return h(
    'div',
    { key: 'hint', class: 'completion completion-hint', 'data-testid': 'command-hint' },
    h('div', { class: 'completion-title' }, h('span', null, h('b', null, command.command), ' ', command.description)),
    h(
      'div',
      { class: 'hint-forms' },
      shown.map((form) => h('code', { class: 'code hint-form', key: form }, form)),
    ),
  );
}
