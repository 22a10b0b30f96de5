// What a person does in a conversation: say something, run a command or a shortcut, react, join. page is described in panes.js.
//
// What the workspace refuses is shown where it was tried, as a note from Slackbot that nobody else sees.

import { tell } from './api.js';
import { listKey } from './scroll.js';

/** Sends what was written: a command if it begins with a slash, else a message. A message that is refused rejects. */
export async function send(page, thread, text, files) {
  if (text.startsWith('/') && files.length === 0) return command(page, thread, text);
  const encoded = files.length ? await Promise.all(files.map(encodeFile)) : undefined;
  await tell('message', { ...here(page), thread_ts: thread || undefined, text, files: encoded });
}

function here(page) {
  return { user: page.place.viewer, channel: page.channel.id };
}

function note(page, thread, words) {
  page.note(listKey(page.place.viewer, page.channel, thread), words);
}

/** A chosen file as the control API takes it. */
export async function encodeFile(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return { name: file.name, content_base64: btoa(binary) };
}

async function command(page, thread, text) {
  const [, name, rest] = /^(\/\S*)\s*([\s\S]*)$/.exec(text);
  if (thread) return note(page, thread, `${name} is not supported in threads. Sorry!`);
  try {
    await tell('command', { ...here(page), command: name, text: rest });
  } catch (error) {
    // That the app did not answer is said by the workspace itself, as a message.
    if (['dispatch_failed', 'operation_timeout'].includes(error.code)) return;
    const unknown = `${name} is not a valid command. In Slack, all messages that start with the "/" character are interpreted as commands.`;
    note(page, thread, error.code === 'unknown_command' ? unknown : `${name} failed with the error "${error.message}"`);
  }
}

/** Adds a reaction or takes it away. */
export async function react(page, thread, ts, name, on) {
  try {
    await tell('reaction', { ...here(page), ts, name, remove: !on });
  } catch (error) {
    // Somebody clicked twice: it is as they wanted it.
    if (!['already_reacted', 'no_reaction'].includes(error.code)) note(page, thread, `The reaction was refused: ${error.message}`);
  }
}

/** Uses a shortcut of the app, on a message or, with null, on none. */
export async function runShortcut(page, thread, message, shortcut) {
  try {
    await tell('shortcut', { ...here(page), message_ts: message ? message.ts : undefined, callback_id: shortcut.callback_id });
  } catch (error) {
    note(page, thread, `${shortcut.name} failed with the error "${error.message}"`);
  }
}

/** Joins the channel. */
export async function join(page) {
  try {
    await tell('join', here(page));
  } catch (error) {
    note(page, null, `You could not join: ${error.message}`);
  }
}
