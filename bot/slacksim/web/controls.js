// Block Kit's interactive elements: buttons, selects, dates, choices and text fields.
//
// A control draws what its Surface says and reports what a person did; it knows neither messages nor modals. A Surface has:
//   place                            names and times (place.js)
//   state(blockId, element)          {busy, refused}: a click under way, or the words of a refused one
//   act(block, element, change)      sends a click or choice; change is {value} or {selected}
//   value(blockId, element)          what is filled in, or undefined when nobody has touched it
//   keep(blockId, element, value)    remembers what is filled in; form: whether values are collected for a submit

import { classes, h, safeLink } from './dom.js';
import { icon, spinner } from './icons.js';
import { menuOpenAt, openMenu, closeMenu } from './menu.js';
import { textObject } from './mrkdwn.js';
import { confirmFirst } from './dialogs.js';
import { encodeFile } from './sending.js';

/** The plain words of a text object. */
export function wordsOf(object) {
  if (!object) return '';
  return typeof object === 'string' ? object : object.text || '';
}

const KINDS = {
  button,
  workflow_button: button,
  icon_button: iconButton,
  feedback_buttons: feedbackButtons,
  overflow,
  static_select: select,
  external_select: select,
  users_select: select,
  conversations_select: select,
  channels_select: select,
  multi_static_select: select,
  multi_external_select: select,
  multi_users_select: select,
  multi_conversations_select: select,
  multi_channels_select: select,
  datepicker: (element, block, surface) => nativeField('date', element.initial_date, element, block, surface),
  timepicker: (element, block, surface) => nativeField('time', element.initial_time, element, block, surface),
  datetimepicker: (element, block, surface) => nativeField('datetime-local', localTime(element.initial_date_time), element, block, surface),
  checkboxes: choices,
  radio_buttons: choices,
  plain_text_input: textField,
  email_text_input: textField,
  url_text_input: textField,
  number_input: textField,
  rich_text_input: textField,
  file_input: fileField,
};

/** An element as a control, or null when its type is not one of these. */
export function control(element, block, surface) {
  const kind = KINDS[element.type];
  return kind ? kind(element, block, surface) : null;
}

/** The id under which an element's label, error and state are found. */
export function controlId(block, element) {
  return `field-${block.block_id}-${element.action_id}`;
}

async function send(element, block, surface, change) {
  if (element.confirm && !(await confirmFirst(element.confirm, surface.place))) return false;
  surface.act(block, element, change);
  return true;
}

function button(element, block, surface) {
  const state = surface.state(block.block_id, element);
  const address = element.url && safeLink(element.url);
  return h(
    'button',
    {
      key: `control ${element.action_id} ${element.value || ''}`,
      type: 'button',
      class: classes(
        'button',
        element.style === 'primary' && 'button-primary',
        element.style === 'danger' && 'button-danger',
        state.busy && 'button-busy',
      ),
      'data-action-id': element.action_id,
      'data-block-id': block.block_id,
      'data-value': element.value,
      'aria-label': element.accessibility_label,
      'aria-busy': state.busy ? 'true' : undefined,
      'aria-disabled': state.busy ? 'true' : undefined,
      onclick: () => {
        if (surface.state(block.block_id, element).busy) return;
        if (address) open(address, '_blank', 'noopener,noreferrer');
        send(element, block, surface, { value: element.value });
      },
    },
    h('span', { class: 'button-words' }, textObject(element.text, surface.place), address && icon('external', 14)),
    state.busy && h('span', { class: 'button-spinner' }, spinner(16)),
  );
}

function iconButton(element, block, surface) {
  return button({ ...element, text: element.text || { type: 'plain_text', text: element.icon || '' } }, block, surface);
}

function feedbackButtons(element, block, surface) {
  const one = (choice, mark) =>
    choice &&
    h(
      'button',
      {
        type: 'button',
        class: 'button button-quiet',
        'data-action-id': element.action_id,
        'data-value': choice.value,
        'aria-label': choice.accessibility_label || wordsOf(choice.text),
        onclick: () => surface.act(block, element, { value: choice.value }),
      },
      `${mark} `,
      textObject(choice.text, surface.place),
    );
  return h(
    'span',
    { class: 'button-pair', key: `control ${element.action_id}` },
    one(element.positive_button, '👍'),
    one(element.negative_button, '👎'),
  );
}

function overflow(element, block, surface) {
  const state = surface.state(block.block_id, element);
  const items = (element.options || []).map((option) => ({
    value: option.value,
    label: textObject(option.text, surface.place),
    words: wordsOf(option.text),
    description: wordsOf(option.description),
    address: option.url,
  }));
  return h(
    'button',
    {
      key: `control ${element.action_id}`,
      type: 'button',
      class: classes('button', 'button-icon', state.busy && 'button-busy'),
      'aria-label': 'More actions',
      'aria-haspopup': 'listbox',
      'aria-busy': state.busy ? 'true' : undefined,
      'data-action-id': element.action_id,
      'data-block-id': block.block_id,
      onclick: (event) => {
        const anchor = event.currentTarget;
        if (menuOpenAt(anchor)) return closeMenu();
        openMenu(anchor, items, { title: 'More actions' }, (value, item) => {
          const address = item.address && safeLink(item.address);
          if (address) open(address, '_blank', 'noopener,noreferrer');
          send(element, block, surface, { selected: value });
        });
      },
    },
    state.busy ? spinner(16) : icon('more', 18),
  );
}

