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

/**
 * The languages of queries by the parameter of each in the server's API.
 * @type {Record<string, string>}
 */
const LANGUAGES = {
  promql: 'PromQL',
  selector: 'selector',
  kairosdb: "KairosDB's JSON",
  opentsdb: "OpenTSDB's JSON or URL",
  heroic: "Heroic's JSON or language",
};

/**
 * A field for a query that is not PromQL.
 * @param {{ value: string, onAsk: (query: string) => void, label?: string }} props
 */
function PlainField({ value, onAsk, label }) {
  const [text, setText] = useState(value);
  return h(
    'div',
    { class: 'promql' },
    h('textarea', {
      'aria-label': label,
      rows: Math.min(12, text.split('\n').length + 1),
      spellcheck: false,
      value: text,
      onInput: (/** @type {FieldEvent} */ event) => setText(event.currentTarget.value),
    }),
    h('button', { class: 'main ask', onClick: () => onAsk(text.trim()) }, 'Run'),
  );
}

export function Explain() {
  const address = useAddress();
  const [asked, setAsked] = useState(0);
  const query = address.get('q') ?? '';
  const datasets = useAnswer(() => api.datasets(), []);
  const names = datasets.data?.datasets ?? [];
  const beside = address.get('beside');
  const named = address.get('language') ?? '';
  const language = Object.hasOwn(LANGUAGES, named) ? named : 'promql';
  const Field = language === 'promql' ? PromQlField : PlainField;
  return [
    h(
      'div',
      { class: 'tools' },
      h('h1', null, 'Explain'),
      h(RangePicker, { onNow: () => setAsked(asked + 1) }),
    ),
    h(
      'select',
      {
        id: 'language',
        'aria-label': 'Language',
        value: language,
        onChange: (/** @type {FieldEvent} */ event) =>
          follow({ language: event.currentTarget.value, q: null }),
      },
      Object.entries(LANGUAGES).map(([name, title]) => h('option', { value: name }, title)),
    ),
    h(Field, {
      key: language,
      value: query,
      label: LANGUAGES[language],
      onAsk: (/** @type {string} */ text) => follow({ q: text }),
    }),
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
            onChange: (/** @type {FieldEvent} */ event) =>
              follow({ beside: event.currentTarget.value }),
          },
          h('option', { value: '' }, 'none'),
          names.map((name) => h('option', { value: name }, name)),
        ),
      ),
    query
      ? h(
          'div',
          { class: 'beside' },
          h(Explanation, {
            query,
            language,
            asked,
            title: address.get('dataset') ?? datasets.data?.default ?? '',
          }),
          beside && h(Explanation, { query, language, asked, dataset: beside, title: beside }),
        )
      : h(Empty, null, 'Write a query: it is run, and each of its parts tells what it cost.'),
  ];
}

/**
 * @param {string} language
 * @param {string} query
 * @param {{ start: number, end: number, step: number }} range in seconds
 * @returns {import('../api.js').Fields} the parameters of a question to explain
 */
function question(language, query, { start, end, step }) {
  const times = { from: Math.round(start * 1000), to: Math.round(end * 1000) };
  switch (language) {
    case 'kairosdb':
    case 'opentsdb':
    case 'heroic':
      return { [language]: query, analyze: true };
    case 'selector':
      return { selector: query, ...times, analyze: true };
    default:
      return { promql: query, ...times, step: lengthText(step), analyze: true };
  }
}

/**
 * @param {{ query: string, language: string, asked: number, dataset?: string, title?: string }} props
 *     another dataset than that of the address
 */
function Explanation({ query, language, asked, dataset, title }) {
  const address = useAddress();
  const answer = useAnswer(
    (signal) => api.explain(question(language, query, range(address)), dataset, signal),
    [query, language, asked, dataset, address.get('range'), address.get('end')],
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
