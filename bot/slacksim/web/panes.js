// The channel in the middle and the thread at its right.

import { classes, h } from './dom.js';
import { tell } from './api.js';
import { composer } from './composer.js';
import { botMark, icon, spinner } from './icons.js';
import { messageRows } from './messages.js';
import { atEnd, followEnd, goToEnd } from './scroll.js';
import { readUntil } from './unread.js';
import { homeTab } from './views.js';
import { isReply } from './workspace.js';

/**
 * The pane of the current channel. page: {workspace, place, channel, tab, thread, unreadAfter, notes: what Slack itself says here, go(change),
 * redraw(), note(key, words), dismiss(which)}.
 */
export function channelPane(page) {
  const { channel } = page;
  return h('main', { class: 'pane', 'data-testid': 'channel', 'data-channel-open': channel.name },
    channel.dm ? appHead(page) : channelHead(page),
    channel.dm && page.tab === 'home' ? h('div', { class: 'pane-scroll', key: `home ${page.place.viewer}`, tabindex: 0 }, homeTab(page.workspace.home, page.place)) : conversation(page, null));
}

function channelHead({ channel, place }) {
  const members = channel.members.filter((id) => place.user(id));
  return h('div', { class: 'pane-head' },
    h('h1', { class: 'pane-title' }, icon(channel.private ? 'lock' : 'hash', 20), channel.name),
    h('span', { class: 'pane-topic' }, channel.topic),
    h('span', { class: 'pane-members', title: members.map((id) => place.user(id).shown).join(', ') }, icon('people', 16), String(members.length)));
}

function appHead({ workspace, tab, go, channel }) {
  const one = (name, words) => h('button', { type: 'button', role: 'tab', class: classes('tab', tab === name && 'tab-here'), 'aria-selected': tab === name ? 'true' : 'false', 'data-tab': name, onclick: () => go({ channel: channel.name, tab: name }) }, words);
  return h('div', { class: 'pane-head pane-head-app' },
    h('h1', { class: 'pane-title' }, h('span', { class: 'pane-mark' }, botMark(24)), workspace.info.bot.name, h('span', { class: 'app-mark' }, 'App'),
      !workspace.botReady && h('span', { class: 'pane-offline' }, 'not connected')),
    h('div', { class: 'tabs', role: 'tablist' }, one('home', 'Home'), one('messages', 'Messages')));
}

/** The thread beside the channel. */
export function threadPane(page) {
  const { channel, thread, go } = page;
  return h('aside', { class: 'pane thread', 'data-testid': 'thread', 'data-thread': thread, 'aria-label': 'Thread', key: `thread ${thread}` },
    h('div', { class: 'pane-head' },
      h('h2', { class: 'pane-title' }, 'Thread'),
      h('span', { class: 'pane-topic' }, channel.dm ? page.workspace.info.bot.name : `#${channel.name}`),
      h('button', { type: 'button', class: 'plain-button', 'aria-label': 'Close the thread', 'data-testid': 'thread-close', onclick: () => go({ thread: null }) }, icon('close', 20))),
    conversation(page, thread));
}

function conversation(page, thread) {
  const { workspace, channel, place, redraw } = page;
  const key = [place.viewer, channel.id, thread || ''].join('/');
  const all = workspace.messages(channel, place.viewer);
  const belonging = all.filter((message) => (thread ? message.ts === thread || message.thread_ts === thread : !isReply(message) || message.broadcast));
  const messages = newest(belonging, key);
  const notes = page.notes.filter((note) => note.key === key);
  const replies = groupReplies(all);
  const view = {
    place, channel, thread, openTs: thread ? null : page.thread, unreadAfter: thread ? null : page.unreadAfter,
    replies: (ts) => replies.get(ts) || [],
    repliesRead: (ts) => readUntil(place.viewer, channel, ts),
    openThread: (ts) => page.go({ thread: ts }),
    react: (ts, name, on) => react(page, ts, name, on),
    shortcut: (message, shortcut) => runShortcut(page, message, shortcut),
  };
  return [
    h('div', { class: 'pane-scroll', key: `list ${key}`, tabindex: 0, 'aria-label': 'Messages, arrow keys move between them', onkeydown: (event) => walk(event, view), created: (el) => followEnd(el, key, redraw) },
      h('div', { class: classes('list', thread && 'list-thread'), role: 'log' },
        messages.length < belonging.length ? earlier(belonging.length - messages.length, key, redraw) : !thread && start(channel, workspace),
        messageRows(messages, view),
        notes.map((note) => noteRow(note, page)))),
    !atEnd(key) && h('button', { type: 'button', class: 'to-end', key: 'to end', onclick: (event) => goToEnd(event.currentTarget.parentElement.querySelector('.pane-scroll'), key) }, icon('chevron', 16), 'Latest messages'),
    status(channel, thread, workspace),
    foot(page, thread, key),
  ];
}

// How many messages of a long list are drawn, by the list's key: more on request.
const windows = new Map();
const PAGE = 150;

function newest(messages, key) {
  return messages.slice(-(windows.get(key) || PAGE));
}

function earlier(hidden, key, redraw) {
  return h('div', { class: 'earlier', key: 'earlier' }, h('button', {
    type: 'button', class: 'button', onclick: (event) => {
      const list = event.currentTarget.closest('.pane-scroll');
      const below = list.scrollHeight - list.scrollTop;
      windows.set(key, (windows.get(key) || PAGE) + PAGE);
      redraw();
      queueMicrotask(() => { list.scrollTop = list.scrollHeight - below; });
    },
  }, `Show ${Math.min(PAGE, hidden)} earlier messages`));
}

