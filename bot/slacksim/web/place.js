// Names and marks of the people, channels and groups of the workspace, as one viewer sees them.

import { h } from './dom.js';
import { botMark } from './icons.js';
import { zoneOf } from './dates.js';

const COLOURS = 8;

/**
 * Makes the Place from which texts and blocks are drawn.
 *
 * info is what /control/info answered and version counts those answers; viewer is a user id; clock gives the workspace's time;
 * linkTo(channel) gives an address.
 */
export function makePlace(info, version, viewer, clock, linkTo) {
  const users = new Map(info.users.map((user, position) => [user.id, describe(user, position)]));
  const app = { ...info.app, shown: info.bot.name, title: `${info.bot.name} (app)`, bot: true };
  users.set(app.id, app);
  users.set(info.bot.bot_id, app);
  const channels = new Map(info.channels.map((channel) => [channel.id, channel]));
  const groups = new Map(info.groups.map((group) => [group.id, group]));
  return {
    viewer,
    version,
    info,
    zone: zoneOf(users.get(viewer)),
    now: clock,
    linkTo,
    user: (id) => users.get(id) || null,
    channel: (id) => channels.get(id) || null,
    group: (id) => groups.get(id) || null,
  };
}

/** A user with what the page adds: the name to show, a longer one for tooltips, and a colour that neighbours do not share. */
function describe(user, position) {
  return { ...user, shown: user.display_name || user.real_name || user.name, title: user.real_name || user.name, tint: position % COLOURS };
}

/** The author of a message as {name, user, bot}. */
export function authorOf(message, place) {
  const user = place.user(message.user);
  if (user) return { name: user.shown, user, bot: Boolean(user.bot) };
  return { name: message.user_name === 'slackbot' ? 'Slackbot' : message.user_name || message.user, user: null, bot: message.bot };
}

/** A square with initials on the person's own colour, or the app's mark. It is decoration: the name stands beside it. */
export function avatar(user, size) {
  if (user && user.bot) return h('span', { class: `avatar avatar-${size}`, 'aria-hidden': 'true' }, botMark(SIZES[size]));
  const tint = user ? `tint-${user.tint ?? 0}` : 'tint-none';
  return h('span', { class: `avatar avatar-${size} ${tint}`, 'aria-hidden': 'true' }, initials(user ? user.shown : 'S'));
}

// Pixels of a side, as in style.css.
const SIZES = { large: 36, medium: 24, small: 20 };

function initials(name) {
  const words = name
    .trim()
    .split(/[\s._-]+/)
    .filter(Boolean);
  const chosen = words.length > 1 ? [words[0], words[words.length - 1]] : [words[0] || '?'];
  return chosen
    .map((word) => [...word][0])
    .join('')
    .toUpperCase();
}
