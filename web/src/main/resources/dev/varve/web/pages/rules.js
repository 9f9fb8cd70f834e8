/** Rules and alerts: which alerts are pending or firing, and how the rules of the dataset do. */
import { h } from 'preact';
import { useState } from 'preact/hooks';
import { link } from '../address.js';
import { api, useAnswer } from '../api.js';
import { duration, series } from '../format.js';
import { Empty, Notice } from '../widgets/notice.js';
import { Table } from '../widgets/table.js';

export function Rules() {
  const [asked, setAsked] = useState(0);
  const alerts = useAnswer((signal) => api.alerts(signal), [asked]);
  const rules = useAnswer((signal) => api.rules(signal), [asked]);
  const groups = rules.data?.groups ?? [];
  return [
    h(
      'div',
      { class: 'tools' },
      h('h1', null, 'Rules and alerts'),
      h('button', { class: 'main', onClick: () => setAsked(asked + 1) }, 'Ask again'),
    ),
    h('h2', null, 'Alerts'),
    h(Notice, { answer: alerts }),
    alerts.data && h(Alerts, { alerts: alerts.data.alerts }),
    h('h2', null, 'Rules'),
    h(Notice, { answer: rules }),
    rules.data &&
      groups.length === 0 &&
      h(
        Empty,
        null,
        'This dataset has no rules; section rules of the configuration names their files.',
      ),
    groups.map((group) => h(Group, { group })),
  ];
}

/** @param {{ alerts: Answer.Alert[] }} props */
function Alerts({ alerts }) {
  return alerts.length === 0
    ? h(Empty, null, 'No alert is pending or firing.')
    : h(Table, {
        rows: alerts,
        caption: 'Pending and firing alerts',
        columns: [
          {
            title: 'state',
            of: (row) => h('b', { class: row.state }, row.state),
            sort: (row) => row.state,
          },
          { title: 'alert', of: (row) => series(row.labels), sort: (row) => series(row.labels) },
          { title: 'what it says', of: (row) => texts(row.annotations) },
          { title: 'since', of: (row) => row.activeAt, sort: (row) => row.activeAt },
          { title: 'value', number: true, of: (row) => row.value },
        ],
      });
}

/** @param {Labels} annotations */
function texts(annotations) {
  return Object.entries(annotations).map(([name, text]) => h('div', null, `${name}: ${text}`));
}

/** @param {{ group: Answer.RuleGroup }} props */
function Group({ group }) {
  return h(
    'section',
    { 'aria-label': `Group ${group.name}` },
    h('h3', null, group.name),
    h('p', { class: 'quiet' }, `${group.file}, every ${group.interval} s`),
    h(Table, {
      rows: group.rules,
      columns: [
        { title: 'rule', of: (row) => row.name, sort: (row) => row.name },
        { title: 'kind', of: (row) => row.type, sort: (row) => row.type },
        {
          title: 'query',
          of: (row) =>
            h(
              'a',
              { href: link({ page: 'explore', q: row.query, view: 'chart' }, ['dataset']) },
              h('code', null, row.query),
            ),
        },
        { title: 'state', of: (row) => row.state ?? '', sort: (row) => row.state ?? '' },
        {
          title: 'health',
          of: (row) => (row.lastError ? `${row.health}: ${row.lastError}` : row.health),
          sort: (row) => row.health,
        },
        {
          title: 'took',
          number: true,
          of: (row) => duration(Math.round((row.evaluationTime ?? 0) * 1e6)),
          sort: (row) => row.evaluationTime ?? 0,
        },
      ],
    }),
  );
}
