/** What the advisor says of the dataset: what to do, why, what it brings, and the steps. */
import { h } from 'preact';
import { api, useAnswer } from '../api.js';
import { Notice } from './notice.js';
import { Table } from './table.js';

/** @type {Record<Answer.Advice['verdict'], string>} */
const VERDICTS = {
  keep: 'Keep the layout',
  change: 'Change the layout',
  companion: 'Add a second layout',
  unknown: 'Too little is known to advise',
};

/**
 * Lines of the comparison.
 * @type {{ title: string, of: (costs: Answer.Costs) => number }[]}
 */
const COSTS = [
  { title: 'Ranges of a query', of: ({ read }) => read.requests },
  { title: 'Rows of a query', of: ({ read }) => read.rows },
  { title: 'Cells of a query', of: ({ read }) => read.cells },
  { title: 'Bytes of a query', of: ({ read }) => read.bytes },
  { title: 'Cells of a sample written', of: ({ write }) => write.cells },
  { title: 'Bytes of a sample written', of: ({ write }) => write.bytes },
  { title: 'Bytes of the largest row', of: ({ write }) => write.largestRow },
  { title: '% of writes in one place', of: ({ write }) => 100 * write.hottest },
];

/** @param {number} value @returns {string} with one digit behind the point where that matters */
function amount(value) {
  if (value > 0 && value < 0.05) {
    return value.toLocaleString('en', { maximumSignificantDigits: 1 });
  }
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
      h('h2', null, VERDICTS[advice.verdict]),
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

/** @param {{ advice: Answer.Advice }} props */
function Costs({ advice }) {
  const { present, proposal } = advice;
  /** @type {Column<(typeof COSTS)[number]>[]} */
  const columns = [
    { title: 'As planned', of: (line) => line.title },
    { title: 'Present', number: true, of: (line) => amount(line.of(present)) },
  ];
  if (proposal) {
    columns.push({ title: 'Proposed', number: true, of: (line) => amount(line.of(proposal)) });
  }
  return h(Table, { id: 'advice-costs', caption: 'Costs', columns, rows: COSTS });
}

/** @param {{ advice: Answer.Advice }} props */
function Queries({ advice }) {
  /** @type {Column<Answer.AdvisedQuery>[]} */
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
      of: (one) => one.proposed && amount(one.proposed.cells),
    });
  }
  return h(Table, { id: 'advice-queries', caption: 'Queries', columns, rows: advice.queries });
}
