// The page of the small Slack: keeps where one is, draws it, and follows the workspace.
//
// Where to look: workspace.js reads and follows the control API; panes.js and sidebar.js are the frame; messages.js, blocks.js and
// controls.js draw what apps send; views.js the modals and the Home tab; surface.js clicks; dom.js how anything gets on the screen.
//
// A link to a message (/archives/...) opens its thread. The address after # is the whole state of the page: #user/channel, #user/channel/thread, #user/@app, #user/@app/home.

import { tell } from './api.js';
import { closeDialog } from './dialogs.js';
import { onComposerChange } from './composer.js';
import { draw, h } from './dom.js';
import { spinner } from './icons.js';
import { closeMenu } from './menu.js';
import { channelPane, threadPane } from './panes.js';
import { makePlace } from './place.js';
import { atEnd, listKey } from './scroll.js';
import { placesOf, sidebar, topBar } from './sidebar.js';
import { onSurfaceChange } from './surface.js';
import { beginReading, markRead, readUntil, waiting } from './unread.js';
import { dismissModal, drawModal, modalOpen } from './views.js';
import { isReply, Workspace } from './workspace.js';

const app = document.getElementById('app');
const workspace = new Workspace(redraw);
const where = { channel: null, tab: 'messages', thread: null, unreadAfter: null };
let place = null;
let notes = [];
let noteCount = 0;
let waitingToDraw = false;

// --- where one is ---

/** The address of a place: {user: a name, channel: a name, thread, tab}. */
function addressOf({ user, channel, thread, tab }) {
  const parts = [user, channel, tab === 'home' ? 'home' : thread].filter(Boolean);
  return `#${parts.map((part) => encodeURIComponent(part).replace(/%40/g, '@')).join('/')}`;
}

function readAddress() {
  const link = /^\/archives\/([^/]+)\/p(\d+)(\d{6})$/.exec(location.pathname); // a link to a message
  if (link && !location.hash) {
    const thread = new URLSearchParams(location.search).get('thread_ts') || `${link[2]}.${link[3]}`;
    return { channel: workspace.channels.get(link[1])?.name, tab: 'messages', thread };
  }
  const [user, channel, third] = location.hash.slice(1).split('/').map(decodeURIComponent);
  return { user, channel, tab: third === 'home' ? 'home' : 'messages', thread: third && third !== 'home' ? third : null };
}

function viewerName() {
  return place.user(place.viewer).name;
}

/** Moves on to another user, channel, tab or thread; what is not named stays where it makes sense. */
function go(change) {
  const next = { user: viewerName(), channel: where.channel.name, tab: where.tab, thread: where.thread, ...change };
  if (change.user && where.channel.dm) next.thread = null;
  if (change.channel) Object.assign(next, { thread: null, tab: change.tab || 'messages' });
  const before = location.hash;
  const address = addressOf(next);
  if (address !== before) history.pushState(null, '', address);
  arrive();
  focusAfter(change);
}

// focusAfter puts the caret where one goes on: into the thread just opened or the channel just entered.
function focusAfter(change) {
  render();
  if (change.user) return;
  const target = change.thread ? 'thread-composer' : 'composer';
  const area = document.querySelector(`[data-testid="${target}"]`);
  if (area && (change.thread || change.channel || 'thread' in change)) area.focus({ preventScroll: true });
}

// arrive makes the address true, as far as the user may go there, and corrects it where not. Apps learn that they were looked at.
function arrive() {
  const wanted = readAddress();
  const people = workspace.people();
  const user = people.find((one) => one.name === wanted.user) || people[0];
  if (workspace.viewer !== user.id) becomeUser(user);
  const places = placesOf(workspace, user.id);
  const open = [...workspace.channels.values()].filter((channel) => !channel.dm && !channel.private);
  const channel =
    [...places, ...open].find((one) => one.name === wanted.channel) || places.find((one) => one.name === 'general') || places[0];
  const tab = channel.dm ? wanted.tab : 'messages';
  const moved = channel !== where.channel || user.id !== where.user;
  if (moved) enter(user, channel);
  if (channel.dm && (moved || tab !== where.tab)) tell(tab === 'home' ? 'open_home' : 'open_dm', { user: user.id }).catch(() => {});
  where.tab = tab;
  where.thread = where.tab === 'messages' && channel.name === wanted.channel && channel.messages.has(wanted.thread) ? wanted.thread : null;
  const address = addressOf({ user: user.name, channel: channel.name, tab: where.tab, thread: where.thread });
  if (address !== location.hash) history.replaceState(null, '', address);
  redraw();
}

