// What an admin of the workspace does, and what goes wrong in it: channels are archived, the app is removed and invited, accounts are
// deactivated, and a share of all calls and deliveries fails.

import { ask, tell } from './api.js';
import { closeDialog, showPanel } from './dialogs.js';
import { h } from './dom.js';
import { icon } from './icons.js';

/** Opens the panel. */
export async function openAdmin(viewer) {
  let world = await readWorld();
  const act = (path, body) => async () => {
    let refused = '';
    try {
      await tell(path, body);
      world = await readWorld();
    } catch (error) {
      refused = error.message;
    }
    redraw(panel(world, viewer, act, refused), refused ? '[data-testid="admin-refused"]' : FIRST);
  };
  const redraw = showPanel(panel(world, viewer, act, ''), FIRST);
}

const FIRST = '.dialog .plain-button';

async function readWorld() {
  const [info, faults] = await Promise.all([ask('info'), ask('plan')]);
  return { info, faults };
}

function panel({ info, faults }, viewer, act, refused) {
  return h(
    'div',
    { class: 'dialog admin', role: 'dialog', 'aria-modal': 'true', 'aria-labelledby': 'admin-title', 'data-testid': 'admin' },
    h(
      'div',
      { class: 'dialog-head' },
      h('h2', { id: 'admin-title', class: 'dialog-title' }, 'Workspace'),
      h('button', { type: 'button', class: 'plain-button', 'aria-label': 'Close', onclick: closeDialog }, icon('close')),
    ),
    h(
      'div',
      { class: 'dialog-body' },
      refused && h('p', { class: 'admin-refused', role: 'alert', 'data-testid': 'admin-refused', tabindex: '-1' }, refused),
      h('h3', { class: 'admin-title' }, 'Channels'),
      info.channels.filter((channel) => !channel.dm).map((channel) => channelRow(channel, info, viewer, act)),
      h('h3', { class: 'admin-title' }, 'People'),
      info.users.filter((user) => !user.bot).map((user) => personRow(user, act)),
      h('h3', { class: 'admin-title' }, 'What goes wrong'),
      faultForm(faults, act),
    ),
  );
}

function channelRow(channel, info, viewer, act) {
  const inside = channel.members.includes(info.bot.user);
  const mine = channel.members.includes(viewer);
  return row(
    `#${channel.name}`,
    channel.archived ? 'archived' : inside ? '' : `without ${info.bot.name}`,
    mine && button(channel.archived ? 'Unarchive' : 'Archive', act('archive', { user: viewer, channel: channel.id, undo: channel.archived })),
    button(inside ? `Remove ${info.bot.name}` : `Invite ${info.bot.name}`, act(inside ? 'leave' : 'join', { user: info.bot.user, channel: channel.id })),
  );
}

function personRow(user, act) {
  return row(
    `@${user.name}`,
    [user.admin && 'admin', user.deleted && 'deactivated'].filter(Boolean).join(', '),
    button(user.admin ? 'No admin' : 'Make admin', act('user', { user: user.id, admin: !user.admin })),
    button(user.deleted ? 'Reactivate' : 'Deactivate', act('user', { user: user.id, deleted: !user.deleted })),
  );
}

function row(name, note, ...buttons) {
  return h(
    'div',
    { class: 'admin-row', key: name },
    h('span', { class: 'admin-name' }, h('b', null, name), note && h('span', { class: 'admin-note' }, ` ${note}`)),
    h('span', { class: 'admin-buttons' }, buttons.filter(Boolean)),
  );
}

function button(words, onclick) {
  return h('button', { type: 'button', class: 'button', onclick }, words);
}

const EXAMPLE = '429=10,5xx=5,drop=2,duplicate=10,late=10,seed=7';

function faultForm(faults, act) {
  let plan = faults.plan || '';
  let limits = String(faults.limits || 0);
  const struck = Object.entries(faults.struck || {}).map(([kind, count]) => `${kind}: ${count}`);
  const field = (label, value, placeholder, oninput) =>
    h('label', { class: 'admin-field' }, h('span', null, label), h('input', { class: 'field', type: 'text', value, placeholder, autocomplete: 'off', oninput }));
  return h(
    'div',
    { class: 'admin-faults' },
    field('Percent of calls and deliveries', plan, EXAMPLE, (event) => (plan = event.target.value)),
    h('div', { class: 'admin-buttons' }, button('Apply', () => act('plan', { plan })()), button('Nothing goes wrong', act('heal', {}))),
    struck.length > 0 && h('p', { class: 'admin-note' }, `So far ${struck.join(', ')}`),
    field('Times Slack’s rate limits (0 = none)', limits, '1', (event) => (limits = event.target.value)),
    h('div', { class: 'admin-buttons' }, button('Set limits', () => act('limits', { times: Number(limits) })())),
  );
}
