/** The samples that are stored, with their own times, of the selector in a query. */
import { h } from 'preact';
import { useAddress } from '../address.js';
import { api, useAnswer } from '../api.js';
import { count, instant, series } from '../format.js';
import { selectorText } from '../selector.js';
import { range, seconds } from '../time.js';
import { Empty, Notice } from './notice.js';
import { Table } from './table.js';

const SERIES_MAX = 20;
const SAMPLES_MAX = 200;

/** @param {{ query: string, asked: number }} props */
export function Samples({ query, asked }) {
  const address = useAddress();
  const selector = selectorText(query);
  const { length, end } = range(address);
  const answer = useAnswer(
    selector
      ? (signal) => api.query(`${selector}[${Math.ceil(seconds(length) ?? 0)}s]`, end, signal)
      : null,
    [selector, asked, address.get('range'), address.get('end')],
  );
  if (!selector) {
    return h(Empty, null, 'Only a query with one selector has raw samples; this one has more.');
  }
  const found = answer.data?.resultType === 'matrix' ? answer.data.result : [];
  return [
    h(Notice, { answer }),
    answer.data && found.length === 0 && h(Empty, null, 'No sample in this stretch of time.'),
    found.slice(0, SERIES_MAX).map((one) => h(OfSeries, { one })),
    found.length > SERIES_MAX &&
      h('p', { class: 'quiet' }, `${count(found.length - SERIES_MAX)} more series are not shown.`),
  ];
}

/** @param {{ one: Answer.MatrixSeries }} props */
function OfSeries({ one }) {
  const rows = one.values.slice(-SAMPLES_MAX).reverse();
  const shown = rows.length < one.values.length ? `, the last ${SAMPLES_MAX} shown` : '';
  return h(
    'details',
    { open: true },
    h('summary', null, `${series(one.metric)}: ${count(one.values.length)} samples${shown}`),
    h(Table, {
      rows,
      caption: `Samples of ${series(one.metric)}, the last one first`,
      columns: [
        { title: 'time', of: (row) => instant(Math.round(row[0] * 1000)) },
        { title: 'value', number: true, of: (row) => row[1] },
      ],
    }),
  );
}
