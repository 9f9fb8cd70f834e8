/** Heat map: which ranges of rows are read and written, and when. */
import { h } from 'preact';
import { useState } from 'preact/hooks';
import { useAddress, follow, link } from '../address.js';
import { api, useAnswer } from '../api.js';
import { bytes, count, duration, series } from '../format.js';
import { range } from '../time.js';
import { HeatCanvas } from '../widgets/heat-canvas.js';
import { Empty, Notice } from '../widgets/notice.js';
import { RangePicker, zoom } from '../widgets/range-picker.js';
import { Table } from '../widgets/table.js';

/**
 * @typedef {ReturnType<typeof asked>} Question
 * @typedef {import('../widgets/heat-canvas.js').Place} Place
 */

/**
 * What can be shown, with how a value is written.
 * @type {Record<Answer.HeatMeasure, (value: number) => string>}
 */
const MEASURES = {
  writes: (value) => `${count(value)} cells written`,
  reads: (value) => `${count(value)} cells read`,
  bytes: (value) => `${bytes(value)} read and written`,
  latency: (value) => `${duration(value)} a call`,
};

const BY_DEFAULT = '1h';
const ROWS = 64;
const COLUMNS = 120;
const ROWS_OF_RANGE = 24;

/**
 * @param {URLSearchParams} address
 * @param {{ start: number, end: number }} shown in seconds
 * @returns what the address asks for, of the server's parameters
 */
function asked(address, shown) {
  const what = address.get('what') ?? '';
  return {
    what: Object.hasOwn(MEASURES, what) ? what : 'writes',
    table: address.get('table'),
    from: Math.max(0, Math.round(shown.start * 1000)),
    to: Math.round(shown.end * 1000),
    'from-row': address.get('fromRow'),
    'to-row': address.get('toRow'),
    resolution: ROWS,
    columns: COLUMNS,
  };
}

export function HeatMap() {
  const address = useAddress();
  const [asks, setAsks] = useState(0);
  const shown = range(address, BY_DEFAULT);
  const question = asked(address, shown);
  const answer = useAnswer(
    (signal) => api.heatMap(question, signal),
    [
      asks,
      address.get('range'),
      address.get('end'),
      ...Object.entries(question)
        .filter(([name]) => name !== 'from' && name !== 'to')
        .map(([, value]) => value),
    ],
  );
  const map = answer.data;
  return [
    h(
      'div',
      { class: 'tools' },
      h('h1', null, 'Heat map'),
      map && map.tables.length > 1 && h(Tables, { map }),
      h(
        'label',
        null,
        'show ',
        h(
          'select',
          {
            id: 'what',
            value: question.what,
            onChange: (/** @type {FieldEvent} */ event) =>
              follow({ what: event.currentTarget.value }),
          },
          Object.keys(MEASURES).map((name) => h('option', { value: name }, name)),
        ),
      ),
      (question['from-row'] || question['to-row']) &&
        h('button', { id: 'all-rows', onClick: allRows }, 'All rows'),
      h(RangePicker, { byDefault: BY_DEFAULT, onNow: () => setAsks((times) => times + 1) }),
    ),
    h(Notice, { answer }),
    map?.within !== undefined &&
      h(
        'p',
        { class: 'quiet', id: 'within' },
        `Of the last three hours, in rows that have counters of their own and only series of ${map.within}.`,
      ),
    map && h(Shown, { map, question, picked: address.get('pick'), loading: answer.loading }),
  ];
}

function allRows() {
  follow({ fromRow: null, toRow: null });
}

/** @param {{ map: Answer.HeatMap }} props */
function Tables({ map }) {
  return h(
    'label',
    null,
    'table ',
    h(
      'select',
      {
        id: 'table',
        value: map.table,
        onChange: (/** @type {FieldEvent} */ event) =>
          follow({ table: event.currentTarget.value, fromRow: null, toRow: null, pick: null }),
      },
      map.tables.map((table) =>
        h(
          'option',
          { value: table.name },
          `${table.name} (${table.layout}${table.data ? '' : ', index'})`,
        ),
      ),
    ),
  );
}

/**
 * @param {{ map: Answer.HeatMap, question: Question, picked: string | null, loading: boolean }}
 *     props
 */
