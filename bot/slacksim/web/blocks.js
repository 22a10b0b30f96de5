// Block Kit as elements, one function per block type.
//
// A block of a type that is not here is shown as a labelled box with its content: nothing that an app sends is lost from sight.
// What a Surface is stands at the top of controls.js.

import { classes, h, safeLink } from './dom.js';
import { icon, spinner } from './icons.js';
import { control, controlId, wordsOf } from './controls.js';
import { showPicture } from './dialogs.js';
import { markdown } from './markdown.js';
import { mrkdwn, plainText, textObject } from './mrkdwn.js';
import { richText } from './richtext.js';

const KINDS = {
  section,
  header,
  divider,
  context,
  actions,
  input,
  markdown: markdownBlock,
  image,
  table,
  plan,
  file,
  video,
  alert,
  card,
  carousel,
  rich_text: (block, surface) => h('div', { class: 'text' }, richText(block, surface.place)),
  task_card: (block, surface) => h('div', { class: 'plan' }, task(block, surface)),
  data_table: table,
  context_actions: actions,
  container: group,
  layout: group,
};

/** The blocks of a message, a modal or a Home tab. */
export function drawBlocks(blocks, surface) {
  const named = (blocks || []).map((block, position) => (block.block_id ? block : { ...block, block_id: `block-${position}` }));
  const counts = {};
  return h(
    'div',
    { class: 'blocks' },
    named.map((block) => {
      counts[block.type] = (counts[block.type] || 0) + 1;
      // The workspace makes up the block ids that an app leaves out, anew at each edit: only in forms do they say what stayed.
      const key = surface.form ? `${block.block_id} ${block.type}` : `${block.type} ${counts[block.type]}`;
      return oneBlock(block, surface, key);
    }),
  );
}

function oneBlock(block, surface, key) {
  const kind = KINDS[block.type] || unknown;
  return h(
    'div',
    { key, class: `block block-${block.type}`, 'data-block-type': block.type, 'data-block-id': block.block_id },
    kind(block, surface),
    refusal(block, surface),
  );
}

// refusal shows why a click on a control of this block did not reach the app.
function refusal(block, surface) {
  const elements = [...(block.elements || []), block.accessory, block.element].filter(Boolean);
  const words = elements.map((element) => element.action_id && surface.state(block.block_id, element).refused).find(Boolean);
  return words && h('div', { class: 'refusal', role: 'alert', 'data-testid': 'refusal' }, icon('warning', 16), h('span', null, words));
}

function unknown(block) {
  return unknownThing(block.type || 'without a type', block);
}

function unknownThing(name, value) {
  return h(
    'details',
    { class: 'unknown', 'data-testid': 'unknown' },
    h('summary', null, `Not shown here: ${name}`),
    h('pre', { class: 'code-block' }, h('code', null, JSON.stringify(value, null, 2))),
  );
}

function header(block, surface) {
  return h('h3', { class: 'header-text' }, textObject(block.text, surface.place));
}

function divider() {
  return h('hr', { class: 'rule' });
}

function section(block, surface) {
  return h(
    'div',
    { class: 'section' },
    h(
      'div',
      { class: 'section-main' },
      block.text && h('div', { class: 'text' }, textObject(block.text, surface.place)),
      block.fields &&
        h(
          'div',
          { class: 'fields' },
          block.fields.map((field) => h('div', { class: 'text' }, textObject(field, surface.place))),
        ),
    ),
    block.accessory && h('div', { class: 'section-accessory' }, accessory(block.accessory, block, surface)),
  );
}

function accessory(element, block, surface) {
  if (element.type === 'image') return picture(imageAddress(element), element.alt_text, '', 'picture-thumb');
  return control(element, block, surface) || unknownThing(element.type, element);
}

function context(block, surface) {
  return h(
    'div',
    { class: 'context' },
    (block.elements || []).map((element) =>
      element.type === 'image'
        ? h('img', { class: 'context-image', src: imageAddress(element), alt: element.alt_text || '', title: element.alt_text })
        : h('div', { class: 'text' }, textObject(element, surface.place)),
    ),
  );
}

function actions(block, surface) {
  return h(
    'div',
    { class: 'actions' },
    (block.elements || []).map((element) => control(element, block, surface) || unknownThing(element.type, element)),
  );
}

