/** Cardinality: which metrics, labels and values have the most series, and what they cost. */
import { h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAddress, follow, link } from '../address.js';
import { api, useAnswer } from '../api.js';
import { bytes, count, labelName, quoted, selectorOf } from '../format.js';
import { Growth } from '../widgets/growth.js';
import { Notice } from '../widgets/notice.js';
import { Saving, costOf, selectorOfTarget } from '../widgets/saving.js';
import { Table } from '../widgets/table.js';

/**
 * @typedef {import('../widgets/saving.js').Target} Target
 * @typedef {{ samples: number, rows: number, bytes: number, error?: string }} Cost
 */

const LIMITS = ['10', '20', '50', '100'];
const LENGTHS = ['1h', '6h', '1d'];

export function Cardinality() {
  const address = useAddress();
  const top = address.get('top') ?? '';
  const limit = LIMITS.includes(top) ? top : '20';
  const length = address.get('over') ?? '';
  const over = LENGTHS.includes(length) ? length : '1h';
  const answer = useAnswer((signal) => api.cardinality(limit, signal), [limit]);
  const datasets = useAnswer(() => api.datasets(), []);
  const dataset = address.get('dataset') ?? datasets.data?.default;
  const target = targetOf(address);
  return [
    h(
      'div',
      { class: 'tools' },
      h('h1', null, 'Cardinality'),
      h(Choice, { id: 'top', text: 'top ', value: limit, all: LIMITS }),
      h(Choice, { id: 'over', text: 'cost of the last ', value: over, all: LENGTHS }),
    ),
    h(Notice, { answer }),
    target && h(Saving, { target, over, onClose: () => drop(null) }),
    answer.data && h(Tables, { data: answer.data, over }),
    dataset && h(Growth, { dataset }),
  ];
}

/** @param {{ id: string, text: string, value: string, all: string[] }} props a name of the address */
function Choice({ id, text, value, all }) {
  return h(
    'label',
    null,
    text,
    h(
      'select',
      {
        id,
        value,
        onChange: (/** @type {FieldEvent} */ event) => follow({ [id]: event.currentTarget.value }),
      },
      all.map((one) => h('option', { value: one }, one)),
    ),
  );
}

/** @param {URLSearchParams} address @returns {Target | null} what is to be dropped */
function targetOf(address) {
  const kind = address.get('drop');
  const name = address.get('name') ?? '';
  return kind === 'metric' || kind === 'label' || kind === 'pair'
    ? { kind, name, value: address.get('value') ?? '' }
    : null;
}

/** @param {Target | null} target */
function drop(target) {
  follow({ drop: target?.kind ?? null, name: target?.name ?? null, value: target?.value ?? null });
  scrollTo(0, 0);
}

/** @param {string} pair @returns {Target} */
function pairOf(pair) {
  const equals = pair.indexOf('=');
  return { kind: 'pair', name: pair.slice(0, equals), value: pair.slice(equals + 1) };
}

