// The frame around the conversation: who one is, and where one can go.

import { openAdmin } from './admin.js';
import { classes, h } from './dom.js';
import { botMark, icon } from './icons.js';
import { avatar } from './place.js';
import { nextTheme, theme } from './theme.js';
import { waiting } from './unread.js';

/** The bar at the top: the workspace, the user switcher, the theme. go(change) moves on; redraw() draws again. */
export function topBar(workspace, place, go, redraw) {
  const { info } = workspace;
  return h(
    'header',
    { class: 'top' },
    h(
      'div',
      { class: 'top-name' },
      h('span', { class: 'top-mark', 'aria-hidden': 'true' }, (info.workspace.name || 'W').charAt(0).toUpperCase()),
      h('span', { class: 'top-words' }, info.workspace.name),
    ),
    h(
      'div',
      { class: 'switcher', role: 'radiogroup', 'aria-label': 'You are' },
      h('span', { class: 'switcher-title', 'aria-hidden': 'true' }, 'You are'),
      workspace.people().map((user) => switchButton(workspace, place, user, go)),
    ),
    h(
      'button',
      {
        type: 'button',
        class: 'top-button',
        'data-testid': 'admin-open',
        title: 'Workspace: channels, people, faults',
        'aria-label': 'Workspace: channels, people, faults',
        onclick: () => openAdmin(place.viewer).catch(() => {}),
      },
      icon('people'),
    ),
    h(
      'button',
      {
        type: 'button',
        class: 'top-button',
        'data-testid': 'theme',
        title: `Theme: ${theme()}`,
        'aria-label': `Theme: ${theme()}`,
        onclick: () => {
          nextTheme();
          redraw();
        },
      },
      icon({ auto: 'auto', light: 'sun', dark: 'moon' }[theme()]),
    ),
  );
}

function switchButton(workspace, place, user, go) {
  const me = user.id === place.viewer;
  let mentions = 0;
  if (!me)
    for (const channel of workspace.channels.values())
      if (visibleTo(channel, user.id)) mentions += waiting(workspace, user, channel).mentions;
  return h(
    'button',
    {
      key: user.id,
      type: 'button',
      class: classes('switch', me && 'switch-me'),
      role: 'radio',
      'aria-checked': me ? 'true' : 'false',
      'data-user': user.name,
      'data-user-id': user.id,
      title: me ? `You are ${user.real_name || user.name}` : `Be ${user.real_name || user.name}`,
      onclick: () => go({ user: user.name }),
    },
    avatar(place.user(user.id), 'small'),
    h('span', { class: 'switch-words' }, user.name),
    mentions > 0 && h('span', { class: 'badge', 'aria-label': `${mentions} waiting` }, String(Math.min(mentions, 99))),
  );
}

/** Whether a user sees a channel in the sidebar. */
function visibleTo(channel, userId) {
  return !channel.archived && channel.members.includes(userId);
}

/** The places of a user in the order of the sidebar: their channels, then the app. */
export function placesOf(workspace, userId) {
  const mine = [...workspace.channels.values()].filter((channel) => visibleTo(channel, userId));
  return [...mine.filter((channel) => !channel.dm).sort((a, b) => a.name.localeCompare(b.name)), ...mine.filter((channel) => channel.dm)];
}

/** Public channels that a user could look into without being a member. */
function othersOf(workspace, userId) {
  return [...workspace.channels.values()]
    .filter((channel) => !channel.dm && !channel.private && !channel.archived && !channel.members.includes(userId))
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** The sidebar. where: {channel, tab}. */
export function sidebar(workspace, place, where, go) {
  const user = place.user(place.viewer);
  const places = placesOf(workspace, place.viewer);
  const others = othersOf(workspace, place.viewer);
  return h(
    'nav',
    { class: 'side', 'aria-label': 'Channels and apps' },
    h(
      'div',
      { class: 'side-scroll' },
      h('h2', { class: 'side-title' }, 'Channels'),
      places.filter((channel) => !channel.dm).map((channel) => entry(workspace, user, channel, where, go)),
      others.length > 0 && h('h2', { class: 'side-title' }, 'Not joined'),
      others.map((channel) => entry(workspace, user, channel, where, go, true)),
      h('h2', { class: 'side-title' }, 'Apps'),
      places.filter((channel) => channel.dm).map((channel) => appEntry(workspace, user, channel, where, go)),
    ),
    h(
      'div',
      { class: 'side-foot' },
      avatar(user, 'medium'),
      h('div', { class: 'side-foot-words' }, h('b', null, user.title), h('span', null, `@${user.name}${user.admin ? ', admin' : ''}`)),
    ),
  );
}

function entry(workspace, user, channel, where, go, outside = false) {
  const here = where.channel === channel;
  const news = outside ? { unread: false, mentions: 0 } : waiting(workspace, user, channel);
  return h(
    'button',
    {
      key: channel.id,
      type: 'button',
      class: classes(
        'place',
        here && 'place-here',
        outside && 'place-outside',
        !here && (news.unread || news.mentions > 0) && 'place-news',
      ),
      'data-channel': channel.name,
      'data-channel-id': channel.id,
      'aria-current': here ? 'page' : undefined,
      onclick: () => go({ channel: channel.name }),
    },
    icon(channel.private ? 'lock' : 'hash', 16),
    h('span', { class: 'place-name' }, channel.name),
    badge(news.mentions),
  );
}

function appEntry(workspace, user, channel, where, go) {
  const here = where.channel === channel;
  const news = waiting(workspace, user, channel);
  return h(
    'button',
    {
      key: channel.id,
      type: 'button',
      class: classes('place', here && 'place-here', !here && news.mentions > 0 && 'place-news'),
      'data-channel': channel.name,
      'aria-current': here ? 'page' : undefined,
      onclick: () => go({ channel: channel.name, tab: here || news.mentions > 0 ? 'messages' : 'home' }),
    },
    h('span', { class: 'place-app' }, botMark(20), h('span', { class: classes('presence', workspace.botReady && 'presence-on') })),
    h('span', { class: 'place-name' }, workspace.info.bot.name),
    !workspace.botReady && h('span', { class: 'place-note' }, 'offline'),
    badge(news.mentions),
  );
}

function badge(count) {
  return count > 0 && h('span', { class: 'badge', 'aria-label': `${count} waiting` }, String(Math.min(count, 99)));
}