function input(block, surface) {
  const error = surface.errors && surface.errors[block.block_id];
  const element = block.element || {};
  return h(
    'div',
    { class: classes('input', error && 'input-wrong') },
    h(
      'label',
      { class: 'input-label', for: controlId(block, element) },
      textObject(block.label, surface.place),
      block.optional && h('span', { class: 'input-optional' }, ' (optional)'),
    ),
    control(element, block, surface) || unknownThing(element.type, element),
    error && h('div', { class: 'input-error', role: 'alert', 'data-testid': 'field-error' }, icon('warning', 15), h('span', null, error)),
    block.hint && h('div', { class: 'input-hint' }, textObject(block.hint, surface.place)),
  );
}

function markdownBlock(block, surface) {
  return h('div', { class: 'text markdown' }, markdown(block.text, surface.place));
}

/** Where the bytes of an image are: a file of the workspace, or an address of its own. */
function imageAddress(image) {
  if (image.slack_file)
    return image.slack_file.id ? `/shown/${encodeURIComponent(image.slack_file.id)}` : safeLink(image.slack_file.url || '');
  return safeLink(image.image_url || '') || undefined;
}

function image(block, surface) {
  const title = wordsOf(block.title);
  return h(
    'div',
    { class: 'image' },
    title && h('div', { class: 'image-title' }, plainText(title)),
    picture(imageAddress(block), block.alt_text, title, 'picture-large picture-drawn'),
  );
}

/** A picture that opens in full size; its words take its place when it cannot be loaded. */
export function picture(address, alt, title, size) {
  return h(
    'button',
    {
      key: `picture ${address}`,
      type: 'button',
      class: `picture ${size}`,
      'aria-label': `Enlarge: ${alt || title || 'picture'}`,
      onclick: () => showPicture(address, alt || '', title),
    },
    h('img', {
      src: address,
      alt: alt || '',
      draggable: 'false',
      onerror: (event) => event.target.closest('.picture').classList.add('picture-lost'),
    }),
    h('span', { class: 'picture-words' }, icon('file'), alt || 'This picture could not be loaded'),
  );
}

function table(block, surface) {
  const [head, ...rows] = block.rows || [];
  const settings = block.column_settings || [];
  const row = (cells, tag) =>
    h(
      'tr',
      null,
      (cells || []).map((cell, column) =>
        h(
          tag,
          {
            class: classes(
              `align-${(settings[column] || {}).align || (cell && cell.type === 'raw_number' ? 'right' : 'left')}`,
              (settings[column] || {}).is_wrapped && 'wrapped',
            ),
          },
          tableCell(cell, block, surface),
        ),
      ),
    );
  return h(
    'div',
    { class: 'table-frame', tabindex: 0, role: 'region', 'aria-label': block.caption || 'Table' },
    h(
      'table',
      { class: 'table' },
      block.caption && h('caption', null, block.caption),
      head && h('thead', null, row(head, 'th')),
      h(
        'tbody',
        null,
        rows.map((cells) => row(cells, 'td')),
      ),
    ),
  );
}

function tableCell(cell, block, surface) {
  if (!cell) return '';
  switch (cell.type) {
    case 'raw_text':
      return cell.text;
    case 'raw_number':
      return cell.text || String(cell.value);
    case 'rich_text':
      return richText(cell, surface.place);
    case 'action_cell':
      return control(cell.element, block, surface);
    default:
      return wordsOf(cell.text) || JSON.stringify(cell);
  }
}

function plan(block, surface) {
  return h(
    'div',
    { class: 'plan' },
    h('div', { class: 'plan-title' }, plainText(wordsOf(block.title))),
    h(
      'ol',
      { class: 'plan-tasks' },
      (block.tasks || []).map((one) => h('li', { key: one.task_id }, task(one, surface))),
    ),
  );
}

const STATUS = {
  pending: ['Not started', () => h('span', { class: 'status-ring' })],
  in_progress: ['Under way', () => spinner(18)],
  complete: ['Done', () => icon('check', 14)],
  error: ['Failed', () => icon('close', 14)],
};