/** @param {{ data: Answer.Cardinality, over: string }} props */
function Tables({ data, over }) {
  const { numSeries } = data.headStats;
  return [
    h('p', null, h('b', { class: 'big' }, count(numSeries)), ' series'),
    h(
      'div',
      { class: 'beside' },
      h(Ranking, {
        caption: 'Series by metric',
        rows: data.seriesCountByMetricName,
        of: (name) => h('a', { href: explore(selectorOf(name)) }, name),
        target: (name) => ({ kind: 'metric', name }),
        whole: numSeries,
        over,
      }),
      h(Ranking, {
        caption: 'Values by label',
        rows: data.labelValueCountByLabelName,
        of: (name) =>
          h(
            'a',
            { href: explore(`count by (${labelName(name)}) ({${labelName(name)}!=""})`) },
            name,
          ),
        target: (name) => ({ kind: 'label', name }),
        over,
      }),
      h(Ranking, {
        caption: 'Series by label and value',
        rows: data.seriesCountByLabelValuePair,
        of: (name) => h('a', { href: explore(pairSelector(name)) }, name),
        target: pairOf,
        whole: numSeries,
        over,
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

/** @param {string} query @returns {string} the address of its table */
function explore(query) {
  return link({ page: 'explore', q: query, view: 'table' }, ['dataset']);
}

/** @param {string} pair @returns {string} a selector in PromQL */
function pairSelector(pair) {
  const { name, value } = pairOf(pair);
  return `{${labelName(name)}=${quoted(value ?? '')}}`;
}

/**
 * The costs of the rows of a table, one after another, from when they are asked for.
 * @param {Answer.Ranked[]} rows
 * @param {((name: string) => Target) | undefined} target
 * @param {string} over
 * @returns {[Record<string, Cost> | null, () => void]} by name; null before
 */
function useCosts(rows, target, over) {
  const [wanted, setWanted] = useState(false);
  const [costs, setCosts] = useState(/** @type {Record<string, Cost>} */ ({}));
  useEffect(() => {
    if (!wanted || !target) {
      return undefined;
    }
    const control = new AbortController();
    setCosts({});
    measure(rows, target, over, control.signal, (name, cost) =>
      setCosts((before) => ({ ...before, [name]: cost })),
    );
    return () => control.abort();
  }, [wanted, over, rows]);
  return [wanted ? costs : null, () => setWanted(true)];
}

/**
 * @param {Answer.Ranked[]} rows
 * @param {(name: string) => Target} target
 * @param {string} over
 * @param {AbortSignal} signal
 * @param {(name: string, cost: Cost) => void} tell
 */
async function measure(rows, target, over, signal, tell) {
  for (const { name } of rows) {
    try {
      const cost = await costOf(selectorOfTarget(target(name)), over, signal);
      tell(name, cost);
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      tell(name, {
        samples: 0,
        rows: 0,
        bytes: 0,
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }
}

/**
 * @param {{ caption: string, rows: Answer.Ranked[], of: (name: string) => any,
 *     target?: (name: string) => Target, whole?: number, over?: string,
 *     shown?: (value: number) => string }} props
 */
function Ranking({ caption, rows, of, target, whole, over = '', shown = count }) {
  const [costs, ask] = useCosts(rows, target, over);
  /** @type {Column<Answer.Ranked>[]} */
  const columns = [
    { title: 'name', of: (row) => of(row.name), sort: (row) => row.name },
    { title: 'count', number: true, of: (row) => shown(row.value), sort: (row) => row.value },
  ];
  if (whole) {
    columns.push({
      title: 'share',
      number: true,
      of: (row) => `${((100 * row.value) / whole).toFixed(1)} %`,
    });
  }
  if (costs) {
    columns.push(...costColumns(costs));
  }
  if (target) {
    columns.push({
      title: 'save',
      of: (row) =>
        row.name !== '__name__' &&
        h(
          'button',
          {
            class: 'plain',
            'aria-label': `What dropping ${row.name} saves`,
            onClick: () => drop(target(row.name)),
          },
          'Drop…',
        ),
    });
  }
  return h(
    'div',
    { class: 'ranking' },
    h(Table, { caption, rows, columns }),
    target &&
      !costs &&
      rows.length > 0 &&
      h('button', { class: 'measure', onClick: ask }, 'Measure what they cost'),
  );
}

/** @param {Record<string, Cost>} costs @returns {Column<Answer.Ranked>[]} */
function costColumns(costs) {
  /** @type {(name: string, shown: (cost: Cost) => string) => any} */
  const cell = (name, shown) => {
    const cost = Object.hasOwn(costs, name) ? costs[name] : undefined;
    return cost?.error
      ? h('span', { class: 'error', title: cost.error }, '?')
      : cost && shown(cost);
  };
  return [
    {
      title: 'samples',
      number: true,
      of: (row) => cell(row.name, (cost) => count(cost.samples)),
      sort: (row) => costs[row.name]?.samples ?? 0,
    },
    {
      title: 'rows',
      number: true,
      of: (row) => cell(row.name, (cost) => count(cost.rows)),
      sort: (row) => costs[row.name]?.rows ?? 0,
    },
    {
      title: 'bytes',
      number: true,
      of: (row) => cell(row.name, (cost) => bytes(cost.bytes)),
      sort: (row) => costs[row.name]?.bytes ?? 0,
    },
  ];
}
