/** Status: what the server does now, how full its budgets are, and its stores and targets. */
import { h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api, useAnswer } from '../api.js';
import { bytes, count, duration } from '../format.js';
import { figures, budgets, perDataset, perStore } from '../figures.js';
import { Confirm } from '../widgets/confirm.js';
import { Meter } from '../widgets/meter.js';
import { Empty, Notice } from '../widgets/notice.js';
import { Table } from '../widgets/table.js';

const AGAIN_MS = 2000;

/**
 * Counts up while the page is seen, so that answers stay fresh.
 * @param {number} interval in milliseconds
 * @returns {[number, () => void]} the count, and what counts up at once
 */
function useTicks(interval) {
  const [ticks, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setTicks((before) => before + 1), interval);
    return () => clearInterval(timer);
  }, [interval]);
  return [ticks, () => setTicks((before) => before + 1)];
}

export function Status() {
  const [ticks, tick] = useTicks(AGAIN_MS);
  return [
    h('h1', null, 'Status'),
    h(Queries, { ticks, onChange: tick }),
    h(Figures, { ticks }),
    h(Damage, { ticks }),
    h(Targets, { ticks }),
  ];
}

/** @param {{ ticks: number, onChange: () => void }} props */
function Queries({ ticks, onChange }) {
  const answer = useAnswer((signal) => api.queries(signal), [ticks]);
  const [doomed, setDoomed] = useState(/** @type {Answer.RunningQuery | null} */ (null));
  const [outcome, setOutcome] = useState('');
  /** @param {string} id */
  const kill = async (id) => {
    setDoomed(null);
    try {
      await api.kill(id);
      setOutcome(`Query ${id} was ended.`);
    } catch (error) {
      setOutcome(error instanceof Error ? error.message : String(error));
    }
    onChange();
  };
  const { data } = answer;
  const slow = data?.slow ?? [];
  return h(
    'section',
    { id: 'queries' },
    h('h2', null, 'Queries'),
    h(Notice, { answer }),
    outcome && h('p', { role: 'status' }, outcome),
    data && h('p', null, `${count(data.running)} running, ${count(data.waiting)} waiting`),
    data &&
      data.queries.length > 0 &&
      h(Table, {
        rows: data.queries,
        caption: 'Running and waiting queries',
        columns: running(setDoomed),
      }),
    slow.length > 0 &&
      h(Table, {
        rows: slow,
        caption: 'Slow queries since the start, the last one first',
        id: 'slow',
        columns: SLOW,
      }),
    doomed &&
      h(
        Confirm,
        {
          title: 'End this query?',
          action: 'End the query',
          onYes: () => kill(doomed.id),
          onNo: () => setDoomed(null),
        },
        h('p', null, h('code', null, doomed.text)),
        h(
          'p',
          null,
          `It has run for ${duration(doomed.ranMs * 1000)} for ${doomed.client}, which will get an error. Nothing is written or lost.`,
        ),
      ),
  );
}

/** @type {Column<Answer.QueryOrigin>[]} */
const ORIGIN = [
  { title: 'query', of: (row) => h('code', null, row.text), sort: (row) => row.text },
  { title: 'language', of: (row) => row.language, sort: (row) => row.language },
  { title: 'dataset', of: (row) => row.dataset, sort: (row) => row.dataset },
  { title: 'client', of: (row) => row.client, sort: (row) => row.client },
];

/** @type {Column<Answer.RunningQuery | Answer.SlowQuery>[]} */
const USE = [
  {
    title: 'ran',
    of: (row) => duration(row.ranMs * 1000),
    sort: (row) => row.ranMs,
    number: true,
  },
  {
    title: 'samples',
    of: (row) => count(row.samplesRead),
    sort: (row) => row.samplesRead,
    number: true,
  },
];

/** @type {Column<Answer.SlowQuery>[]} */
const SLOW = [...ORIGIN, { title: 'outcome', of: (row) => row.outcome }, ...USE];

/**
 * @param {(row: Answer.RunningQuery) => void} onKill
 * @returns {Column<Answer.RunningQuery>[]}
 */
function running(onKill) {
  return [
    ...ORIGIN,
    { title: 'state', of: (row) => row.state },
    ...USE,
    {
      title: 'memory',
      of: (row) => bytes(row.bytesHeld),
      sort: (row) => row.bytesHeld,
      number: true,
    },
    {
      title: '',
      of: (row) => h('button', { class: 'danger', onClick: () => onKill(row) }, 'Kill…'),
    },
  ];
}

