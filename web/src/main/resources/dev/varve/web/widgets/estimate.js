/**
 * What a layout makes of a day of samples like one point: rows, cells and bytes, what a write
 * touches and what typical queries read. The server counts it in memory.
 */
import { h } from 'preact';
import { useAddress, follow } from '../address.js';
import { api, useAnswer } from '../api.js';
import { bytes, count, counted, number } from '../format.js';
import { Notice } from './notice.js';
import { Table } from './table.js';

const INTERVALS = ['10s', '1m', '5m', '1h'];
const BY_DEFAULT = '1m';
const WAIT_MS = 600;

/**
 * @param {{ name: string, layout: string, line: () => string, parameters: Record<string, string>,
 *     question: string }} props how the
 *     layout is called on the page, its name or declaration, what makes the point in the point
 *     form, and what tells one question from another
 */
export function Estimate({ name, layout, line, parameters, question }) {
  const asked = useAddress().get('interval') ?? '';
  const interval = INTERVALS.includes(asked) ? asked : BY_DEFAULT;
  const answer = useAnswer(
    async (signal) => {
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      return signal.aborted ? null : api.estimate(layout, line(), interval, parameters, signal);
    },
    [question, interval],
  );
  const estimates = answer.data?.estimates ?? [];
  return h(
    'section',
    { class: 'estimate', 'aria-label': `Estimate of ${name}` },
    h(
      'label',
      { class: 'quiet' },
      'A day of such points, one every ',
      h(
        'select',
        {
          class: 'interval',
          value: interval,
          onChange: (/** @type {FieldEvent} */ event) =>
            follow({ interval: event.currentTarget.value }),
        },
        INTERVALS.map((one) => h('option', { value: one }, one)),
      ),
    ),
    // What is wrong with the layout or the point is said once, above the cells.
    !answer.error && h(Notice, { answer }),
    h(
      'div',
      { class: answer.loading ? 'stale' : 'counted' },
      estimates.map((one) => h(Counted, { estimate: one })),
    ),
  );
}

/** @param {{ estimate: Answer.Estimate }} props */
function Counted({ estimate }) {
  const { samples, series, data, index, rowsOfWrite } = estimate;
  if (samples === 0) {
    return h('p', { class: 'quiet' }, `Layout ${estimate.layout} refuses such points.`);
  }
  const ofIndex = index.cells
    ? `, and ${count(index.cells)} cells in ${count(index.rows)} rows of index`
    : '';
  return [
    h(
      'p',
      null,
      h('b', null, `${number((data.bytes + index.bytes) / samples)} bytes a sample`),
      ` before compression: ${count(samples)} samples of ${count(series)} series are `,
      `${count(data.cells)} cells in ${count(data.rows)} rows${ofIndex}, ${bytes(data.bytes + index.bytes)}. `,
      `A write of one sample of each series touches ${counted(rowsOfWrite, 'row')}.`,
    ),
    h(Table, {
      caption: `Queries of layout ${estimate.layout}`,
      rows: estimate.reads,
      columns: [
        { title: 'query', of: (row) => row.what },
        { title: 'samples', number: true, of: (row) => count(row.wanted) },
        { title: 'ranges', number: true, of: (row) => row.refused ?? count(row.ranges) },
        { title: 'partitions', number: true, of: (row) => count(row.partitions) },
        { title: 'rows', number: true, of: (row) => count(row.rows) },
        { title: 'cells', number: true, of: (row) => count(row.cells) },
        { title: 'read', number: true, of: (row) => bytes(row.bytes) },
      ],
    }),
  ];
}
