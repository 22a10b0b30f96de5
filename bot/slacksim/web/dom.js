// A small virtual DOM: pages are described as plain values and the document is changed only where the description changed.
//
// It exists so that a live update never disturbs a person: an element that stays in the description stays in the document, with its
// focus, caret, scroll position and typed text. Text always becomes a text node; nothing here, and nothing else in this folder,
// assigns markup, so words from users and bots cannot become elements.

const SVG = 'http://www.w3.org/2000/svg';
const SVG_TAGS = new Set(['svg', 'path', 'circle', 'rect', 'line', 'polyline', 'g']);

// Properties that live on the element rather than in an attribute. value and checked are set once, when the element is made or
// when the description changes, so that typing is never overwritten by an unrelated update.
const PROPERTIES = new Set(['value', 'checked', 'disabled', 'selected', 'indeterminate']);

/**
 * Describes an element.
 *
 * props: attributes; on<event> listeners; `key` (identity among siblings); `created(el)` called once when the element is made;
 * `drawn(el)` called after every update. false, null and undefined leave an attribute out.
 * children: descriptions, strings, numbers or nested lists of them; false, null and undefined are skipped.
 */
export function h(tag, props, ...children) {
  return { tag, props: props || {}, children: flatten(children, []), key: props ? props.key : undefined };
}

/**
 * Describes an element by what it depends on: `build` is called again only when `signature` differs from the last one drawn under
 * the same key. Messages use it, so that a long channel costs nothing when one of them changes.
 */
export function remembered(key, signature, build) {
  return { key, signature, build };
}

/** Makes the children of `parent` those described by `nodes`. */
export function draw(parent, nodes) {
  const described = flatten([nodes], []);
  reconcile(parent, parent.drawnChildren || [], described);
  parent.drawnChildren = described;
}

function flatten(list, into) {
  for (const item of list) {
    if (Array.isArray(item)) flatten(item, into);
    else if (item === null || item === undefined || item === false || item === true) continue;
    else if (typeof item === 'object') into.push(item);
    else into.push({ text: String(item) });
  }
  return into;
}

function identity(node, position) {
  if (node.key !== undefined) return `key ${node.key}`;
  return node.text !== undefined ? `text ${position}` : `${node.tag} ${position}`;
}

function reconcile(parent, before, after) {
  const known = new Map(before.map((node, position) => [identity(node, position), node]));
  const kept = new Set();
  after.forEach((node, position) => {
    const old = known.get(identity(node, position));
    if (old && update(old, node)) kept.add(old);
    else node.el = create(node);
  });
  for (const old of before) if (!kept.has(old)) old.el.remove();
  let place = parent.firstChild;
  for (const node of after) {
    if (node.el === place) place = place.nextSibling;
    else parent.insertBefore(node.el, place);
  }
  for (const node of after) if (node.props && node.props.drawn) node.props.drawn(node.el);
}

function create(node) {
  if (node.build) expand(node);
  if (node.text !== undefined) return document.createTextNode(node.text);
  const el = SVG_TAGS.has(node.tag) ? document.createElementNS(SVG, node.tag) : document.createElement(node.tag);
  // Children first: the value of a <select> can only be set once its options are there.
  reconcile(el, [], node.children);
  for (const [name, value] of Object.entries(node.props)) setProp(el, name, undefined, value);
  if (node.props.created) node.props.created(el);
  return el;
}

function expand(node) {
  const built = node.build();
  node.tag = built.tag;
  node.props = built.props;
  node.children = built.children;
}

// update makes the element of `old` show `node`; false means that it cannot and a new element is needed.
function update(old, node) {
  node.el = old.el;
  if (node.text !== undefined) {
    if (old.text !== node.text) node.el.data = node.text;
    return true;
  }
  if (node.build) {
    if (old.signature === node.signature) {
      node.tag = old.tag;
      node.props = old.props;
      node.children = old.children;
      return true;
    }
    expand(node);
  }
  if (old.tag !== node.tag) return false;
  for (const name of Object.keys(old.props)) {
    if (!(name in node.props)) setProp(node.el, name, old.props[name], undefined);
  }
  for (const [name, value] of Object.entries(node.props)) {
    if (old.props[name] !== value) setProp(node.el, name, old.props[name], value);
  }
  reconcile(node.el, old.children, node.children);
  return true;
}

function setProp(el, name, before, value) {
  if (name === 'key' || name === 'created' || name === 'drawn') return;
  if (name.startsWith('on')) return listen(el, name.slice(2), value);
  if (PROPERTIES.has(name)) {
    const wanted = value ?? (typeof el[name] === 'boolean' ? false : '');
    if (el[name] !== wanted) el[name] = wanted;
    return;
  }
  if (value === null || value === undefined || value === false) el.removeAttribute(name);
  else el.setAttribute(name, value === true ? '' : String(value));
}

// One listener per event stays attached and looks up the newest handler, so that a redraw never loses an event under way.
function listen(el, event, handler) {
  el.handlers ||= {};
  if (!(event in el.handlers)) el.addEventListener(event, (e) => el.handlers[event] && el.handlers[event](e));
  el.handlers[event] = handler;
}

/** Joins class names, leaving out what is false. */
export function classes(...names) {
  return names.filter(Boolean).join(' ');
}

/** A link target that may be followed, or null: only whole web and mail addresses, never javascript: or data:. */
export function safeLink(address) {
  try {
    const url = new URL(address);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}