/** The options of any select as [{value, label, words, description, group}]. */
function optionsOf(element, place) {
  const { info } = place;
  const person = (user) => ({
    value: user.id,
    label: [`@${user.name}`],
    words: `${user.name} ${user.real_name || ''}`,
    description: user.real_name,
  });
  const channel = (entry) => ({ value: entry.id, label: [`#${entry.name}`], words: entry.name });
  const option = (group) => (entry) => ({
    value: entry.value,
    label: textObject(entry.text, place),
    words: wordsOf(entry.text),
    description: wordsOf(entry.description),
    group,
  });
  if (element.type.includes('users_select')) return info.users.filter((user) => !user.deleted).map(person);
  if (element.type.includes('channels_select')) return info.channels.filter((entry) => !entry.dm).map(channel);
  if (element.type.includes('conversations_select'))
    return [...info.channels.filter((entry) => !entry.dm).map(channel), ...info.users.filter((user) => !user.deleted).map(person)];
  if (element.option_groups) return element.option_groups.flatMap((group) => group.options.map(option(wordsOf(group.label))));
  return (element.options || []).map(option(''));
}

/** What a control holds before anybody touched it. */
export function initialValue(element) {
  switch (element.type) {
    case 'static_select':
    case 'external_select':
    case 'radio_buttons':
      return element.initial_option ? element.initial_option.value : null;
    case 'multi_static_select':
    case 'multi_external_select':
    case 'checkboxes':
      return (element.initial_options || []).map((option) => option.value);
    case 'users_select':
      return element.initial_user || null;
    case 'channels_select':
      return element.initial_channel || null;
    case 'conversations_select':
      return element.initial_conversation || null;
    case 'multi_users_select':
      return element.initial_users || [];
    case 'multi_channels_select':
      return element.initial_channels || [];
    case 'multi_conversations_select':
      return element.initial_conversations || [];
    case 'datepicker':
      return element.initial_date || null;
    case 'timepicker':
      return element.initial_time || null;
    case 'datetimepicker':
      return element.initial_date_time || null;
    case 'rich_text_input':
      return element.initial_value ? plainOf(element.initial_value) : null;
    default:
      return element.initial_value === undefined ? null : String(element.initial_value);
  }
}

function plainOf(rich) {
  if (rich.text !== undefined) return rich.text;
  return (rich.elements || []).map(plainOf).join(rich.type === 'rich_text' ? '\n' : '');
}

function select(element, block, surface) {
  const several = element.type.startsWith('multi_');
  const value = surface.value(block.block_id, element);
  const options = optionsOf(element, surface.place);
  const chosen = new Set(several ? value || [] : [value].filter((one) => one !== null));
  const shown = options.filter((option) => chosen.has(option.value));
  const state = surface.state(block.block_id, element);
  const pick = (picked) => {
    if (!several) {
      surface.keep(block.block_id, element, picked);
      if (surface.dispatches(block)) send(element, block, surface, { selected: picked });
      return;
    }
    if (chosen.has(picked)) chosen.delete(picked);
    else if (!element.max_selected_items || chosen.size < element.max_selected_items) chosen.add(picked);
    surface.keep(block.block_id, element, [...chosen]);
    if (surface.dispatches(block)) surface.act(block, element, { selected: [...chosen] });
  };
  return h(
    'button',
    {
      key: `control ${element.action_id}`,
      id: controlId(block, element),
      type: 'button',
      class: classes('select', shown.length === 0 && 'select-empty', state.busy && 'button-busy'),
      'aria-haspopup': 'listbox',
      'aria-expanded': 'false',
      'data-action-id': element.action_id,
      'data-block-id': block.block_id,
      'aria-label': wordsOf(element.placeholder) || undefined,
      onclick: (event) => {
        const anchor = event.currentTarget;
        if (menuOpenAt(anchor)) return closeMenu();
        openMenu(anchor, options, { narrow: options.length > 7, chosen, several, title: wordsOf(element.placeholder) }, pick);
      },
    },
    h(
      'span',
      { class: 'select-words' },
      shown.length === 0
        ? wordsOf(element.placeholder) || (several ? 'Select items' : 'Select an item')
        : shown.map((option) => h('span', { class: several ? 'select-chip' : 'select-one' }, option.label)),
    ),
    state.busy ? spinner(14) : icon('chevron', 16),
  );
}

