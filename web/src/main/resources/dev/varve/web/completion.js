/** What may stand at the cursor of a PromQL text; the names come from the server. */
import { api } from './api.js';
import { labelName, selectorOf } from './format.js';

/** @typedef {{ text: string, insert: string, kind: string, detail?: string }} Choice */

const CHOICES_MAX = 50;
const KNOWN_MS = 30_000;
const KEYWORDS = ['by', 'without', 'on', 'ignoring', 'group_left', 'group_right', 'offset', 'bool'];

/**
 * Answers that change rarely, by question, for half a minute.
 * @type {Map<string, { since: number, answer: Promise<any> }>}
 */
const known = new Map();

/**
 * @template T
 * @param {string} question
 * @param {() => Promise<T>} ask
 * @returns {Promise<T>} its answer, or that of a moment ago
 */
function once(question, ask) {
  const entry = known.get(question);
  if (entry && Date.now() - entry.since < KNOWN_MS) {
    return entry.answer;
  }
  for (const [old, { since }] of known) {
    if (Date.now() - since >= KNOWN_MS) {
      known.delete(old);
    }
  }
  const answer = ask();
  known.set(question, { since: Date.now(), answer });
  answer.catch(() => known.delete(question));
  return answer;
}

/** @returns {Promise<string[]>} the names of all metrics */
export function metrics() {
  return once(`metrics ${location.search}`, () =>
    api.values('__name__', undefined, undefined, 10_000),
  );
}

function language() {
  return once('language', () => api.language());
}

/**
 * @typedef {{ kind: 'value', label: string, quote: string, metric: string, from: number }
 *     | { kind: 'label', metric: string, from: number } | { kind: 'word', from: number }
 *     | { kind: 'none', from: number }} Expected what may stand at a cursor, and where it begins
 */

/**
 * @param {string} text up to the cursor
 * @returns {Expected}
 */
export function expected(text) {
  let quote = '';
  let quoteAt = 0;
  let brace = -1;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quote) {
      if (c === '\\' && quote !== '`') {
        i++;
      } else if (c === quote) {
        quote = '';
      }
    } else if (c === '"' || c === "'" || c === '`') {
      quote = c;
      quoteAt = i;
    } else if (c === '{') {
      brace = i;
    } else if (c === '}') {
      brace = -1;
    }
  }
  const metric = brace < 0 ? '' : (/[a-zA-Z_:][\w:]*$/.exec(text.slice(0, brace))?.[0] ?? '');
  if (quote) {
    const label = /([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)\s*$/.exec(text.slice(0, quoteAt))?.[1];
    return brace >= 0 && label
      ? { kind: 'value', label, quote, metric, from: quoteAt + 1 }
      : { kind: 'none', from: text.length };
  }
  const from = text.length - (/[a-zA-Z_:][\w:]*$/.exec(text)?.[0].length ?? 0);
  if (brace >= 0) {
    return { kind: 'label', metric, from };
  }
  const grouping = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*$/i;
  return grouping.test(text) ? { kind: 'label', metric: '', from } : { kind: 'word', from };
}

/**
 * @param {string} text the whole query
 * @param {number} cursor
 * @returns {Promise<{ from: number, choices: Choice[] }>} what may replace the text between there
 *     and the cursor
 */
export async function choices(text, cursor) {
  const before = text.slice(0, cursor);
  const wanted = expected(before);
  const typed = before.slice(wanted.from);
  return { from: wanted.from, choices: best(await candidates(wanted), typed) };
}

/** @param {Expected} wanted @returns {Promise<Choice[]>} */
async function candidates(wanted) {
  const metric = 'metric' in wanted ? wanted.metric : '';
  const match = metric ? [selectorOf(metric)] : undefined;
  switch (wanted.kind) {
    case 'value': {
      const values = await once(`values ${wanted.label} ${match} ${location.search}`, () =>
        api.values(wanted.label, match),
      );
      return values.map((text) => ({
        text,
        insert: inside(wanted.quote, text),
        kind: 'value',
      }));
    }
    case 'label': {
      const labels = await once(`labels ${match} ${location.search}`, () => api.labels(match));
      return labels
        .filter((label) => label !== '__name__')
        .map((text) => ({ text, insert: labelName(text), kind: 'label' }));
    }
    case 'word':
      return words();
    default:
      return [];
  }
}

/** @param {string} quote @param {string} text @returns {string} what stands for it between quotes */
function inside(quote, text) {
  return quote === '`'
    ? text
    : text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replaceAll(quote, `\\${quote}`);
}

/** @returns {Promise<Choice[]>} */
async function words() {
  const [names, { functions, aggregations }] = await Promise.all([metrics(), language()]);
  return [
    ...names.map((text) => ({ text, insert: selectorOf(text), kind: 'metric' })),
    ...functions.map(({ name, takes, returns }) => ({
      text: name,
      insert: `${name}(`,
      kind: 'function',
      detail: `(${takes}) → ${returns}`,
    })),
    ...aggregations.map((text) => ({ text, insert: `${text}(`, kind: 'aggregation' })),
    ...KEYWORDS.map((text) => ({ text, insert: `${text} `, kind: 'keyword' })),
  ];
}

/**
 * @param {Choice[]} all
 * @param {string} typed
 * @returns {Choice[]} those that contain what was typed, first those that begin with it
 */
function best(all, typed) {
  const wanted = typed.toLowerCase();
  const ranked = [];
  for (const choice of all) {
    const place = choice.text.toLowerCase().indexOf(wanted);
    if (place >= 0 && choice.text !== typed) {
      ranked.push({ choice, rank: place === 0 ? 0 : 1 });
    }
  }
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, CHOICES_MAX)
    .map(({ choice }) => choice);
}
