// Lists that stay at their newest entry while one is there, and do not move while one reads further up.

const NEAR = 48; // pixels from the end that still count as the end

const stuck = new Map();

/** The name of a list: of whom, of which channel, of which thread in it. */
export function listKey(userId, channel, thread) {
  return [userId, channel.id, thread || ''].join('/');
}

/** Makes a scrolling element follow its end; moved() is called when it begins or stops doing so. Its first child holds the entries. */
export function followEnd(el, key, moved) {
  stuck.set(key, true);
  const size = () => `${el.scrollHeight} ${el.clientHeight}`;
  let seen = size();
  const toEnd = () => {
    if (stuck.get(key)) el.scrollTop = el.scrollHeight;
    seen = size();
  };
  el.addEventListener(
    'scroll',
    () => {
      // While pictures load and messages come, the end moves away by itself: that is nobody scrolling, and toEnd follows.
      if (stuck.get(key) && size() !== seen) return;
      const now = el.scrollHeight - el.scrollTop - el.clientHeight < NEAR;
      if (now === stuck.get(key)) return;
      stuck.set(key, now);
      moved();
    },
    { passive: true },
  );
  const watch = new ResizeObserver(toEnd);
  watch.observe(el);
  if (el.firstElementChild) watch.observe(el.firstElementChild);
}

/** Whether the list of this key is at its end. */
export function atEnd(key) {
  return stuck.get(key) !== false;
}

/** Goes to the end of a list and follows it again. */
export function goToEnd(el, key) {
  stuck.set(key, true);
  if (el) el.scrollTop = el.scrollHeight;
}
