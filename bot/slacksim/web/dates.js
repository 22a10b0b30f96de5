// Times as Slack writes them, in the viewer's zone.

const zones = new Set();

/** The zone to show times in: the user's own when the browser knows it, else the browser's. */
export function zoneOf(user) {
  const zone = user && user.tz;
  if (!zone) return undefined;
  if (zones.has(zone)) return zone;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone });
    zones.add(zone);
    return zone;
  } catch {
    return undefined;
  }
}

/** The moment of a message: its ts is seconds with a fraction. */
export function momentOf(ts) {
  return new Date(Number.parseFloat(ts) * 1000);
}

// Making a formatter costs a hundred times more than using it.
const formatters = new Map();

function format(date, zone, options) {
  const key = `${zone} ${JSON.stringify(options)}`;
  if (!formatters.has(key)) formatters.set(key, new Intl.DateTimeFormat('en-US', { timeZone: zone, ...options }));
  return formatters.get(key).format(date);
}

/** The calendar day, as a key that compares equal within one day of the zone. */
export function dayKey(date, zone) {
  return format(date, zone, { year: 'numeric', month: '2-digit', day: '2-digit' });
}

function ordinal(number) {
  const rest = number % 100;
  if (rest >= 11 && rest <= 13) return `${number}th`;
  return number + ({ 1: 'st', 2: 'nd', 3: 'rd' }[number % 10] || 'th');
}

/** "Today", "Yesterday", "Tomorrow", or null. */
function nearDay(date, zone, now) {
  const day = 24 * 3600 * 1000;
  const key = dayKey(date, zone);
  if (key === dayKey(now, zone)) return 'Today';
  if (key === dayKey(new Date(now.getTime() - day), zone)) return 'Yesterday';
  if (key === dayKey(new Date(now.getTime() + day), zone)) return 'Tomorrow';
  return null;
}

/** The words on the line between two days: "Today" or "Monday, March 2nd". */
export function dayTitle(date, zone, now) {
  const word = nearDay(date, zone, now);
  if (word) return word;
  return `${format(date, zone, { weekday: 'long' })}, ${format(date, zone, { month: 'long' })} ${ordinal(dayOf(date, zone))}`;
}

function dayOf(date, zone) {
  return Number(format(date, zone, { day: 'numeric' }));
}

/** "9:05 AM". */
export function clockTime(date, zone) {
  return format(date, zone, { hour: 'numeric', minute: '2-digit' });
}

/** "Monday, March 2, 2026 at 9:05:07 AM": the tooltip of a time. */
export function fullTime(date, zone) {
  return format(date, zone, {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
  });
}

/** "just now", "5 minutes ago", "today at 9:05 AM". */
export function lastReply(date, zone, now) {
  const minutes = Math.round((now - date) / 60000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} minute${minutes === 1 ? '' : 's'} ago`;
  const near = nearDay(date, zone, now);
  return `${near ? near.toLowerCase() : format(date, zone, { month: 'short', day: 'numeric' })} at ${clockTime(date, zone)}`;
}

const FIELDS = {
  date_num: (d, z) => format(d, z, { year: 'numeric', month: '2-digit', day: '2-digit' }).replace(/(\d+)\/(\d+)\/(\d+)/, '$3-$1-$2'),
  date_slash: (d, z) => format(d, z, { year: 'numeric', month: '2-digit', day: '2-digit' }),
  date: longDate,
  date_short: (d, z) => format(d, z, { month: 'short', day: 'numeric', year: 'numeric' }),
  date_long: (d, z) => `${format(d, z, { weekday: 'long' })}, ${longDate(d, z)}`,
  date_pretty: (d, z, now) => near(d, z, now) || FIELDS.date(d, z),
  date_short_pretty: (d, z, now) => near(d, z, now) || FIELDS.date_short(d, z),
  date_long_pretty: (d, z, now) => near(d, z, now) || FIELDS.date_long(d, z),
  day_divider_pretty: (d, z, now) => nearDay(d, z, now) || FIELDS.date_long(d, z),
  time: clockTime,
  time_secs: (d, z) => format(d, z, { hour: 'numeric', minute: '2-digit', second: '2-digit' }),
  ago: (d, z, now) => ago(d, now),
};

function longDate(date, zone) {
  return `${format(date, zone, { month: 'long' })} ${ordinal(dayOf(date, zone))}, ${format(date, zone, { year: 'numeric' })}`;
}

function near(date, zone, now) {
  const word = nearDay(date, zone, now);
  return word && word.toLowerCase();
}

function ago(date, now) {
  const seconds = Math.round((now - date) / 1000);
  const steps = [
    [60, 'second'],
    [60, 'minute'],
    [24, 'hour'],
    [365, 'day'],
    [Infinity, 'year'],
  ];
  let amount = Math.abs(seconds);
  for (const [size, unit] of steps) {
    if (amount < size) {
      const words = `${Math.floor(amount)} ${unit}${Math.floor(amount) === 1 ? '' : 's'}`;
      return seconds >= 0 ? `${words} ago` : `in ${words}`;
    }
    amount /= size;
  }
  return '';
}

/**
 * A date as in <!date^1700000000^{date_short_pretty} at {time}|fallback>: the pattern with its fields filled in. A pattern with a
 * field that is unknown, or an unreadable time, gives the fallback, as in Slack. The first letter is raised at the start of a line.
 */
export function datePattern(seconds, pattern, fallback, zone, now, atStart) {
  const date = new Date(Number(seconds) * 1000);
  if (!seconds || Number.isNaN(date.getTime())) return fallback;
  let known = true;
  const filled = pattern.replace(/\{([a-z_]+)\}/g, (whole, field) => {
    if (FIELDS[field]) return FIELDS[field](date, zone, now);
    known = false;
    return whole;
  });
  if (!known) return fallback || filled;
  return atStart ? filled.charAt(0).toUpperCase() + filled.slice(1) : filled;
}
