/** Explain: what each part of a query costs, and how its samples are read from the store. */
import { h } from 'preact';
import { useState } from 'preact/hooks';
import { useAddress, follow } from '../address.js';
import { api, useAnswer } from '../api.js';
import { duration } from '../format.js';
import { lengthText, range } from '../time.js';
import { Empty, Notice } from '../widgets/notice.js';
import { PlanTree } from '../widgets/plan-tree.js';
import { PromQlField } from '../widgets/promql-field.js';
import { RangePicker } from '../widgets/range-picker.js';

export function Explain() {
  const address = useAddress();
  const [asked, setAsked] = useState(0);
  const query = address.get('q') ?? '';
  const datasets = useAnswer(() => api.datasets(), []);
  const names = datasets.data?.datasets ?? [];
  const beside = address.get('beside');
  return [
    h(
      'div',
      { class: 'tools' },
      h('h1', null, 'Explain'),
      h(RangePicker, { onNow: () => setAsked(asked + 1) }),
    ),
    h(PromQlField, { value: query, onAsk: (text) => follow({ q: text }) }),
    names.length > 1 &&
      h(
        'label',
        { class: 'dataset' },
        'the same query over dataset ',
        h(
          'select',
          {
            id: 'beside-dataset',
            value: beside ?? '',
            onChange: (event) => follow({ beside: event.target.value }),
          },
          h('option', { value: '' }, 'none'),
          names.map((name) => h('option', { value: name }, name)),
        ),
      ),
    query
      ? h(
          'div',
          { class: 'beside' },
          h(Explanation, { query, asked, title: address.get('dataset') ?? datasets.data?.default }),
          beside && h(Explanation, { query, asked, dataset: beside, title: beside }),
        )
      : h(Empty, null, 'Write a query: it is run, and each of its parts tells what it cost.'),
  ];
}

function Explanation({ query, asked, dataset, title }) {
  const address = useAddress();
  const answer = useAnswer(
    (signal) => {
      const { start, end, step } = range(address);
      const values = {
        promql: query,
        from: Math.round(start * 1000),
        to: Math.round(end * 1000),
        step: lengthText(step),
        analyze: true,
      };
      return api.explain(values, dataset, signal);
    },
    [query, asked, dataset, address.get('range'), address.get('end')],
  );
  const { data } = answer;
  return h(
    'section',
    { class: 'explanation', 'data-explained': title },
    h('h2', null, `Dataset ${title ?? ''}`),
    h(Notice, { answer }),
    data && [
      data.microseconds !== undefined &&
        h('p', null, 'Ran for ', h('b', null, duration(data.microseconds)), '.'),
      h(PlanTree, { plan: data.plan, scans: data.scans, total: data.microseconds }),
      data.notes.map((note) => h('p', { class: 'quiet' }, note)),
    ],
  );
}
