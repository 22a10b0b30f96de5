// The workspace as far as this page has read it: people, channels, messages, views. It follows /control/events and reads again what
// has changed; it draws nothing.

import { ask } from './api.js';
import { forget } from './surface.js';

// A page that is looked at waits for changes with an open request. One that is not asks now and then instead: browsers allow
// few requests at a time to one address, and with a window per person the hidden ones would use them up.
const WAIT = '25s';
const HIDDEN_MS = 1500;
const RETRY_MS = 1000;

/**
 * The workspace. Its channels are {id, wire: the id in events, name, dm, private, members, topic, messages: by ts, status: what the
 * app is doing, by thread; inOrder and byUser: the messages in order, of everybody and as each user sees them}.
 */
export class Workspace {
  /** changed() is called whenever something that can be seen is different. */
  constructor(changed) {
    this.changed = changed;
    this.info = null;
    this.infoVersion = 0;
    this.channels = new Map(); // by id
    this.views = [];
    this.home = null;
    this.viewer = null; // user id
    this.reachable = true;
    this.botReady = false;
    this.seq = 0;
    this.versions = 0;
    this.skew = 0; // how far the workspace's clock is ahead, in ms
  }

  /** Reads everything. */
  async open() {
    const info = await this.readInfo();
    await Promise.all([...this.channels.values()].map((channel) => this.readChannel(channel)));
    this.seq = info.seq;
  }

  /** Follows changes for as long as the page is open. */
  async follow() {
    for (;;) {
      const hidden = document.visibilityState === 'hidden';
      try {
        if (!this.reachable) await this.again();
        await this.take(await ask('events', { after: this.seq, wait: hidden ? undefined : WAIT }));
        if (hidden) await pause(HIDDEN_MS);
      } catch (error) {
        if (this.reachable) console.warn('the workspace cannot be followed:', error);
        this.setReachable(false);
        await pause(RETRY_MS);
      }
    }
  }

  // again reads everything from the start: the workspace was away, was emptied, or went on without this page.
  async again() {
    for (const channel of this.channels.values()) this.empty(channel);
    await this.open();
    await this.readViewer();
    this.setReachable(true);
    this.changed();
  }

  async take(answer) {
    const kinds = new Set(answer.events.map((event) => event.kind));
    if (answer.resync || kinds.has('reset')) return this.again();
    if (
      ['channel', 'clock', 'socket', 'user', 'group'].some((kind) => kinds.has(kind)) ||
      answer.events.some((event) => event.channel && !this.channel(event.channel))
    )
      await this.readInfo();
    for (const event of answer.events) this.apply(event);
    const reads = [];
    if (kinds.has('file')) reads.push(...[...this.channels.values()].map((channel) => this.readChannel(channel)));
    if (answer.events.some((event) => event.kind === 'view' && event.user === this.viewer)) reads.push(this.readViewer());
    await Promise.all(reads);
    this.seq = answer.seq;
    if (answer.events.length > 0) this.changed();
  }

  apply(event) {
    const channel = event.channel && this.channel(event.channel);
    if (!channel) return;
    if (event.kind === 'message' && event.message) this.keep(channel, event.message);
    if (event.kind === 'status') channel.status[event.ts] = event.status;
  }

  async readInfo() {
    const info = await ask('info');
    this.info = {
      ...info,
      app: info.users.find((user) => user.id === info.bot.user) || { id: info.bot.user, name: info.bot.name, bot: true },
    };
    this.infoVersion++;
    this.skew = info.offset_ms || 0;
    this.botReady = info.ready;
    for (const user of this.people()) {
      const dm = info.channels.find((channel) => channel.dm && channel.members.includes(user.id));
      this.meet({ id: `@${user.name}`, wire: dm && dm.id, name: `@${this.info.app.name}`, dm: true, members: [user.id] });
    }
    for (const channel of info.channels) if (!channel.dm) this.meet({ ...channel, wire: channel.id });
    return info;
  }

  /** Whom one can be: everybody but apps and deactivated accounts. */
  people() {
    return this.info.users.filter((user) => !user.bot && !user.deleted);
  }

  meet(described) {
    const known = this.channels.get(described.id);
    if (known) Object.assign(known, described);
    else this.channels.set(described.id, this.empty({ ...described }));
  }

  empty(channel) {
    return Object.assign(channel, { messages: new Map(), inOrder: null, byUser: new Map(), status: {} });
  }

  /** The channel of an id as events name it: a direct message with the app is kept under its owner's name. */
  channel(id) {
    return this.channels.get(id) || [...this.channels.values()].find((channel) => channel.wire === id);
  }

  async readChannel(channel) {
    if (!channel.wire) return; // nothing was ever said there
    const answer = await ask('state', { channel: channel.wire });
    channel.status = answer.status || {};
    for (const message of answer.messages) this.keep(channel, message);
  }

  keep(channel, message) {
    const before = channel.messages.get(message.ts);
    if (before && before.seq > message.seq) return; // an older answer came in late
    const { version, ...plain } = before || {};
    if (before && JSON.stringify(plain) === JSON.stringify(message)) return;
    channel.messages.set(message.ts, { ...message, version: ++this.versions });
    if (before && JSON.stringify(before.blocks) !== JSON.stringify(message.blocks)) forget({ channel: channel.id, message_ts: message.ts });
    channel.inOrder = null;
    channel.byUser.clear();
  }

  /** Reads the modals and the Home tab of the viewer. */
  async readViewer() {
    const user = this.viewer;
    if (!user) return;
    const [views, home] = await Promise.all([ask('views', { user }), ask('home', { user })]);
    if (user !== this.viewer) return;
    this.views = views.views;
    this.home = home.view;
    this.changed();
  }

  setReachable(reachable) {
    if (this.reachable === reachable) return;
    this.reachable = reachable;
    this.changed();
  }

  /** The workspace's time, which scripts may move. */
  now() {
    return new Date(Date.now() + this.skew);
  }

  /**
   * All messages of a channel that a user may see, in order; a deleted one stays only while it has replies. The list is the same
   * object until something in the channel changes.
   */
  messages(channel, userId) {
    if (!channel.byUser.has(userId)) {
      channel.inOrder ||= [...channel.messages.values()].sort((a, b) => (a.ts < b.ts ? -1 : 1));
      const answered = new Set(
        channel.inOrder.filter((message) => isReply(message) && !message.deleted).map((message) => message.thread_ts),
      );
      channel.byUser.set(
        userId,
        channel.inOrder.filter(
          (message) => (!message.ephemeral_to || message.ephemeral_to === userId) && (!message.deleted || answered.has(message.ts)),
        ),
      );
    }
    return channel.byUser.get(userId);
  }
}

function pause(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** Whether a message stands in a thread and not in the channel. */
export function isReply(message) {
  return Boolean(message.thread_ts) && message.thread_ts !== message.ts;
}