function choices(element, block, surface) {
  const several = element.type === 'checkboxes';
  const value = surface.value(block.block_id, element);
  const chosen = new Set(several ? value || [] : [value]);
  const change = (picked, on) => {
    if (several && !on) chosen.delete(picked);
    else if (several) chosen.add(picked);
    const now = several ? [...chosen] : picked;
    surface.keep(block.block_id, element, now);
    if (surface.dispatches(block)) send(element, block, surface, { selected: now });
  };
  return h(
    'div',
    {
      key: `control ${element.action_id}`,
      class: 'choices',
      id: controlId(block, element),
      role: several ? 'group' : 'radiogroup',
      'data-action-id': element.action_id,
      'data-block-id': block.block_id,
    },
    (element.options || []).map((option) =>
      h(
        'label',
        { class: 'choice' },
        h('input', {
          type: several ? 'checkbox' : 'radio',
          name: `${block.block_id}/${element.action_id}`,
          checked: chosen.has(option.value),
          'data-value': option.value,
          onchange: (event) => change(option.value, event.target.checked),
        }),
        h(
          'span',
          { class: 'choice-words' },
          textObject(option.text, surface.place),
          option.description && h('span', { class: 'choice-description' }, textObject(option.description, surface.place)),
        ),
      ),
    ),
  );
}

function localTime(seconds) {
  if (!seconds) return '';
  const date = new Date(seconds * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

function nativeField(type, initial, element, block, surface) {
  const shown = surface.value(block.block_id, element);
  return h('input', {
    key: `control ${element.action_id}`,
    id: controlId(block, element),
    type,
    class: 'field field-short',
    value: type === 'datetime-local' ? localTime(shown) : (shown ?? initial ?? ''),
    'data-action-id': element.action_id,
    'data-block-id': block.block_id,
    'aria-label': wordsOf(element.placeholder) || undefined,
    onchange: (event) => {
      const text = event.target.value;
      if (text === '') return surface.keep(block.block_id, element, null);
      const value = type === 'datetime-local' ? Math.floor(new Date(text).getTime() / 1000) : text;
      surface.keep(block.block_id, element, value);
      if (surface.dispatches(block)) send(element, block, surface, { selected: value });
    },
  });
}

// The files of a field are read when they are chosen and sent with the form.
function fileField(element, block, surface) {
  const chosen = surface.value(block.block_id, element) || [];
  const most = element.max_files || 10;
  const take = async (list) => {
    const files = await Promise.all([...list].map(encodeFile));
    surface.keep(block.block_id, element, [...chosen, ...files].slice(-most));
  };
  const chip = (file) =>
    h(
      'span',
      { class: 'composer-file', key: `file ${file.name}` },
      icon('file', 16),
      file.name,
      h(
        'button',
        {
          type: 'button',
          class: 'plain-button',
          'aria-label': `Remove ${file.name}`,
          onclick: () => surface.keep(block.block_id, element, chosen.filter((one) => one !== file)),
        },
        icon('close', 14),
      ),
    );
  return h(
    'div',
    { class: 'field-files', key: `control ${element.action_id}`, 'data-block-id': block.block_id },
    chosen.map(chip),
    chosen.length < most && h('input', {
      id: controlId(block, element),
      type: 'file',
      class: 'field',
      multiple: most > 1,
      'data-action-id': element.action_id,
      'data-block-id': block.block_id,
      onchange: (event) => take(event.target.files),
    }),
  );
}

const FIELD_TYPES = { email_text_input: 'email', url_text_input: 'url' };

function textField(element, block, surface) {
  const long = element.multiline || element.type === 'rich_text_input';
  const value = surface.value(block.block_id, element);
  const maximum = element.max_length;
  const props = {
    key: `control ${element.action_id}`,
    id: controlId(block, element),
    class: classes('field', long && 'field-long'),
    placeholder: wordsOf(element.placeholder),
    value: value ?? '',
    autocomplete: 'off',
    'data-action-id': element.action_id,
    'data-block-id': block.block_id,
    'aria-invalid': surface.errors && surface.errors[block.block_id] ? 'true' : undefined,
    inputmode: element.type === 'number_input' ? (element.is_decimal_allowed ? 'decimal' : 'numeric') : undefined,
    oninput: (event) => {
      const text = event.target.value;
      surface.keep(block.block_id, element, text === '' ? null : text);
      if (triggers(element, 'on_character_entered') && surface.dispatches(block)) surface.act(block, element, { value: text });
    },
    onkeydown: (event) => {
      if (event.key !== 'Enter' || (long && event.shiftKey) || !surface.dispatches(block) || !triggers(element, 'on_enter_pressed')) return;
      event.preventDefault();
      surface.act(block, element, { value: event.target.value });
    },
  };
  const field = long ? h('textarea', { ...props, rows: 4 }) : h('input', { ...props, type: FIELD_TYPES[element.type] || 'text' });
  if (!maximum || maximum > 3000) return field;
  const left = maximum - (value || '').length;
  return h(
    'div',
    { class: 'field-with-count', key: `counted ${element.action_id}` },
    field,
    left < maximum * 0.2 && h('span', { class: classes('field-count', left < 0 && 'field-count-over') }, String(left)),
  );
}

// Slack's default is to dispatch on Enter.
function triggers(element, when) {
  const on = (element.dispatch_action_config || {}).trigger_actions_on || ['on_enter_pressed'];
  return on.includes(when);
}
