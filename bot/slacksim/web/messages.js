// Messages as a list: grouped by author, with days between them, reactions, files and threads.

import { classes, h, remembered } from './dom.js';
import { attachments, drawBlocks, picture } from './blocks.js';
import { clockTime, dayKey, dayTitle, fullTime, lastReply, momentOf } from './dates.js';
import { emoji, PICKER } from './emoji.js';
import { icon } from './icons.js';
import { openMenu } from './menu.js';
import { emojiNode, isOnlyEmoji, mrkdwn } from './mrkdwn.js';
import { authorOf, avatar } from './place.js';
import { makeSurface, surfaceVersion } from './surface.js';

const GROUP_SECONDS = 300;

/**
 * The messages of a channel or thread as keyed rows. view: {place, channel, thread (its ts, or null), replies(ts) -> messages,
 * unreadAfter (ts or null), openThread(ts), react(ts, name, on), shortcut(ts, shortcut), openTs (the thread that is open beside)}.
 */
export function messageRows(messages, view) {
  const rows = [];
  let before = null;
  let unreadShown = false;
  for (const message of messages) {
    const day = dayKey(momentOf(message.ts), view.place.zone);
    const newDay = !before || before.day !== day;
    if (newDay && !view.thread) rows.push(dayRow(message, day, view));
    const unread = !unreadShown && view.unreadAfter && message.ts > view.unreadAfter && message.user !== view.place.viewer;
    if (unread) {
      unreadShown = true;
      rows.push(h('div', { class: 'unread-line', key: 'unread', role: 'separator' }, h('span', null, 'New')));
    }
    const joined = !newDay && !unread && continues(before.message, message);
    rows.push(messageRow(message, joined, view));
    if (view.thread === message.ts) rows.push(countRow(messages.filter((one) => one.ts !== view.thread && !one.ephemeral_to).length));
    before = { message, day };
  }
  return rows;
}

// continues says whether a message stands under the name of the one before it. What an app builds of blocks stands by itself.
function continues(before, message) {
  return (
    !hasBlocks(before) &&
    !hasBlocks(message) &&
    before.user === message.user &&
    !before.deleted &&
    !message.deleted &&
    Boolean(before.ephemeral_to) === Boolean(message.ephemeral_to) &&
    message.ts - before.ts < GROUP_SECONDS &&
    before.ts !== message.thread_ts
  );
}

function hasBlocks(message) {
  return (message.blocks || []).length > 0;
}

function dayRow(message, day, view) {
  return h(
    'div',
    { class: 'day-line', key: `day ${day}`, role: 'separator' },
    h('span', null, dayTitle(momentOf(message.ts), view.place.zone, view.place.now())),
  );
}

function countRow(count) {
  return h(
    'div',
    { class: 'count-line', key: 'count', role: 'separator' },
    h('span', null, count === 0 ? 'No replies yet' : `${count} ${count === 1 ? 'reply' : 'replies'}`),
  );
}

function messageRow(message, joined, view) {
  const replies = view.thread ? [] : view.replies(message.ts);
  const container = { channel: view.channel.id, message_ts: message.ts };
  const last = replies[replies.length - 1];
  const minute = replies.length ? Math.floor(view.place.now() / 60000) : 0;
  const unreadReplies = last && view.repliesRead ? last.ts > view.repliesRead(message.ts) && last.user !== view.place.viewer : false;
  const signature = [
    message.version,
    surfaceVersion(container),
    view.place.version,
    joined,
    replies.length,
    last && last.ts,
    minute,
    unreadReplies,
    view.openTs === message.ts,
  ].join(' ');
  return remembered(message.ts, signature, () =>
    message.deleted ? deletedRow(message, replies, view) : wholeRow(message, joined, replies, unreadReplies, container, view),
  );
}

