// A conversation: the list of messages of a channel or thread, and the composer with what one sends from it.

import { composer, dropZone } from './composer.js';
import { classes, h } from './dom.js';
import { botMark, icon, spinner } from './icons.js';
import { messageRows } from './messages.js';
import { atEnd, followEnd, goToEnd, listKey } from './scroll.js';
import { join, react, runShortcut, send } from './sending.js';
import { readUntil } from './unread.js';
import { isReply } from './workspace.js';

/** The messages of the channel, or of a thread in it, with what stands under them. page is described in panes.js. */
export function conversation(page, thread) {
  const { workspace, channel, place, redraw } = page;
  const key = listKey(place.viewer, channel, thread);
  const all = workspace.messages(channel, place.viewer);
  const belonging = all.filter((message) =>
    thread ? message.ts === thread || message.thread_ts === thread : !isReply(message) || message.broadcast,
  );
  const messages = newest(belonging, key);
  const view = rowsView(page, thread, all);
  const props = {
    class: 'pane-scroll',
    key: `list ${key}`,
    tabindex: 0,
    'aria-label': 'Messages, arrow keys move between them',
    onkeydown: (event) => walk(event, view),
    created: (el) => followEnd(el, key, redraw),
    ...(mayWrite(page) && dropZone({ key })),
  };
  const hidden = belonging.length - messages.length;
  return [
    h(
      'div',
      props,
      h(
        'div',
        { class: classes('list', thread && 'list-thread'), role: 'log' },
        hidden > 0 ? earlier(hidden, key, redraw) : !thread && start(channel, workspace),
        messageRows(messages, view),
        page.notes.filter((note) => note.key === key).map((note) => noteRow(note, page)),
      ),
    ),
    !atEnd(key) && toEnd(key),
    status(channel, thread, workspace),
    foot(page, thread, key),
  ];
}

// rowsView is what messages.js needs to know of the page.
function rowsView(page, thread, all) {
  const { channel, place } = page;
  const replies = groupReplies(all);
  return {
    place,
    channel,
    thread,
    openTs: thread ? null : page.thread,
    unreadAfter: thread ? null : page.unreadAfter,
    replies: (ts) => replies.get(ts) || [],
    repliesRead: (ts) => readUntil(place.viewer, channel, ts),
    openThread: (ts) => page.go({ thread: ts }),
    react: (ts, name, on) => react(page, thread, ts, name, on),
    shortcut: (message, shortcut) => runShortcut(page, thread, message, shortcut),
  };
}

function toEnd(key) {
  const go = (event) => goToEnd(event.currentTarget.parentElement.querySelector('.pane-scroll'), key);
  return h('button', { type: 'button', class: 'to-end', key: 'to end', onclick: go }, icon('chevron', 16), 'Latest messages');
}

// How many messages of a long list are drawn, by the list's key: more on request.
const windows = new Map();
const PAGE = 150;

function newest(messages, key) {
  return messages.slice(-(windows.get(key) || PAGE));
}

function earlier(hidden, key, redraw) {
  return h(
    'div',
    { class: 'earlier', key: 'earlier' },
    h(
      'button',
      {
        type: 'button',
        class: 'button',
        onclick: (event) => {
          const list = event.currentTarget.closest('.pane-scroll');
          const below = list.scrollHeight - list.scrollTop;
          windows.set(key, (windows.get(key) || PAGE) + PAGE);
          redraw();
          queueMicrotask(() => {
            list.scrollTop = list.scrollHeight - below;
          });
        },
      },
      `Show ${Math.min(PAGE, hidden)} earlier messages`,
    ),
  );
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
  return h(
    'div',
    { class: 'start', key: 'start' },
    h('div', { class: 'start-mark' }, channel.dm ? botMark(52) : icon('hash', 30)),
    h('h2', null, channel.dm ? name : `This is the start of #${name}`),
    h(
      'p',
      null,
      channel.dm ? `This conversation is between you and ${name}.` : channel.topic || 'Everything said in this channel is kept here.',
    ),
  );
}

// A note is what Slack itself says to one person, such as that a command is unknown.
function noteRow(note, page) {
  return h(
    'div',
    { class: 'message message-private', key: `note ${note.id}`, 'data-testid': 'note' },
    h('div', { class: 'message-side' }, h('span', { class: 'avatar avatar-large tint-none' }, 'S')),
    h(
      'div',
      { class: 'message-main' },
      h('div', { class: 'private-mark' }, icon('eye', 15), 'Only visible to you'),
      h('div', { class: 'message-head' }, h('span', { class: 'message-author' }, 'Slackbot')),
      h('div', { class: 'text' }, note.words),
      h('button', { type: 'button', class: 'link-button', onclick: () => page.dismiss((one) => one.id === note.id) }, 'Dismiss'),
    ),
  );
}

function status(channel, thread, workspace) {
  const words = channel.status[thread || ''];
  return (
    words &&
    h(
      'div',
      { class: 'agent-status', key: 'status', role: 'status', 'data-testid': 'agent-status' },
      spinner(14),
      `${workspace.info.bot.name} ${words}`,
    )
  );
}

function mayWrite({ channel, place }) {
  return channel.dm || channel.members.includes(place.viewer);
}

function foot(page, thread, key) {
  const { channel, place, workspace } = page;
  if (!mayWrite(page)) {
    return h(
      'div',
      { class: 'outside', key: 'foot' },
      `You are not a member of #${channel.name}. `,
      h('button', { type: 'button', class: 'button', onclick: () => join(page) }, 'Join channel'),
    );
  }
  const name = channel.dm ? workspace.info.bot.name : `#${channel.name}`;
  return composer({
    key,
    testid: thread ? 'thread-composer' : 'composer',
    label: thread ? 'Reply…' : `Message ${name}`,
    place,
    inThread: Boolean(thread),
    commands: workspace.info.commands,
    shortcuts: thread ? [] : workspace.info.shortcuts.filter((shortcut) => shortcut.type === 'global'),
    use: (shortcut) => runShortcut(page, thread, null, shortcut),
    send: (text, files) => {
      goToEnd(null, key);
      page.dismiss((one) => one.key === key);
      return send(page, thread, text, files);
    },
  });
}
