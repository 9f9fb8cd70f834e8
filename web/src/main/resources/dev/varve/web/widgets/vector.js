/** The values of a query at the end of the stretch, as a table from which one can drill down. */
import { h } from 'preact';
import { useAddress } from '../address.js';
import { api, useAnswer } from '../api.js';
import { count, number, series } from '../format.js';
import { parse } from '../matrix.js';
import { narrowed, splitBy } from '../selector.js';
import { range } from '../time.js';
import { Empty, Notice } from './notice.js';
import { Table } from './table.js';

const ROWS_MAX = 500;
const COLUMNS_MAX = 12;

/**
 * @param {Labels[]} metrics
 * @returns {[string, number][]} labels with more than one value and the number of their values
 */
function varying(metrics) {
  /** @type {Map<string, Set<string>>} */
  const values = new Map();
  for (const metric of metrics) {
    for (const [label, value] of Object.entries(metric)) {
      values.set(label, (values.get(label) ?? new Set()).add(value));
    }
  }
  return [...values]
    .filter(([label, found]) => label !== '__name__' && found.size > 1)
    .map(([label, found]) => [label, found.size]);
}

/**
 * Buttons that sum a query by one of the labels in its result.
 * @param {{ metrics: Labels[], query: string, onQuery: (query: string) => void }} props
 */
export function SplitBy({ metrics, query, onQuery }) {
  const labels = varying(metrics);
  return (
    labels.length > 0 &&
    h(
      'p',
      { class: 'split' },
      'Sum by ',
      labels
        .slice(0, COLUMNS_MAX)
        .map(([label, values]) =>
          h('button', { onClick: () => onQuery(splitBy(query, label)) }, `${label} (${values})`),
        ),
    )
  );
}

/** @param {{ query: string, asked: number, onQuery: (query: string) => void }} props */
export function Vector({ query, asked, onQuery }) {
  const address = useAddress();
  const answer = useAnswer(
    (signal) => api.query(query, range(address).end, signal),
    [query, asked, address.get('range'), address.get('end')],
  );
  const { data } = answer;
  return [h(Notice, { answer }), data && h(Result, { data, query, onQuery })];
}

/** @param {{ data: Answer.Result, query: string, onQuery: (query: string) => void }} props */
function Result({ data, query, onQuery }) {
  if (data.resultType === 'scalar' || data.resultType === 'string') {
    return h('p', { class: 'big' }, String(data.result[1]));
  }
  if (data.resultType === 'matrix') {
    return h(Empty, null, 'This is a range of samples: look at them in the tab of raw samples.');
  }
  if (data.result.length === 0) {
    return h(Empty, null, 'No series has a value at the end of this stretch of time.');
  }
  const rows = data.result.slice(0, ROWS_MAX);
  const metrics = rows.map((row) => row.metric);
  const labels = [...new Set(metrics.flatMap((metric) => Object.keys(metric)))];
  /** @type {Column<Answer.VectorSample>[]} */
  const columns =
    labels.length > COLUMNS_MAX
      ? [{ title: 'series', of: (row) => series(row.metric), sort: (row) => series(row.metric) }]
      : labels.map((label) => ({
          title: label,
          of: (row) => h(Value, { label, value: row.metric[label], query, onQuery }),
          sort: (row) => row.metric[label] ?? '',
        }));
  columns.push({
    title: 'value',
    number: true,
    of: (row) => h('span', { title: row.value[1] }, number(parse(row.value[1]))),
    sort: (row) => parse(row.value[1]),
  });
  return [
    h(Table, { columns, rows, caption: `${count(data.result.length)} series` }),
    data.result.length > ROWS_MAX && h('p', { class: 'quiet' }, `The first ${ROWS_MAX} are shown.`),
    h(SplitBy, { metrics, query, onQuery }),
  ];
}

/**
 * A value of a label; choosing it narrows the query to it.
 * @param {{ label: string, value?: string, query: string, onQuery: (query: string) => void }} props
 */
function Value({ label, value, query, onQuery }) {
  const next = value !== undefined && label !== '__name__' ? narrowed(query, label, value) : null;
  return next
    ? h('button', { class: 'plain', title: 'Only this', onClick: () => onQuery(next) }, value)
    : (value ?? '');
}