function becomeUser(user) {
  workspace.viewer = user.id;
  workspace.views = [];
  workspace.home = null;
  place = null;
  workspace.readViewer().catch(() => {});
}

function enter(user, channel) {
  where.user = user.id;
  where.channel = channel;
  where.unreadAfter = waiting(workspace, user, channel).unread ? readUntil(user.id, channel, null) : null;
}

// --- drawing ---

/** Draws soon, once for any number of changes. */
function redraw() {
  if (waitingToDraw || !workspace.viewer) return;
  waitingToDraw = true;
  queueMicrotask(render);
}

function render() {
  waitingToDraw = false;
  if (!place || place.version !== workspace.infoVersion) {
    place = makePlace(
      workspace.info,
      workspace.infoVersion,
      workspace.viewer,
      () => workspace.now(),
      (channel) => addressOf({ user: viewerName(), channel: channel.name }),
    );
  }
  if (where.thread && !where.channel.messages.has(where.thread)) where.thread = null; // the workspace was emptied
  noteReading();
  const page = {
    workspace,
    place,
    ...where,
    go,
    redraw,
    notes,
    note: (key, words) => {
      notes.push({ id: ++noteCount, key, words });
      redraw();
    },
    dismiss: (drop) => {
      notes = notes.filter((one) => !drop(one));
      redraw();
    },
  };
  draw(app, [
    topBar(workspace, place, go, redraw),
    !workspace.reachable &&
      h('div', { key: 'banner', class: 'banner', role: 'status' }, spinner(14), 'The workspace does not answer. Trying again…'),
    h(
      'div',
      { key: 'body', class: where.thread ? 'body body-thread' : 'body' },
      sidebar(workspace, place, where, go),
      channelPane(page),
      where.thread && threadPane(page),
    ),
  ]);
  drawModal(workspace.views, place, { redraw, reload: () => workspace.readViewer().catch(() => {}) });
  document.title = `${where.channel.dm ? workspace.info.bot.name : `#${where.channel.name}`} - ${viewerName()} - ${workspace.info.workspace.name}`;
}

// noteReading takes what is on the screen as read.
function noteReading() {
  if (document.visibilityState === 'hidden') return;
  const { channel, thread, tab } = where;
  if (tab === 'home') return;
  const latest = (list) => (list.length ? list[list.length - 1].ts : null);
  const all = workspace.messages(channel, place.viewer);
  if (atEnd(listKey(place.viewer, channel, null)))
    markRead(place.viewer, channel, null, latest(all.filter((message) => !isReply(message))));
  if (thread) markRead(place.viewer, channel, thread, latest(all.filter((message) => message.thread_ts === thread)));
}

// --- the keyboard ---

addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !event.defaultPrevented) {
    if (closeMenu() || closeDialog() || dismissModal()) event.preventDefault();
    else if (where.thread) go({ thread: null });
  }
  if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown') && place && !modalOpen()) {
    event.preventDefault();
    const places = placesOf(workspace, place.viewer);
    const at = places.indexOf(where.channel);
    go({ channel: places[(at + (event.key === 'ArrowDown' ? 1 : -1) + places.length) % places.length].name });
  }
});

// --- the beginning ---

async function begin() {
  draw(app, h('div', { class: 'boot' }, spinner(28), h('p', null, 'Opening the workspace…')));
  for (;;) {
    try {
      await workspace.open();
      break;
    } catch (error) {
      draw(
        app,
        h(
          'div',
          { class: 'boot', role: 'alert' },
          spinner(28),
          h('p', null, 'The workspace does not answer yet.'),
          h('p', { class: 'boot-reason' }, error.message),
        ),
      );
      await new Promise((resolve) => {
        setTimeout(resolve, 1000);
      });
    }
  }
  beginReading(workspace);
  arrive();
  app.dataset.ready = 'true'; // for tests: from here on the page shows the workspace
  addEventListener('hashchange', arrive);
  addEventListener('popstate', arrive);
  document.addEventListener('visibilitychange', redraw);
  setInterval(redraw, 30_000); // "5 minutes ago" grows old by itself
  workspace.follow();
}

onComposerChange(redraw);
onSurfaceChange(redraw);
begin();