function deletedRow(message, replies, view) {
  return h(
    'div',
    { class: 'message message-deleted', 'data-ts': message.ts },
    h('div', { class: 'message-side' }, h('span', { class: 'avatar avatar-large avatar-gone' }, icon('close'))),
    h(
      'div',
      { class: 'message-main' },
      h('div', { class: 'text' }, 'This message was deleted.'),
      threadLink(message, replies, false, view),
    ),
  );
}

function wholeRow(message, joined, replies, unreadReplies, container, view) {
  const { place } = view;
  const author = authorOf(message, place);
  const moment = momentOf(message.ts);
  const surface = makeSurface({ container, place });
  return h(
    'div',
    {
      class: classes(
        'message',
        joined && 'message-joined',
        message.ephemeral_to && 'message-private',
        view.openTs === message.ts && 'message-open',
      ),
      'data-ts': message.ts,
      'data-thread-ts': message.thread_ts || undefined,
      'data-author': message.user_name,
      'data-ephemeral': message.ephemeral_to ? 'true' : undefined,
      tabindex: -1,
      role: 'article',
      'aria-label': `${author.name} at ${clockTime(moment, place.zone)}`,
    },
    h('div', { class: 'message-side' }, joined ? timeOf(moment, place, 'message-time-side') : avatar(author.user, 'large')),
    h(
      'div',
      { class: 'message-main' },
      message.ephemeral_to && h('div', { key: 'private', class: 'private-mark' }, icon('eye', 15), 'Only visible to you'),
      !joined &&
        h(
          'div',
          { key: 'head', class: 'message-head' },
          h('span', { class: 'message-author' }, author.name),
          author.bot && h('span', { class: 'app-mark' }, 'App'),
          timeOf(moment, place, 'message-time'),
        ),
      content(message, surface, place),
      reactions(message, view),
      threadLink(message, replies, unreadReplies, view),
    ),
    toolbar(message, view),
  );
}

function timeOf(moment, place, name) {
  const words = clockTime(moment, place.zone);
  return h(
    'time',
    { class: name, datetime: moment.toISOString(), title: fullTime(moment, place.zone) },
    name === 'message-time-side' ? words.replace(/ [AP]M$/, '') : words,
  );
}

function content(message, surface, place) {
  const blocks = message.blocks || [];
  const edited = message.edited && h('span', { class: 'edited' }, '(edited)');
  return h(
    'div',
    { key: 'content', class: 'message-content' },
    blocks.length > 0 && drawBlocks(blocks, surface),
    blocks.length === 0 &&
      message.text &&
      h('div', { class: classes('text', isOnlyEmoji(message.text) && 'text-large') }, mrkdwn(message.text, place)),
    attachments(message.attachments, surface),
    files(message),
    edited,
  );
}

// kindOf says what sort of file this is: by its name, as Slack does, else by its type, which comes a moment later.
function kindOf(file) {
  const [, ending] = /\.([^.]+)$/.exec(file.name || '') || [];
  return ending ? `${ending.toUpperCase()} file` : file.mimetype || 'being processed';
}

function files(message) {
  // The workspace lists the files of image blocks too; those are in the picture already.
  const inBlocks = JSON.stringify(message.blocks || []);
  const list = (message.files || []).filter((file) => !inBlocks.includes(`"${file.id}"`));
  return (
    list.length > 0 &&
    h(
      'div',
      { class: 'files' },
      list.map((file) => {
        const address = `/shown/${encodeURIComponent(file.id)}`;
        if ((file.mimetype || '').startsWith('image/'))
          return h(
            'div',
            { class: 'image', key: file.id },
            h('div', { class: 'image-title' }, file.title || file.name || ''),
            picture(address, file.alt, file.title || file.name, 'picture-large'),
          );
        return h(
          'a',
          { class: 'file-card', key: file.id, href: address, target: '_blank', rel: 'noopener noreferrer' },
          h('span', { class: 'file-icon' }, icon('file', 22)),
          h(
            'span',
            { class: 'file-words' },
            h('b', null, file.title || file.name || file.id),
            h('span', null, kindOf(file)),
          ),
        );
      }),
    )
  );
}

