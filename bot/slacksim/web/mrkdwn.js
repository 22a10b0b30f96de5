// Slack's own markup (mrkdwn) as elements: bold, italic, strike, code, quotes, lists, links, mentions, dates, emoji.
//
// Every function takes a Place: who looks, at what time, and how ids become names (see place.js). Text that does not parse is
// shown as it was written.

import { h, safeLink } from './dom.js';
import { emoji } from './emoji.js';
import { datePattern } from './dates.js';

const ENTITIES = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** Turns Slack's three escapes back into characters. */
function decode(text) {
  return text.replace(/&(amp|lt|gt);/g, (entity) => ENTITIES[entity]);
}

/** A mrkdwn text as block elements. */
export function mrkdwn(text, place) {
  const parts = String(text ?? '').split(/```\n?/);
  // An odd number of fences leaves the last one unclosed: it is shown as written.
  if (parts.length % 2 === 0) {
    const open = parts.pop();
    parts[parts.length - 1] += '```' + open;
  }
  return parts.flatMap((part, position) => {
    if (position % 2 === 1) return [h('pre', { class: 'code-block' }, h('code', null, codeText(part.replace(/\n$/, ''))))];
    const trimmed = part.replace(position > 0 ? /^\n/ : /^$/, '').replace(position < parts.length - 1 ? /\n$/ : /$^/, '');
    return trimmed === '' && parts.length > 1 ? [] : lines(trimmed, place);
  });
}

/** A plain_text: emoji names and escapes are resolved, nothing else. */
export function plainText(text) {
  return withEmoji(decode(String(text ?? '')));
}

/** A text object of either type. */
export function textObject(object, place) {
  if (!object) return [];
  if (typeof object === 'string') return plainText(object);
  if (object.type === 'mrkdwn') return object.verbatim ? mrkdwn(object.text, { ...place, verbatim: true }) : mrkdwn(object.text, place);
  return object.emoji === false ? [decode(object.text || '')] : plainText(object.text);
}

/** Whether a text is a few emoji and nothing else; Slack shows such a message large. */
export function isOnlyEmoji(text) {
  const names = [...String(text).matchAll(/:([a-z0-9_+-]+(?:::skin-tone-\d)?):/g)];
  const rest = String(text)
    .replace(/:[a-z0-9_+-]+(?:::skin-tone-\d)?:/g, '')
    .replace(/\p{Extended_Pictographic}|\u{FE0F}|\u{200D}/gu, '');
  return rest.trim() === '' && String(text).trim() !== '' && names.every((match) => emoji(match[1])) && String(text).length < 200;
}

const LIST_ITEM = /^(\s*)([•◦▪‣*-]|\d+[.)])\s+(?=\S)/;

function lines(text, place) {
  const out = [];
  let plain = [];
  let quoted = null;
  const endPlain = () => {
    if (plain.length) out.push(h('div', { class: 'text-line' }, inline(plain.join('\n'), place)));
    plain = [];
  };
  const endQuote = () => {
    if (quoted) out.push(h('blockquote', { class: 'quote' }, lines(quoted.join('\n'), place)));
    quoted = null;
  };
  for (const line of text.split('\n')) {
    const quote = /^(&gt;|>)(?!&gt;|>) ?/.exec(line);
    if (quote) {
      endPlain();
      (quoted ||= []).push(line.slice(quote[0].length));
      continue;
    }
    endQuote();
    const item = LIST_ITEM.exec(line);
    if (item && item[2] !== '*') {
      endPlain();
      out.push(
        h(
          'div',
          { class: classOfItem(item) },
          h('span', { class: 'text-item-mark' }, item[2] === '-' ? '–' : item[2]),
          h('span', { class: 'text-item-body' }, inline(line.slice(item[0].length), place)),
        ),
      );
      continue;
    }
    plain.push(line);
  }
  endPlain();
  endQuote();
  return out;
}

function classOfItem(item) {
  return `text-item text-item-${Math.min(3, Math.floor(item[1].length / 2))}`;
}