// walk moves the focus between messages with the arrow keys; Enter opens the thread of the one that has it.
function walk(event, view) {
  const at = event.target;
  if (event.altKey || (at !== event.currentTarget && !at.matches('.message'))) return;
  if (event.key === 'Enter' && at.dataset.ts && !view.thread) view.openThread(at.dataset.ts);
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const messages = [...event.currentTarget.querySelectorAll('.message')];
  const here = messages.indexOf(at);
  const next = messages[here < 0 ? messages.length - 1 : Math.max(0, Math.min(messages.length - 1, here + step))];
  if (next) next.focus();
}

function groupReplies(all) {
  const groups = new Map();
  for (const message of all) {
    if (!isReply(message) || message.deleted || message.ephemeral_to) continue;
    if (!groups.has(message.thread_ts)) groups.set(message.thread_ts, []);
    groups.get(message.thread_ts).push(message);
  }
  return groups;
}

function start(channel, workspace) {
  const name = channel.dm ? workspace.info.bot.name : channel.name;
  return h('div', { class: 'start', key: 'start' },
    h('div', { class: 'start-mark' }, channel.dm ? botMark(52) : icon('hash', 30)),
    h('h2', null, channel.dm ? name : `This is the start of #${name}`),
    h('p', null, channel.dm ? `This conversation is between you and ${name}.` : channel.topic || 'Everything said in this channel is kept here.'));
}

// A note is what Slack itself says to one person, such as that a command is unknown.
function noteRow(note, page) {
  return h('div', { class: 'message message-private', key: `note ${note.id}`, 'data-testid': 'note' },
    h('div', { class: 'message-side' }, h('span', { class: 'avatar avatar-large tint-none' }, 'S')),
    h('div', { class: 'message-main' },
      h('div', { class: 'private-mark' }, icon('eye', 15), 'Only visible to you'),
      h('div', { class: 'message-head' }, h('span', { class: 'message-author' }, 'Slackbot')),
      h('div', { class: 'text' }, note.words),
      h('button', { type: 'button', class: 'link-button', onclick: () => page.dismiss((one) => one.id === note.id) }, 'Dismiss')));
}

function status(channel, thread, workspace) {
  const words = channel.status[thread || ''];
  return words && h('div', { class: 'agent-status', key: 'status', role: 'status', 'data-testid': 'agent-status' }, spinner(14), `${workspace.info.bot.name} ${words}`);
}

function foot(page, thread, key) {
  const { channel, place, workspace } = page;
  if (!channel.dm && !channel.members.includes(place.viewer)) {
    return h('div', { class: 'outside', key: 'foot' }, `You are not a member of #${channel.name}. `, h('button', { type: 'button', class: 'button', onclick: () => join(page) }, 'Join channel'));
  }
  const name = channel.dm ? workspace.info.bot.name : `#${channel.name}`;
  return composer({
    key, testid: thread ? 'thread-composer' : 'composer', label: thread ? 'Reply…' : `Message ${name}`, place, inThread: Boolean(thread), commands: workspace.info.commands,
    shortcuts: thread ? [] : workspace.info.shortcuts.filter((shortcut) => shortcut.type === 'global'), use: (shortcut) => runShortcut(page, null, shortcut),
    send: async (text, files) => {
      goToEnd(null, key);
      page.dismiss((one) => one.key === key);
      if (text.startsWith('/') && files.length === 0) return command(page, thread, key, text);
      await tell('message', { user: place.viewer, channel: channel.id, thread_ts: thread || undefined, text, files: files.length ? await Promise.all(files.map(encode)) : undefined });
    },
  });
}

async function encode(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return { name: file.name, content_base64: btoa(binary) };
}

async function command(page, thread, key, text) {
  const [, name, rest] = /^(\/\S*)\s*([\s\S]*)$/.exec(text);
  if (thread) return page.note(key, `${name} is not supported in threads. Sorry!`);
  const known = page.workspace.info.commands.some((one) => one.command === name);
  if (!known) return page.note(key, `${name} is not a valid command. In Slack, all messages that start with the "/" character are interpreted as commands.`);
  try {
    await tell('command', { user: page.place.viewer, channel: page.channel.id, command: name, text: rest });
  } catch (error) {
    // That the app did not answer is said by the workspace itself, as a message.
    if (!['dispatch_failed', 'operation_timeout'].includes(error.code)) page.note(key, `${name} failed with the error "${error.message}"`);
  }
}

async function react(page, ts, name, on) {
  try {
    await tell('reaction', { user: page.place.viewer, channel: page.channel.id, ts, name, remove: !on });
  } catch (error) {
    if (error.code !== 'already_reacted' && error.code !== 'no_reaction') page.note([page.place.viewer, page.channel.id, ''].join('/'), `The reaction was refused: ${error.message}`);
  }
}

async function runShortcut(page, message, shortcut) {
  try {
    await tell('shortcut', { user: page.place.viewer, channel: page.channel.id, message_ts: message ? message.ts : undefined, callback_id: shortcut.callback_id });
  } catch (error) {
    page.note([page.place.viewer, page.channel.id, ''].join('/'), `${shortcut.name} failed with the error "${error.message}"`);
  }
}

async function join(page) {
  try {
    await tell('join', { user: page.place.viewer, channel: page.channel.id });
  } catch (error) {
    page.note([page.place.viewer, page.channel.id, ''].join('/'), `You could not join: ${error.message}`);
  }
}
