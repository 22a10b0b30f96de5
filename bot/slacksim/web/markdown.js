// The markdown block: standard Markdown as models write it (headings, lists, tables, quotes, code), as far as Slack shows it.

import { h, safeLink } from './dom.js';
import { emoji } from './emoji.js';
import { emojiNode, inline as mrkdwnInline } from './mrkdwn.js';

/** A Markdown text as block elements. */
export function markdown(text, place) {
  return blocksOf(
    String(text ?? '')
      .replace(/\r\n?/g, '\n')
      .split('\n'),
    place,
  );
}

// Each reader looks at the lines from `at` and answers the element with the line after it, or null when it is not of its kind.
const READERS = [fence, heading, rule, table, quote, list];

function blocksOf(lines, place) {
  const out = [];
  let paragraph = [];
  const endParagraph = () => {
    if (paragraph.length) out.push(h('p', { class: 'markdown-paragraph' }, inlineMarkdown(paragraph.join('\n'), place)));
    paragraph = [];
  };
  for (let at = 0; at < lines.length;) {
    const read = lines[at].trim() === '' ? null : firstReader(lines, at, place);
    if (read) {
      endParagraph();
      out.push(read.node);
      at = read.next;
      continue;
    }
    if (lines[at].trim() === '') endParagraph();
    else paragraph.push(lines[at]);
    at++;
  }
  endParagraph();
  return out;
}

function firstReader(lines, at, place) {
  for (const reader of READERS) {
    const read = reader(lines, at, place);
    if (read) return read;
  }
  return null;
}

function fence(lines, at) {
  const open = /^\s*(```+|~~~+)/.exec(lines[at]);
  if (!open) return null;
  let end = at + 1;
  while (end < lines.length && !lines[end].trim().startsWith(open[1])) end++;
  return { node: h('pre', { class: 'code-block' }, h('code', null, lines.slice(at + 1, end).join('\n'))), next: end + 1 };
}

function heading(lines, at, place) {
  const match = /^(#{1,6})\s+(.*?)\s*#*$/.exec(lines[at]);
  if (!match) return null;
  return {
    node: h(
      'div',
      { class: `markdown-heading markdown-heading-${match[1].length}`, role: 'heading', 'aria-level': match[1].length + 2 },
      inlineMarkdown(match[2], place),
    ),
    next: at + 1,
  };
}

function rule(lines, at) {
  return /^\s*([-*_])(\s*\1){2,}\s*$/.test(lines[at]) ? { node: h('hr', { class: 'rule' }), next: at + 1 } : null;
}

function table(lines, at, place) {
  if (!lines[at].includes('|') || !/^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(lines[at + 1] || '') || !lines[at + 1].includes('|'))
    return null;
  const aligns = cells(lines[at + 1]).map((cell) => (cell.endsWith(':') ? (cell.startsWith(':') ? 'center' : 'right') : 'left'));
  const row = (line, tag) =>
    h(
      'tr',
      null,
      cells(line).map((cell, column) => h(tag, { class: `align-${aligns[column] || 'left'}` }, inlineMarkdown(cell, place))),
    );
  let end = at + 2;
  while (end < lines.length && lines[end].includes('|')) end++;
  const node = h(
    'div',
    { class: 'table-frame', tabindex: 0, role: 'region', 'aria-label': 'Table' },
    h(
      'table',
      { class: 'table' },
      h('thead', null, row(lines[at], 'th')),
      h(
        'tbody',
        null,
        lines.slice(at + 2, end).map((line) => row(line, 'td')),
      ),
    ),
  );
  return { node, next: end };
}

function cells(line) {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replace(/\\\|/g, '|'));
}

function quote(lines, at, place) {
  if (!/^\s*>/.test(lines[at])) return null;
  let end = at;
  while (end < lines.length && /^\s*>/.test(lines[end])) end++;
  return {
    node: h(
      'blockquote',
      { class: 'quote' },
      blocksOf(
        lines.slice(at, end).map((line) => line.replace(/^\s*> ?/, '')),
        place,
      ),
    ),
    next: end,
  };
}

const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;

function list(lines, at, place) {
  const first = ITEM.exec(lines[at]);
  if (!first) return null;
  const ordered = /\d/.test(first[2]);
  const items = [];
  let end = at;
  for (; end < lines.length; end++) {
    const item = ITEM.exec(lines[end]);
    const indent = /^\s*/.exec(lines[end])[0].length;
    if (item && indent <= first[1].length + 1) {
      if (/\d/.test(item[2]) !== ordered) break;
      items.push([item[3]]);
    } else if (lines[end].trim() !== '' && indent > first[1].length)
      items[items.length - 1].push(lines[end].slice(Math.min(indent, first[1].length + 2)));
    else break;
  }
  const nodes = items.map(([head, ...rest]) => h('li', null, itemHead(head, place), blocksOf(rest, place)));
  return {
    node: h(ordered ? 'ol' : 'ul', { class: 'list', start: ordered ? Number.parseInt(first[2], 10) : undefined }, nodes),
    next: end,
  };
}

function itemHead(text, place) {
  const task = /^\[([ xX])\]\s+(.*)$/.exec(text);
  if (!task) return inlineMarkdown(text, place);
  return [
    h('input', { type: 'checkbox', disabled: true, checked: task[1] !== ' ', class: 'markdown-task' }),
    inlineMarkdown(task[2], place),
  ];
}

const TOKEN =
  /\\([\\`*_{}[\]()#+\-.!|~>])|(`+)(.+?)\2|!?\[([^\]\n]*)\]\(([^)\s]+)(?:\s+"[^"]*")?\)|(\*\*|__)(?=\S)([\s\S]*?\S)\6|(~~)(?=\S)([\s\S]*?\S)~~|(\*|_)(?=\S)((?:(?!\10)[\s\S])*?\S)\10(?![\p{L}\p{N}])|:([a-z0-9_+-]+):|(https?:\/\/[^\s<>()]+)|(<[@#!][^<>\n]+>)/gu;

function inlineMarkdown(text, place) {
  const out = [];
  let done = 0;
  for (const match of text.matchAll(TOKEN)) {
    const node = tokenNode(match, text, place);
    if (!node || match.index < done) continue;
    if (match.index > done) out.push(text.slice(done, match.index));
    out.push(node);
    done = match.index + match[0].length;
  }
  if (done < text.length) out.push(text.slice(done));
  return out;
}

function tokenNode(match, text, place) {
  const [, escaped, ticks, code, label, target, strongMark, strong, strikeMark, strike, emMark, em, name, url, mention] = match;
  if (escaped !== undefined) return escaped;
  if (ticks) return h('code', { class: 'code' }, code);
  if (target !== undefined) return anchor(target, inlineMarkdown(label, place));
  if (strongMark) return h('strong', null, inlineMarkdown(strong, place));
  if (strikeMark) return h('del', null, inlineMarkdown(strike, place));
  if (emMark) return /[\p{L}\p{N}]/u.test(text[match.index - 1] || ' ') ? null : h('em', null, inlineMarkdown(em, place));
  if (name !== undefined) return emoji(name) ? emojiNode(name, emoji(name)) : null;
  if (url !== undefined) return anchor(url, [url]);
  return h('span', null, mrkdwnInline(mention, place));
}

function anchor(target, words) {
  const address = safeLink(target);
  return address ? h('a', { class: 'link', href: address, target: '_blank', rel: 'noopener noreferrer' }, words) : h('span', null, words);
}