function reactions(message, view) {
  const list = message.reactions || [];
  if (list.length === 0) return false;
  return h(
    'div',
    { class: 'reactions' },
    list.map((reaction) => {
      const mine = reaction.users.includes(view.place.viewer);
      const names = reaction.users.map((id) => (view.place.user(id) || { shown: id }).shown).join(', ');
      const character = emoji(reaction.name);
      return h(
        'button',
        {
          key: reaction.name,
          type: 'button',
          class: classes('reaction', mine && 'reaction-mine'),
          'data-reaction': reaction.name,
          'aria-pressed': mine ? 'true' : 'false',
          title: `${names} reacted with :${reaction.name}:`,
          'aria-label': `${reaction.name}, ${reaction.users.length}`,
          onclick: () => view.react(message.ts, reaction.name, !mine),
        },
        character ? emojiNode(reaction.name, character) : `:${reaction.name}:`,
        h('span', { class: 'reaction-count' }, String(reaction.users.length)),
      );
    }),
    h(
      'button',
      {
        type: 'button',
        class: 'reaction reaction-add',
        'aria-label': 'Add a reaction',
        onclick: (event) => pickReaction(event.currentTarget, message, view),
      },
      icon('smile', 16),
    ),
  );
}

function pickReaction(anchor, message, view) {
  openMenu(anchor, PICKER, { grid: true, narrow: true, title: 'Reactions' }, (name) => view.react(message.ts, name, true));
}

function threadLink(message, replies, unread, view) {
  if (replies.length === 0) return false;
  const { place } = view;
  const people = [...new Map(replies.map((reply) => [reply.user, authorOf(reply, place)])).values()].slice(0, 4);
  const last = replies[replies.length - 1];
  return h(
    'button',
    {
      type: 'button',
      class: classes('thread-link', unread && 'thread-link-unread'),
      'data-testid': 'replies',
      onclick: () => view.openThread(message.ts),
    },
    h(
      'span',
      { class: 'thread-people' },
      people.map((author) => avatar(author.user, 'medium')),
    ),
    h('span', { class: 'thread-count' }, `${replies.length} ${replies.length === 1 ? 'reply' : 'replies'}`),
    h('span', { class: 'thread-last' }, `Last reply ${lastReply(momentOf(last.ts), place.zone, place.now())}`),
    h('span', { class: 'thread-view' }, 'View thread'),
  );
}

function toolbar(message, view) {
  if (message.ephemeral_to || message.deleted) return false;
  const shortcuts = view.place.info.shortcuts.filter((shortcut) => shortcut.type === 'message');
  const quick = (name) =>
    tool(`React with ${name.replace(/_/g, ' ')}`, emojiNode(name, emoji(name)), () => view.react(message.ts, name, true));
  return h(
    'div',
    { class: 'toolbar', role: 'toolbar', 'aria-label': 'Message actions' },
    quick('white_check_mark'),
    quick('eyes'),
    tool('Add a reaction', icon('smile'), (button) => pickReaction(button, message, view)),
    !view.thread && tool('Reply in thread', icon('thread'), () => view.openThread(message.thread_ts || message.ts), 'reply'),
    shortcuts.length > 0 &&
      tool('More actions', icon('more'), (button) => pickShortcut(button, shortcuts, message, view), 'message-actions'),
  );
}

function tool(label, mark, act, testid) {
  const click = (event) => act(event.currentTarget);
  return h('button', { type: 'button', class: 'tool', 'aria-label': label, title: label, 'data-testid': testid, onclick: click }, mark);
}

function pickShortcut(anchor, shortcuts, message, view) {
  const app = view.place.info.bot.name;
  const items = shortcuts.map((one) => ({ value: one.callback_id, label: one.name, words: one.name, description: app }));
  openMenu(anchor, items, { title: 'More actions' }, (callback) =>
    view.shortcut(
      message,
      shortcuts.find((one) => one.callback_id === callback),
    ),
  );
}