function Shown({ map, question, picked, loading }) {
  if (map.rows.length === 0) {
    return h(
      Empty,
      null,
      `${map.within === undefined ? 'Nothing' : 'No such row'} was read or written in table ${map.table} in this time. ${
        map.tables.find((one) => one.name === map.table)?.layout === 'blocks'
          ? 'Samples in blocks count when they are sealed, at the latest two hours after they came. '
          : ''
      }Counters are kept for 30 days.`,
    );
  }
  const shown = MEASURES[map.what];
  const place = map.rows.findIndex((row) => row.from === picked);
  return [
    h(Findings, { findings: map.findings }),
    h(
      'div',
      { class: loading ? 'stale' : undefined },
      h(HeatCanvas, {
        map,
        picked,
        shown,
        label: `${map.what} of table ${map.table}, ${map.rows.length} ranges of rows`,
        onPick: (/** @type {number} */ row) => follow({ pick: map.rows[row].from }),
        onZoom: (/** @type {Place} */ first, /** @type {Place} */ last) =>
          zoomInto(map, question, first, last),
        onOut: allRows,
      }),
    ),
    map.spread > 0.01 &&
      h(
        'p',
        { class: 'quiet' },
        `Of ${(100 * map.spread).toFixed(0)} % of the operations it is known only to several ranges where they went; they are spread over those.`,
      ),
    place >= 0 && h(Range, { map, place, question, shown }),
  ];
}

/** @param {{ findings: Answer.HeatMap['findings'] }} props */
function Findings({ findings }) {
  return h(
    'ul',
    { id: 'findings', 'aria-label': 'Findings' },
    findings.map((finding) =>
      h(
        'li',
        { class: 'warning' },
        h('b', null, finding.kind),
        ': ',
        finding.says,
        ' ',
        finding.labels.__name__ !== undefined &&
          h('a', { href: explore(finding.labels) }, 'Explore'),
      ),
    ),
  );
}

/** @param {Labels} labels @returns {string} the address of a query of a series */
function explore(labels) {
  return link({ page: 'explore', q: series(labels) }, ['dataset', 'range', 'end']);
}

/**
 * Shows the marked rows if they are several, and the marked time if it is several columns.
 * @param {Answer.HeatMap} map
 * @param {Question} question
 * @param {Place} first
 * @param {Place} last
 */
function zoomInto(map, question, first, last) {
  const rows = [first.row, last.row].sort((a, b) => a - b);
  const columns = [first.column, last.column].sort((a, b) => a - b);
  const wholeTime = columns[0] === 0 && columns[1] === map.columns - 1;
  const everyRow = rows[0] === 0 && rows[1] === map.rows.length - 1;
  // A brush along one row is meant for the time.
  if (!everyRow && rows[0] !== rows[1]) {
    follow({
      fromRow: map.rows[rows[0]].from,
      toRow: map.rows[rows[1] + 1]?.from ?? question['to-row'],
    });
  }
  if (!wholeTime && columns[0] !== columns[1]) {
    zoom(
      (map.from + columns[0] * map.step) / 1000,
      (map.from + (columns[1] + 1) * map.step) / 1000,
    );
  }
}

/**
 * The series of one range, as far as counters tell them apart.
 * @param {{ map: Answer.HeatMap, place: number, question: Question,
 *     shown: (value: number) => string }} props
 */
function Range({ map, place, question, shown }) {
  const from = map.rows[place].from;
  const to = map.rows[place + 1]?.from ?? question['to-row'];
  const answer = useAnswer(
    (signal) =>
      api.heatMap(
        { ...question, 'from-row': from, 'to-row': to, resolution: ROWS_OF_RANGE },
        signal,
      ),
    [from, to, map],
  );
  const rows = answer.data?.rows ?? [];
  return h(
    'section',
    { id: 'range-metrics' },
    h('h2', null, `Rows from ${map.rows[place].text}`),
    h(Notice, { answer }),
    answer.data &&
      h(Table, {
        caption: `${shown(map.rows[place].total)}, in ranges that begin with`,
        rows,
        columns: [
          {
            title: 'row',
            of: (row) =>
              row.labels.__name__ === undefined
                ? row.text
                : h('a', { href: explore(row.labels) }, row.text),
            sort: (row) => row.from,
          },
          {
            title: 'metric',
            of: (row) =>
              row.labels.__name__ !== undefined &&
              h('a', { href: explore({ __name__: row.labels.__name__ }) }, row.labels.__name__),
            sort: (row) => row.labels.__name__ ?? '',
          },
          {
            title: map.what,
            number: true,
            of: (row) => shown(row.total),
            sort: (row) => row.total,
          },
        ],
      }),
    h('button', { onClick: () => follow({ fromRow: from, toRow: to }) }, 'Zoom into these rows'),
  );
}
