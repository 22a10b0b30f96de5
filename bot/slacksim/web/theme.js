// Light, dark, or as the system has it. The choice is remembered in this browser; ?theme=dark in the address wins over it.

const KEY = 'slacksim.theme';
const CHOICES = ['auto', 'light', 'dark'];

const asked = new URLSearchParams(location.search).get('theme');
let current = CHOICES.includes(asked) ? asked : remembered();
apply();

function remembered() {
  try {
    const stored = localStorage.getItem(KEY);
    return CHOICES.includes(stored) ? stored : 'auto';
  } catch {
    return 'auto';
  }
}

function apply() {
  document.documentElement.dataset.theme = current;
}

/** The choice in force. */
export function theme() {
  return current;
}

/** Goes on to the next choice and remembers it. */
export function nextTheme() {
  current = CHOICES[(CHOICES.indexOf(current) + 1) % CHOICES.length];
  try {
    localStorage.setItem(KEY, current);
  } catch {
    // A browser that stores nothing keeps the choice until the page is closed.
  }
  apply();
}
