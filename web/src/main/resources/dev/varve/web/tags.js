/**
 * Tags of a point as text: pairs such as host=a, with commas between. A name or a value that would
 * be read otherwise stands in quotes, as in JSON.
 */

const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const PAIR = new RegExp(`\\s*(${QUOTED}|[^=,"]*)=\\s*(${QUOTED}\\s*(?=,|$)|[^,]*)(?:,|$)`, 'y');

/** @param {string} text @returns {string} what it is without quotes */
function plain(text) {
  const trimmed = text.trim();
  if (!/^".*"$/s.test(trimmed)) {
    return trimmed;
  }
  try {
    return String(JSON.parse(trimmed));
  } catch {
    throw new Error(`this is no text in quotes as JSON has them: ${trimmed}`);
  }
}

/**
 * @param {string} text
 * @returns {Labels} tags by name
 * @throws {Error} if it is anything else
 */
export function tagPairs(text) {
  // Without a prototype, since a tag may be called __proto__.
  /** @type {Labels} */
  const pairs = Object.create(null);
  PAIR.lastIndex = 0;
  while (text.slice(PAIR.lastIndex).trim()) {
    const from = PAIR.lastIndex;
    const [, name, value] = PAIR.exec(text) ?? [];
    if (value === undefined || plain(name) === '') {
      throw new Error(
        `tags are pairs such as host=a, with commas between; this is none: ${text.slice(from).trim()}`,
      );
    }
    pairs[plain(name)] = plain(value);
  }
  return pairs;
}

/** @param {Labels} tags @returns {string} what {@link tagPairs} reads */
export function tagText(tags) {
  /** @param {string} text @param {RegExp} unquoted */
  const written = (text, unquoted) => (unquoted.test(text) ? text : JSON.stringify(text));
  return Object.entries(tags)
    .map(([name, value]) => `${written(name, NAME)}=${written(value, VALUE)}`)
    .join(', ');
}

const NAME = /^[^\s=,"](?:[^=,"]*[^\s=,"])?$/;
const VALUE = /^(?:[^\s,"](?:[^,]*[^\s,])?)?$/;