function task(block, surface) {
  const status = STATUS[block.status] ? block.status : 'pending';
  const [words, mark] = STATUS[status];
  const sources = (block.sources || []).filter((source) => safeLink(source.url || ''));
  return h(
    'div',
    { class: `task task-${status}`, 'data-task-id': block.task_id, 'data-status': status },
    h('span', { class: `task-mark task-mark-${status}`, role: 'img', 'aria-label': words, title: words }, mark()),
    h(
      'div',
      { class: 'task-main' },
      !block.hide_title && h('div', { class: 'task-title' }, plainText(wordsOf(block.title))),
      block.details && h('div', { class: 'task-details text' }, richText(block.details, surface.place)),
      block.output && h('div', { class: 'task-output text' }, richText(block.output, surface.place)),
      sources.length > 0 &&
        h(
          'div',
          { class: 'task-sources' },
          sources.map((source) =>
            h('a', { class: 'link', href: safeLink(source.url), target: '_blank', rel: 'noopener noreferrer' }, source.text || source.url),
          ),
        ),
    ),
  );
}

function alert(block, surface) {
  const level = ['info', 'warning', 'error', 'success'].includes(block.level) ? block.level : 'default';
  return h(
    'div',
    { class: `alert alert-${level}`, role: 'note' },
    icon({ success: 'check', default: 'bolt', info: 'bolt' }[level] || 'warning'),
    h('div', { class: 'text' }, textObject(block.text, surface.place)),
  );
}

function card(block, surface) {
  const place = surface.place;
  return h(
    'div',
    { class: 'card' },
    block.hero_image && picture(imageAddress(block.hero_image), block.hero_image.alt_text, '', 'picture-large'),
    block.title && h('div', { class: 'card-title' }, textObject(block.title, place)),
    block.subtitle && h('div', { class: 'card-subtitle text' }, textObject(block.subtitle, place)),
    block.body && h('div', { class: 'text' }, textObject(block.body, place)),
    block.subtext && h('div', { class: 'card-subtitle text' }, textObject(block.subtext, place)),
    block.actions && actions({ ...block, elements: Array.isArray(block.actions) ? block.actions : block.actions.elements }, surface),
  );
}

function carousel(block, surface) {
  return h(
    'div',
    { class: 'carousel', tabindex: 0 },
    (block.elements || []).map((element) => card({ ...element, block_id: block.block_id }, surface)),
  );
}

// Containers and layouts hold other blocks.
function group(block, surface) {
  const inner = (block.blocks || block.elements || []).filter((element) => KINDS[element.type]);
  if (inner.length === 0) return unknown(block);
  return h(
    'div',
    { class: 'card' },
    block.title && h('div', { class: 'card-title' }, textObject(block.title, surface.place)),
    drawBlocks(inner, surface),
  );
}

function file(block) {
  return h('div', { class: 'file-card' }, icon('file', 22), h('span', null, block.external_id || block.file_id || 'File'));
}

function video(block, surface) {
  const address = safeLink(block.title_url || block.video_url || '');
  return h(
    'div',
    { class: 'card' },
    h(
      'div',
      { class: 'card-title' },
      address
        ? h('a', { class: 'link', href: address, target: '_blank', rel: 'noopener noreferrer' }, wordsOf(block.title))
        : wordsOf(block.title),
    ),
    block.description && h('div', { class: 'text' }, textObject(block.description, surface.place)),
    block.thumbnail_url && picture(safeLink(block.thumbnail_url), block.alt_text, wordsOf(block.title), 'picture-large'),
  );
}

/** Old-style attachments, as far as they matter: a coloured bar with text or blocks. */
export function attachments(list, surface) {
  return (list || []).map((one, position) =>
    h(
      'div',
      { class: 'attachment', key: `attachment ${position}` },
      h('span', {
        class: 'attachment-bar',
        drawn: (el) => {
          el.style.background = /^#?[0-9a-f]{3,8}$/i.test(one.color || '') ? `#${one.color.replace('#', '')}` : '';
        },
      }),
      h(
        'div',
        { class: 'attachment-main' },
        one.title && h('div', { class: 'card-title' }, plainText(one.title)),
        one.blocks
          ? drawBlocks(
              one.blocks.map((block, at) => ({ ...block, block_id: block.block_id || `attachment-${position}-${at}` })),
              surface,
            )
          : h('div', { class: 'text' }, mrkdwn(one.text || one.fallback || '', surface.place)),
      ),
    ),
  );
}