/** @param {{ ticks: number }} props */
function Figures({ ticks }) {
  const answer = useAnswer((signal) => api.figures(signal).then(figures), [ticks]);
  const datasets = answer.data ? perDataset(answer.data) : [];
  const stores = answer.data ? perStore(answer.data) : [];
  const build = answer.data?.find((one) => one.name === 'varve_build_info')?.labels;
  return h(
    'section',
    { id: 'budgets' },
    h('h2', null, 'Budgets'),
    h(Notice, { answer }),
    build && h('p', { class: 'quiet' }, `Varve ${build.version} on Java ${build.java}`),
    answer.data && budgets(answer.data).map((one) => h(Meter, { key: one.name, ...one })),
    datasets.length > 0 && h(Datasets, { datasets }),
    stores.length > 0 && h(Stores, { stores }),
  );
}

/** @param {{ datasets: Record<string, any>[] }} props */
function Datasets({ datasets }) {
  return [
    h('h2', null, 'Datasets and sealing'),
    h(Table, {
      rows: datasets,
      id: 'datasets',
      caption: 'Datasets',
      columns: [
        { title: 'dataset', of: (row) => row.dataset, sort: (row) => row.dataset },
        amount('series', 'series', count),
        amount('catalog', 'catalog', bytes),
        { title: 'catalog is', of: (row) => (row.complete === 0 ? 'being read' : 'complete') },
        amount('samples in memory', 'head', count),
        amount('the oldest since', 'age', (value) => duration(Math.round(value * 1e6))),
        amount('journal', 'journal', bytes),
        amount('seals', 'seals', count),
        amount('samples sealed', 'sealed', count),
        amount('bytes sealed', 'sealedBytes', bytes),
        amount('markers to replay', 'markers', count),
        amount('deletes pending', 'deletes', count),
      ],
    }),
  ];
}

/** @param {{ stores: Record<string, any>[] }} props */
function Stores({ stores }) {
  return [
    h('h2', null, 'Stores and recoveries'),
    h(Table, {
      rows: stores,
      id: 'stores',
      caption: 'Stores',
      columns: [
        { title: 'store', of: (row) => row.store, sort: (row) => row.store },
        amount('tables', 'tables', count),
        amount('cells', 'cells', count),
        amount('in files', 'bytes', bytes),
        amount('in memory', 'memory', bytes),
        amount('to compact', 'pending', bytes),
        amount('damage', 'damage', count),
        amount('failed work', 'errors', count),
      ],
    }),
    h('p', { id: 'recoveries' }, stores.map(recovered).join(' ')),
  ];
}

/** @param {Record<string, any>} row @returns {string} what the start of a store had to repair */
function recovered({ store, tornTails, cutBytes, damagedLogs, lostEdits, keptFiles }) {
  if (tornTails === undefined) {
    return `Store ${store} is outside of this process and recovers by itself.`;
  }
  return tornTails + damagedLogs + lostEdits === 0
    ? `Store ${store} was opened without a repair.`
    : `When store ${store} was opened, ${count(tornTails)} logs had a torn tail, of which ${bytes(cutBytes)} were cut; ${count(damagedLogs)} were damaged and ${count(lostEdits)} edits lost, ${count(keptFiles)} files were kept.`;
}

/**
 * @param {string} title
 * @param {string} name
 * @param {(value: number) => string} shown
 * @returns {Column} a number that a row may lack
 */
function amount(title, name, shown) {
  return {
    title,
    number: true,
    of: (row) => (row[name] === undefined ? '' : shown(row[name])),
    sort: (row) => row[name] ?? -1,
  };
}

/** @param {{ ticks: number }} props */
function Damage({ ticks }) {
  const answer = useAnswer((signal) => api.damage(signal), [ticks]);
  const found = answer.data?.damage ?? [];
  return h(
    'section',
    { id: 'damage' },
    h('h2', null, 'Damage'),
    h(Notice, { answer }),
    answer.data &&
      (found.length === 0
        ? h(Empty, null, 'None was met since the start. The command varve check reads everything.')
        : h(Table, {
            rows: found,
            columns: Object.keys(found[0]).map((name) => ({
              title: name,
              of: (/** @type {Record<string, any>} */ row) => row[name] ?? '',
            })),
          })),
  );
}

/** @param {{ ticks: number }} props */
function Targets({ ticks }) {
  const answer = useAnswer((signal) => api.targets(signal), [ticks]);
  const targets = answer.data?.activeTargets ?? [];
  return h(
    'section',
    { id: 'targets' },
    h('h2', null, 'Scrape targets'),
    h(Notice, { answer }),
    answer.data &&
      (targets.length === 0
        ? h(
            Empty,
            null,
            'This server scrapes nothing; section scrape of the configuration tells it to.',
          )
        : h(Table, {
            rows: targets,
            columns: [
              {
                title: 'job',
                of: (row) => row.labels?.job ?? row.scrapePool,
                sort: (row) => row.scrapePool,
              },
              { title: 'address', of: (row) => row.scrapeUrl, sort: (row) => row.scrapeUrl },
              { title: 'health', of: (row) => row.health, sort: (row) => row.health },
              { title: 'last error', of: (row) => row.lastError },
            ],
          })),
  );
}
