/** How the number of series of a dataset grew. */
import { h } from 'preact';
import { useState } from 'preact/hooks';
import { api, useAnswer } from '../api.js';
import { count, quoted } from '../format.js';
import { columns } from '../matrix.js';
import { Chart } from './chart.js';
import { Empty, Notice } from './notice.js';
import { Table } from './table.js';

const DAY = 86400;
const SHOWN = 7 * DAY;

/** @param {{ dataset: string }} props */
export function Growth({ dataset }) {
  const answer = useAnswer(
    async (signal) => {
      const end = Math.ceil(Date.now() / 1000);
      const query = `max(varve_catalog_series{dataset=${quoted(dataset)}})`;
      const found = await api.ofDefault(query, end - SHOWN, end, 1800, signal);
      return { start: end - SHOWN, end, ...columns(found.result) };
    },
    [dataset],
  );
  const [open, setOpen] = useState(false);
  const { data } = answer;
  const [values] = data?.lines.map((line) => line.values.filter((one) => one !== null)) ?? [];
  return h(
    'section',
    { id: 'growth' },
    h('h2', null, 'Growth'),
    h(Notice, { answer }),
    data && !values && h(Empty, null, 'The server has not recorded the number of series yet.'),
    data &&
      values && [
        h(
          'p',
          null,
          `${signed(Number(values.at(-1)) - Number(values[0]))} series since the first record of the last 7 days.`,
        ),
        h(Chart, { ...data, small: true, height: 110, label: 'Chart of the number of series' }),
      ],
    h(
      'details',
      {
        onToggle: (/** @type {{ currentTarget: HTMLDetailsElement }} */ event) =>
          setOpen(event.currentTarget.open),
      },
      h('summary', null, 'Day by day'),
      open && h(Days, null),
    ),
  );
}

/** @param {number} change */
function signed(change) {
  return `${change > 0 ? '+' : ''}${count(change)}`;
}

/** The record that the home keeps. */
function Days() {
  const answer = useAnswer((signal) => api.history(signal), []);
  const days = answer.data?.days ?? [];
  return [
    answer.error
      ? h(Empty, null, `This server has no daily record: ${answer.error.message}`)
      : h(Notice, { answer }),
    answer.data && days.length === 0 && h(Empty, null, 'No day is recorded yet.'),
    days.length > 0 &&
      h(Table, {
        caption: 'Series by day, the last one first',
        rows: days
          .map((one, at) => ({ ...one, change: at ? one.series - days[at - 1].series : null }))
          .reverse(),
        columns: [
          { title: 'day', of: (row) => row.day, sort: (row) => row.day },
          {
            title: 'series',
            number: true,
            of: (row) => count(row.series),
            sort: (row) => row.series,
          },
          {
            title: 'change',
            number: true,
            of: (row) => (row.change === null ? '' : signed(row.change)),
            sort: (row) => row.change ?? 0,
          },
        ],
      }),
  ];
}
