/** Cardinality: which metrics, labels and values have the most series. */
import { h } from 'preact';
import { useAddress, follow, link } from '../address.js';
import { api, useAnswer } from '../api.js';
import { bytes, count, labelName, quoted, selectorOf } from '../format.js';
import { Notice } from '../widgets/notice.js';
import { Table } from '../widgets/table.js';

const LIMITS = ['10', '20', '50', '100'];

export function Cardinality() {
  const address = useAddress();
  const limit = LIMITS.includes(address.get('top') ?? '') ? address.get('top') : '20';
  const answer = useAnswer((signal) => api.cardinality(limit, signal), [limit]);
  return [
    h(
      'div',
      { class: 'tools' },
      h('h1', null, 'Cardinality'),
      h(
        'label',
        null,
        'top ',
        h(
          'select',
          { id: 'top', value: limit, onChange: (event) => follow({ top: event.target.value }) },
          LIMITS.map((one) => h('option', { value: one }, one)),
        ),
      ),
    ),
    h(Notice, { answer }),
    answer.data && h(Tables, { data: answer.data }),
  ];
}

function Tables({ data }) {
  const { numSeries } = data.headStats;
  return [
    h(
      'p',
      null,
      h('b', { class: 'big' }, count(numSeries)),
      ' series',
    ),
    h(
      'div',
      { class: 'beside' },
      h(Ranking, {
        caption: 'Series by metric',
        rows: data.seriesCountByMetricName,
        of: (name) => h('a', { href: explore(selectorOf(name)) }, name),
        whole: numSeries,
      }),
      h(Ranking, {
        caption: 'Values by label',
        rows: data.labelValueCountByLabelName,
        of: (name) =>
          h('a', { href: explore(`count by (${labelName(name)}) ({${labelName(name)}!=""})`) }, name),
      }),
      h(Ranking, {
        caption: 'Series by label and value',
        rows: data.seriesCountByLabelValuePair,
        of: (name) => h('a', { href: explore(pairSelector(name)) }, name),
        whole: numSeries,
      }),
      h(Ranking, {
        caption: 'Memory by label',
        rows: data.memoryInBytesByLabelName,
        of: (name) => name,
        shown: bytes,
      }),
    ),
  ];
}

/** @returns {string} the address of a query's table */
function explore(query) {
  return link({ page: 'explore', q: query, view: 'table' }, ['dataset']);
}

function pairSelector(pair) {
  const equals = pair.indexOf('=');
  return `{${labelName(pair.slice(0, equals))}=${quoted(pair.slice(equals + 1))}}`;
}

function Ranking({ caption, rows, of, whole, shown = count }) {
  return h(Table, {
    caption,
    rows,
    columns: [
      { title: 'name', of: (row) => of(row.name), sort: (row) => row.name },
      { title: 'count', number: true, of: (row) => shown(row.value), sort: (row) => row.value },
      ...(whole
        ? [{ title: 'share', number: true, of: (row) => `${((100 * row.value) / whole).toFixed(1)} %` }]
        : []),
    ],
  });
}
