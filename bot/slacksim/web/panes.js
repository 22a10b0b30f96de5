// The channel in the middle and the thread at its right.

import { conversation } from './conversation.js';
import { classes, h } from './dom.js';
import { botMark, icon } from './icons.js';
import { homeTab } from './views.js';

/**
 * The pane of the current channel. page: {workspace, place, channel, tab, thread, unreadAfter, notes: what Slackbot says, go(change),
 * redraw(), note(key, words), dismiss(which)}.
 */
export function channelPane(page) {
  const { channel } = page;
  return h(
    'main',
    { class: 'pane', 'data-testid': 'channel', 'data-channel-open': channel.name },
    channel.dm ? appHead(page) : channelHead(page),
    channel.dm && page.tab === 'home'
      ? h('div', { class: 'pane-scroll', key: `home ${page.place.viewer}`, tabindex: 0 }, homeTab(page.workspace.home, page.place))
      : conversation(page, null),
  );
}

function channelHead({ channel, place }) {
  const members = channel.members.filter((id) => place.user(id));
  return h(
    'div',
    { class: 'pane-head' },
    h('h1', { class: 'pane-title' }, icon(channel.private ? 'lock' : 'hash', 20), channel.name),
    h('span', { class: 'pane-topic' }, channel.topic),
    h(
      'span',
      { class: 'pane-members', title: members.map((id) => place.user(id).shown).join(', ') },
      icon('people', 16),
      String(members.length),
    ),
  );
}

function appHead({ workspace, tab, go, channel }) {
  const one = (name, words) =>
    h(
      'button',
      {
        type: 'button',
        role: 'tab',
        class: classes('tab', tab === name && 'tab-here'),
        'aria-selected': tab === name ? 'true' : 'false',
        'data-tab': name,
        onclick: () => go({ channel: channel.name, tab: name }),
      },
      words,
    );
  return h(
    'div',
    { class: 'pane-head pane-head-app' },
    h(
      'h1',
      { class: 'pane-title' },
      h('span', { class: 'pane-mark' }, botMark(24)),
      workspace.info.bot.name,
      h('span', { class: 'app-mark' }, 'App'),
      !workspace.botReady && h('span', { class: 'pane-offline' }, 'not connected'),
    ),
    h('div', { class: 'tabs', role: 'tablist' }, one('home', 'Home'), one('messages', 'Messages')),
  );
}

/** The thread beside the channel. */
export function threadPane(page) {
  const { channel, thread, go } = page;
  return h(
    'aside',
    { class: 'pane thread', 'data-testid': 'thread', 'data-thread': thread, 'aria-label': 'Thread', key: `thread ${thread}` },
    h(
      'div',
      { class: 'pane-head' },
      h('h2', { class: 'pane-title' }, 'Thread'),
      h('span', { class: 'pane-topic' }, channel.dm ? page.workspace.info.bot.name : `#${channel.name}`),
      h(
        'button',
        {
          type: 'button',
          class: 'plain-button',
          'aria-label': 'Close the thread',
          'data-testid': 'thread-close',
          onclick: () => go({ thread: null }),
        },
        icon('close', 20),
      ),
    ),
    conversation(page, thread),
  );
}