// What may begin inside a line, in the order in which it is tried.
const TOKEN = /<([^<>\n]+)>|`([^`\n]+)`|(https?:\/\/[^\s<>|]+)|:([a-z0-9_+-]+(?:::skin-tone-\d)?):|([*_~])/g;

const STYLES = { '*': 'strong', _: 'em', '~': 'del' };

/** One or more lines of mrkdwn without block structure. */
export function inline(text, place) {
  const out = [];
  let done = 0;
  const token = new RegExp(TOKEN);
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const made = oneToken(text, match, place);
    if (!made) {
      // A lone marker is an ordinary character: go on right behind it.
      token.lastIndex = match.index + 1;
      continue;
    }
    if (match.index > done) out.push(...withUnicode(decode(text.slice(done, match.index))));
    out.push(made.node);
    done = made.end;
    token.lastIndex = made.end;
  }
  if (done < text.length) out.push(...withUnicode(decode(text.slice(done))));
  return out;
}

function oneToken(text, match, place) {
  const [whole, angle, code, url, name, marker] = match;
  const end = match.index + whole.length;
  if (angle !== undefined) return { node: angled(angle, place, match.index === 0), end };
  if (code !== undefined) return { node: h('code', { class: 'code' }, codeText(code)), end };
  if (url !== undefined) return place.verbatim ? null : bareLink(url, match.index);
  if (name !== undefined) {
    const character = emoji(name);
    return character ? { node: emojiNode(name, character), end } : null;
  }
  return styled(text, match.index, marker, place);
}

function styled(text, start, marker, place) {
  const before = text[start - 1];
  if (before !== undefined && /[\p{L}\p{N}]/u.test(before)) return null;
  if (/\s|^$/.test(text[start + 1] || '')) return null;
  const close = closing(text, start + 1, marker);
  if (close < 0) return null;
  return { node: h(STYLES[marker], null, inline(text.slice(start + 1, close), place)), end: close + 1 };
}

// closing finds the marker that ends a style, stepping over links and code, or gives -1.
function closing(text, from, marker) {
  for (let at = from; at < text.length && text[at] !== '\n'; at++) {
    const skip = { '<': '>', '`': '`' }[text[at]];
    if (skip) {
      const end = text.indexOf(skip, at + 1);
      if (end > 0) at = end;
      continue;
    }
    if (text[at] !== marker || at === from || /\s/.test(text[at - 1])) continue;
    if (!/[\p{L}\p{N}]/u.test(text[at + 1] || ' ')) return at;
  }
  return -1;
}

function bareLink(url, start) {
  const trimmed = url.replace(/(&gt;|&lt;).*$/, '').replace(/[.,;:!?)\]}'"*_~]+$/, '');
  return { node: link(decode(trimmed), null), end: start + trimmed.length };
}

function link(address, label) {
  const target = safeLink(address);
  const words = label || [address.replace(/^mailto:/, '')];
  if (!target) return h('span', null, words);
  return h('a', { class: 'link', href: target, target: '_blank', rel: 'noopener noreferrer' }, words);
}

/** A web link with a label made of nodes. */
export { link };

function angled(body, place, atStart) {
  const bar = body.indexOf('|');
  const target = bar < 0 ? body : body.slice(0, bar);
  const label = bar < 0 ? '' : decode(body.slice(bar + 1));
  switch (body[0]) {
    case '@':
      return userMention(target.slice(1), label, place);
    case '#':
      return channelMention(target.slice(1), label, place);
    case '!':
      return special(target.slice(1), label, place, atStart);
    default:
      return safeLink(decode(target)) ? link(decode(target), label ? withEmoji(label) : null) : h('span', null, decode(`<${body}>`));
  }
}

function special(command, label, place, atStart) {
  const [word, id, pattern] = command.split('^');
  if (word === 'subteam') return groupMention(id, label, place);
  if (word === 'date') {
    const shown = datePattern(id, pattern || '', label, place.zone, place.now(), atStart);
    return h('time', { class: 'date', title: label || undefined }, shown);
  }
  return h('span', { class: 'mention mention-me' }, `@${label.replace(/^@/, '') || word}`);
}

export function userMention(id, label, place) {
  const user = place.user(id);
  const name = user ? user.shown : label || id;
  return h(
    'span',
    { class: id === place.viewer ? 'mention mention-me' : 'mention', 'data-mention': id, title: user && user.title },
    `@${name}`,
  );
}

export function groupMention(id, label, place) {
  const group = place.group(id);
  const name = group ? group.handle : label.replace(/^@/, '') || id;
  const mine = group && group.members.includes(place.viewer);
  return h('span', { class: mine ? 'mention mention-me' : 'mention', 'data-mention': id }, `@${name}`);
}

export function channelMention(id, label, place) {
  const channel = place.channel(id);
  const name = channel ? channel.name : label || id;
  if (!channel) return h('span', { class: 'mention' }, `#${name}`);
  return h('a', { class: 'mention', href: place.linkTo(channel), 'data-mention': id }, `#${name}`);
}

export function emojiNode(name, character) {
  return h('span', { class: 'emoji', role: 'img', 'aria-label': name.replace(/_/g, ' '), title: `:${name}:` }, character);
}

function withEmoji(text) {
  const out = [];
  let done = 0;
  for (const match of text.matchAll(/:([a-z0-9_+-]+(?:::skin-tone-\d)?):/g)) {
    const character = emoji(match[1]);
    if (!character) continue;
    if (match.index > done) out.push(...withUnicode(text.slice(done, match.index)));
    out.push(emojiNode(match[1], character));
    done = match.index + match[0].length;
  }
  if (done < text.length) out.push(...withUnicode(text.slice(done)));
  return out;
}

// Emoji typed as characters get the emoji font too, so that they look like those written by name.
function withUnicode(text) {
  return text
    .split(/(\p{Emoji_Presentation}\p{Emoji_Modifier}?|\p{Extended_Pictographic}\u{FE0F})/u)
    .filter((part) => part !== '')
    .map((part) =>
      /^(\p{Emoji_Presentation}|\p{Extended_Pictographic}\u{FE0F})/u.test(part) ? h('span', { class: 'emoji' }, part) : part,
    );
}

// Inside code, mentions and links stay readable: Slack shows the label or the address without angle brackets.
function codeText(text) {
  return decode(
    text.replace(/<([^<>|\n]+)(?:\|([^<>\n]*))?>/g, (whole, target, label) => label || (/^[@#!]/.test(target) ? whole : target)),
  );
}
