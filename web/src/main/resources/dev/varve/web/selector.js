/**
 * Changes a query by its text where it is one selector, possibly inside of calls, such as
 * sum by (job) (rate(m{a="b"}[5m])). Other queries are not touched.
 */
import { labelName, quoted } from './format.js';

/**
 * @typedef {{ from: number, name: string, open: number, close: number, to: number }} Place of a
 *     selector in a query; open and close are the places of its braces, -1 without braces
 */

/** @param {string} query @returns {Place | null} null if the query is anything else */
export function selectorIn(query) {
  let at = 0;
  let depth = 0;
  const call =
    /^\s*(?:-?\d[\d.e]*\s*,\s*)?(?:[a-z_0-9]+(?:\s+(?:by|without)\s*\([^()]*\))?\s*)?\(/i;
  for (let found = call.exec(query); found; found = call.exec(query.slice(at))) {
    at += found[0].length;
    depth++;
  }
  at += /^\s*(?:-?\d[\d.e]*\s*,)?\s*/.exec(query.slice(at))?.[0].length ?? 0;
  const from = at;
  const name = /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(query.slice(at))?.[0] ?? '';
  at += name.length;
  let open = -1;
  let close = -1;
  if (query[at] === '{') {
    open = at;
    close = closing(query, at);
    if (close < 0) {
      return null;
    }
    at = close + 1;
  }
  const to = at;
  const rest = query
    .slice(at)
    .replace(/^\s*\[[^\]]*\]/, '')
    .trim();
  const ends = rest.replace(/\s|\b(?:by|without)\s*\([^()]*\)/g, '');
  return (name || open >= 0) && ends === ')'.repeat(depth) ? { from, name, open, close, to } : null;
}

/**
 * @param {string} query
 * @param {number} open the place of a brace
 * @returns {number} the place of the brace that closes it; -1 if none does
 */
function closing(query, open) {
  for (let i = open + 1, quote = ''; i < query.length; i++) {
    const c = query[i];
    if (quote) {
      if (c === '\\' && quote !== '`') {
        i++;
      } else if (c === quote) {
        quote = '';
      }
    } else if (c === '"' || c === "'" || c === '`') {
      quote = c;
    } else if (c === '}') {
      return i;
    }
  }
  return -1;
}

/** @param {string} query @returns {string | null} its selector alone; null if it has not just one */
export function selectorText(query) {
  const place = selectorIn(query);
  return place && query.slice(place.from, place.to);
}

/**
 * @param {string} query
 * @param {string} label
 * @param {string} value
 * @returns {string | null} the query with one matcher more; null if it cannot take one
 */
export function narrowed(query, label, value) {
  const place = selectorIn(query);
  if (!place) {
    return null;
  }
  const matcher = `${labelName(label)}=${quoted(value)}`;
  if (place.open < 0) {
    return `${query.slice(0, place.to)}{${matcher}}${query.slice(place.to)}`;
  }
  const inside = query.slice(place.open + 1, place.close).trim();
  const joined = inside ? `${inside.replace(/,$/, '')}, ${matcher}` : matcher;
  return `${query.slice(0, place.open + 1)}${joined}${query.slice(place.close)}`;
}

/** @param {string} query @param {string} label @returns {string} the query, summed by the label */
export function splitBy(query, label) {
  return `sum by (${labelName(label)}) (${query})`;
}
