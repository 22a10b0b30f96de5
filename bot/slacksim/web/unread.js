// What each user has read, remembered in this browser, and what therefore waits for them.

import { isReply } from './workspace.js';

const KEY = 'slacksim.read';
const marks = load();
let markVersion = 0;
const mentionCache = new WeakMap();

function load() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) || {};
  } catch {
    return {};
  }
}

function save() {
  markVersion++;
  try {
    localStorage.setItem(KEY, JSON.stringify(marks));
  } catch {
    // A browser that stores nothing forgets what was read when the page is closed.
  }
}

function marksOf(user) {
  return (marks[user] ||= {});
}

function keyOf(channel, thread) {
  return thread ? `${channel.id}/${thread}` : channel.id;
}

/** Takes everything that is there now as read by users who have never been here. */
export function beginReading(workspace) {
  let latest = '0';
  for (const channel of workspace.channels.values()) for (const ts of channel.messages.keys()) if (ts > latest) latest = ts;
  for (const user of workspace.info.users) marksOf(user.id).begin ||= latest;
  save();
}

/** Up to which ts a user has read a channel, or a thread in it. */
export function readUntil(user, channel, thread) {
  const own = marksOf(user);
  return own[keyOf(channel, thread)] || own.begin || '0';
}

/** Notes that a user has read a channel or thread up to this ts. */
export function markRead(user, channel, thread, ts) {
  if (!ts || ts <= readUntil(user, channel, thread)) return false;
  marksOf(user)[keyOf(channel, thread)] = ts;
  save();
  return true;
}

// What was counted last, by user and channel, with what it was counted from.
const counted = new Map();

/** What waits for a user in a channel: {unread: whether the channel has news, mentions: how many messages call the user}. */
export function waiting(workspace, user, channel) {
  const messages = workspace.messages(channel, user.id);
  const key = `${user.id} ${channel.id}`;
  const last = counted.get(key);
  if (last && last.messages === messages && last.markVersion === markVersion) return last.found;
  const found = count(messages, workspace.info, user, channel);
  counted.set(key, { messages, markVersion, found });
  return found;
}

function count(messages, info, user, channel) {
  const found = { unread: false, mentions: 0 };
  for (const message of messages) {
    if (message.user === user.id || message.deleted) continue;
    const reply = isReply(message);
    if (message.ts <= readUntil(user.id, channel, reply ? message.thread_ts : null)) continue;
    if (!reply) found.unread = true;
    if (channel.dm || calls(message, user, info)) found.mentions++;
  }
  return found;
}

function calls(message, user, info) {
  let all = mentionCache.get(message);
  if (!all) {
    const words = message.text + JSON.stringify(message.blocks || []);
    all = new Set(
      [...words.matchAll(/<@(\w+)|<!subteam\^(\w+)|<!(here|channel|everyone)\b|"(?:user|usergroup)_id":"(\w+)"/g)].map((match) =>
        match.slice(1).find(Boolean),
      ),
    );
    mentionCache.set(message, all);
  }
  if (all.size === 0) return false;
  if (all.has(user.id) || all.has('here') || all.has('channel') || all.has('everyone')) return true;
  return info.groups.some((group) => all.has(group.id) && group.members.includes(user.id));
}
