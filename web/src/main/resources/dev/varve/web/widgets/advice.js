/** What the advisor says of the dataset: what to do, why, what it brings, and the steps. */
import { h } from 'preact';
import { api, useAnswer } from '../api.js';
import { Notice } from './notice.js';
import { Table } from './table.js';

const VERDICTS = {
  keep: 'Keep the layout',
  change: 'Change the layout',
  companion: 'Add a second layout',
  unknown: 'Too little is known to advise',
};

/** Lines of the comparison: a title, the part of the costs, a name, a factor. */
const COSTS = [
  ['Ranges of a query', 'read', 'requests', 1],
  ['Rows of a query', 'read', 'rows', 1],
  ['Cells of a query', 'read', 'cells', 1],
  ['Bytes of a query', 'read', 'bytes', 1],
  ['Cells of a sample written', 'write', 'cells', 1],
  ['Bytes of a sample written', 'write', 'bytes', 1],
  ['Bytes of the largest row', 'write', 'largestRow', 1],
  ['% of writes in one place', 'write', 'hottest', 100],
];

/** @param {number} value @returns {string} with one digit behind the point where that matters */
function amount(value) {
  return value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 });
}

/** Asks the advisor when it appears. */
export function Advice() {
  const answer = useAnswer((signal) => api.advice(signal), []);
  const advice = answer.data;
  return h(
    'section',
    { id: 'advice', 'aria-label': 'Advice', 'aria-busy': String(answer.loading) },
    h(Notice, { answer }),
    advice && [
      h('h2', null, VERDICTS[advice.verdict] ?? advice.verdict),
      h(
        'p',
        { class: 'quiet' },
        `Present layout of ${advice.dataset}: ${advice.layout.join('; ')}`,
      ),
      advice.missing.map((text) => h('p', { class: 'warning' }, `Missing: ${text}`)),
      advice.reasons.map((reason) =>
        h('p', null, h('strong', { title: reason.about }, reason.rule), ' ', reason.text),
      ),
      advice.present.write.cells > 0 && h(Costs, { advice }),
      advice.queries.length > 0 && h(Queries, { advice }),
      advice.proposal?.commands.map((command) => [
        h('p', null, command.about),
        h('pre', { tabIndex: 0, 'aria-label': command.about }, command.text),
      ]),
    ],
  );
}

function Costs({ advice }) {
  const of = (side, [, part, name, factor]) => amount(side[part][name] * factor);
  const columns = [
    { title: 'As planned', of: (line) => line[0] },
    { title: 'Present', number: true, of: (line) => of(advice.present, line) },
  ];
  if (advice.proposal) {
    columns.push({ title: 'Proposed', number: true, of: (line) => of(advice.proposal, line) });
  }
  return h(Table, { id: 'advice-costs', caption: 'Costs', columns, rows: COSTS });
}

function Queries({ advice }) {
  const columns = [
    { title: 'Query', of: (one) => one.query, sort: (one) => one.query },
    { title: 'Asked', number: true, of: (one) => amount(one.count), sort: (one) => one.count },
    { title: 'Cells read', number: true, of: (one) => amount(one.measured.cells) },
    { title: 'Cells planned', number: true, of: (one) => amount(one.present.cells) },
  ];
  if (advice.proposal) {
    columns.push({
      title: 'Cells proposed',
      number: true,
      of: (one) => amount(one.proposed.cells),
    });
  }
  return h(Table, { id: 'advice-queries', caption: 'Queries', columns, rows: advice.queries });
}
