/** Small charts of metrics: the server's own at first, so that there is always something to see. */
import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, useAnswer } from '../api.js';
import { metrics } from '../completion.js';
import { count, selectorOf } from '../format.js';
import { columns } from '../matrix.js';
import { range } from '../time.js';
import { useAddress } from '../address.js';
import { Chart } from './chart.js';
import { Empty, Notice } from './notice.js';

const SHOWN = 12;
const LINES_MAX = 8;
const AGAIN_MS = 3000;

/** The server's own metrics that are worth a first look, in order; others follow by name. */
const FIRST = [
  'jvm_memory_used_bytes',
  'process_cpu_seconds_total',
  'varve_http_requests_total',
  'varve_query_seconds_count',
  'varve_query_samples_total',
  'varve_connections',
  'varve_catalog_series',
  'varve_head_samples',
  'varve_query_memory_bytes',
  'jvm_gc_collection_seconds_total',
  'varve_data_disk_free_bytes',
  'jvm_threads_current',
];

const OWN = /^(varve|jvm|process)_/;

/** @param {string} name of a metric @returns {string} a query that shows how it moves */
export function overview(name) {
  const selector = selectorOf(name);
  return /_(total|count|sum|bucket)$/.test(name) ? `sum(rate(${selector}[1m]))` : selector;
}

/** @param {{ onOpen: (query: string) => void }} props */
export function MetricGrid({ onOpen }) {
  const [wanted, setWanted] = useState('');
  const [shown, setShown] = useState(SHOWN);
  const [tries, setTries] = useState(0);
  const answer = useAnswer(() => metrics(), [tries]);
  const names = answer.data;
  useEffect(() => {
    if (!names || names.length > 0) {
      return undefined;
    }
    const wait = setTimeout(() => setTries(tries + 1), AGAIN_MS);
    return () => clearTimeout(wait);
  }, [names, tries]);

  const found = choose(names ?? [], wanted);
  return h(
    'section',
    { 'aria-label': 'Metrics' },
    h(
      'div',
      { class: 'tools' },
      h('h2', null, wanted ? 'Metrics' : 'Metrics of this server'),
      h('input', {
        type: 'search',
        id: 'find-metric',
        placeholder: 'Find a metric',
        'aria-label': 'Find a metric',
        value: wanted,
        onInput: (/** @type {FieldEvent} */ event) => {
          setWanted(event.currentTarget.value);
          setShown(SHOWN);
        },
      }),
      names && h('span', { class: 'quiet' }, `${count(found.length)} of ${count(names.length)}`),
    ),
    h(Notice, { answer }),
    names?.length === 0 &&
      h(
        Empty,
        null,
        'The dataset is empty so far. The server writes its own metrics into the default dataset every few seconds, and this page looks again by itself.',
      ),
    names && names.length > 0 && found.length === 0 && h(Empty, null, 'No metric has such a name.'),
    h(
      'div',
      { class: 'grid' },
      found.slice(0, shown).map((name) => h(Small, { key: name, name, onOpen })),
    ),
    found.length > shown &&
      h('button', { onClick: () => setShown(shown + 2 * SHOWN) }, 'Show more'),
  );
}

/** @param {string[]} names @param {string} wanted @returns {string[]} those to show, in order */
function choose(names, wanted) {
  if (wanted) {
    const text = wanted.toLowerCase();
    return names.filter((name) => name.toLowerCase().includes(text));
  }
  const there = new Set(names);
  const first = FIRST.filter((name) => there.has(name));
  const own = names.filter((name) => OWN.test(name) && !FIRST.includes(name));
  return first.length + own.length > 0 ? [...first, ...own] : names;
}

/**
 * A small chart, drawn once it is in sight.
 * @param {{ name: string, onOpen: (query: string) => void }} props
 */
function Small({ name, onOpen }) {
  const address = useAddress();
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) {
        setSeen(true);
        watch.disconnect();
      }
    });
    watch.observe(/** @type {HTMLElement} */ (place.current));
    return () => watch.disconnect();
  }, []);
  const query = overview(name);
  const answer = useAnswer(
    seen
      ? async (signal) => {
          const shown = range(address, '15m');
          const data = await api.range(query, shown.start, shown.end, shown.step, signal);
          return { ...shown, ...columns(data.result.slice(0, LINES_MAX)), all: data.result.length };
        }
      : null,
    [seen, query, address.get('range'), address.get('end')],
  );
  const { data } = answer;
  return h(
    'article',
    { ref: place, class: 'card', 'data-metric': name },
    h('h3', null, h('button', { class: 'plain', onClick: () => onOpen(query) }, name)),
    h(Notice, { answer }),
    data && data.lines.length === 0 && h(Empty, null, 'no sample yet'),
    data &&
      data.lines.length > 0 &&
      h(Chart, { ...data, small: true, height: 110, label: `Chart of ${query}` }),
    data &&
      data.all > LINES_MAX &&
      h('small', { class: 'quiet' }, `${LINES_MAX} of ${count(data.all)} series`),
  );
}
