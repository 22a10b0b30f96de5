// rich_text blocks: Slack's structured form of formatted text.

import { h } from './dom.js';
import { emoji } from './emoji.js';
import { datePattern } from './dates.js';
import { channelMention, emojiNode, groupMention, link, plainText, userMention } from './mrkdwn.js';

/** The elements of a rich_text block (or of a cell, a task's details, a field that holds one). */
export function richText(block, place) {
  return (block.elements || []).map((element) => richPart(element, place));
}

function richPart(element, place) {
  switch (element.type) {
    case 'rich_text_section':
      return h('div', { class: 'text-line' }, inlines(element.elements, place));
    case 'rich_text_list':
      return list(element, place);
    case 'rich_text_preformatted':
      return h('pre', { class: 'code-block' }, h('code', null, inlines(element.elements, place)));
    case 'rich_text_quote':
      return h('blockquote', { class: 'quote' }, h('div', { class: 'text-line' }, inlines(element.elements, place)));
    default:
      return oneInline(element, place);
  }
}

function list(element, place) {
  const ordered = element.style === 'ordered';
  const indent = Math.min(8, element.indent || 0);
  const items = (element.elements || []).map((item) => h('li', null, inlines(item.elements, place)));
  return h(
    ordered ? 'ol' : 'ul',
    { class: `list list-indent-${indent} list-mark-${indent % 3}`, start: ordered ? (element.offset || 0) + 1 : undefined },
    items,
  );
}

function inlines(elements, place) {
  return (elements || []).map((element) => oneInline(element, place));
}

const STYLE_TAGS = [
  ['code', 'code'],
  ['strike', 'del'],
  ['italic', 'em'],
  ['bold', 'strong'],
  ['underline', 'u'],
];

function oneInline(element, place) {
  let nodes = inlineContent(element, place);
  for (const [style, tag] of STYLE_TAGS) {
    if (element.style && element.style[style]) nodes = [h(tag, tag === 'code' ? { class: 'code' } : null, nodes)];
  }
  return nodes;
}

function inlineContent(element, place) {
  switch (element.type) {
    // The text of a rich text element is data, not markup: it carries no escapes and no emoji names.
    case 'text':
      return [element.text];
    case 'link':
      return [link(element.url, element.text ? [element.text] : null)];
    case 'emoji':
      return [emojiElement(element)];
    case 'user':
      return [userMention(element.user_id, '', place)];
    case 'usergroup':
      return [groupMention(element.usergroup_id, '', place)];
    case 'channel':
      return [channelMention(element.channel_id, '', place)];
    case 'broadcast':
      return [h('span', { class: 'mention mention-me' }, `@${element.range}`)];
    case 'date':
      return [dateElement(element, place)];
    case 'color':
      return [h('code', { class: 'code' }, element.value)];
    default:
      return plainText(element.text || element.fallback || `[${element.type}]`);
  }
}

function emojiElement(element) {
  const character = emoji(element.name) || fromCodePoints(element.unicode);
  return character ? emojiNode(element.name, character) : `:${element.name}:`;
}

function fromCodePoints(hex) {
  const points = String(hex || '')
    .split('-')
    .map((part) => Number.parseInt(part, 16));
  return points.length && points.every((point) => point > 0 && point <= 0x10ffff) ? String.fromCodePoint(...points) : null;
}

function dateElement(element, place) {
  const words = datePattern(element.timestamp, element.format || '{date_short}', element.fallback || '', place.zone, place.now(), false);
  return h('time', { class: 'date', title: element.fallback }, element.url ? link(element.url, [words]) : words);
}
