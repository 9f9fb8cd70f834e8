/**
 * PromQL as a row of tokens, for colours alone: whether a text is a query is for the server's
 * parser to say, so any text has tokens, and together they are the text.
 */

/** @typedef {'comment' | 'string' | 'number' | 'function' | 'keyword' | 'label' | 'metric' | 'sign' | ''} Kind */

const KEYWORDS = new Set(
  'by without on ignoring group_left group_right offset bool and or unless atan2 inf nan'.split(
    ' ',
  ),
);

/** Words after which parentheses hold labels. */
const OF_LABELS = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);

const TOKEN = new RegExp(
  [
    '(?<comment>#[^\\n]*)',
    '(?<string>"(?:[^"\\\\\\n]|\\\\.)*"?|\'(?:[^\'\\\\\\n]|\\\\.)*\'?|`[^`]*`?)',
    '(?<number>0[xX][\\da-fA-F]+|(?:\\d+(?:ms|[smhdwy]))+|(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?)',
    '(?<word>[a-zA-Z_:][\\w:]*)',
    '(?<sign>=~|!~|[!=<>]=|[-+*/%^=<>@])',
    '(?<open>[({[])',
    '(?<close>[)}\\]])',
    '(?<space>\\s+)',
    '(?<other>[^])',
  ].join('|'),
  'g',
);

/**
 * @param {string} text
 * @returns {{ kind: Kind, text: string }[]} from the first character to the last
 */
export function tokens(text) {
  /** @type {{ kind: Kind, text: string }[]} */
  const found = [];
  /** Whether each bracket that is open holds labels. */
  const brackets = [];
  let before = '';
  for (const match of text.matchAll(TOKEN)) {
    const groups = match.groups ?? {};
    const [token] = match;
    const rest = text.slice(match.index + token.length);
    if (groups.open) {
      brackets.push(token === '{' || (token === '(' && OF_LABELS.has(before)));
    } else if (groups.close) {
      brackets.pop();
    }
    found.push({ kind: kindOf(groups, rest, brackets.at(-1) ?? false), text: token });
    before = groups.space || groups.comment ? before : token.toLowerCase();
  }
  return found;
}

/**
 * @param {Record<string, string | undefined>} groups
 * @param {string} rest what follows
 * @param {boolean} amongLabels
 * @returns {Kind}
 */
function kindOf(groups, rest, amongLabels) {
  const { word } = groups;
  if (word === undefined) {
    const named = /** @type {Kind[]} */ (['comment', 'string', 'number', 'sign']);
    return named.find((kind) => groups[kind] !== undefined) ?? '';
  }
  if (amongLabels) {
    return 'label';
  }
  if (KEYWORDS.has(word.toLowerCase())) {
    return 'keyword';
  }
  return /^\s*(\(|(by|without)\b)/i.test(rest) ? 'function' : 'metric';
}
