/** Layout: the cells that layouts make of a point, byte by byte, and advice on the layout. */
import { h } from 'preact';
import { useState } from 'preact/hooks';
import { useAddress, follow } from '../address.js';
import { api, useAnswer } from '../api.js';
import { metrics } from '../completion.js';
import { selectorOf, series } from '../format.js';
import { Advice } from '../widgets/advice.js';
import { ByteStrip } from '../widgets/byte-strip.js';
import { Estimate } from '../widgets/estimate.js';
import { tagPairs, tagText } from '../tags.js';
import { Notice } from '../widgets/notice.js';

/** The point that is shown at first: one of the documentation of Heroic. */
const FIRST = {
  metric: 'system',
  tags: 'site=gew, role=database',
  time: '1300000000000',
  value: '42.5',
};

const DECLARED = 'declared';
const WAIT_MS = 250;
const ROWS_MAX = 30;
const LATEST = '5m';

const EXAMPLE = `layout: mine
about: one row a series and six hours, one cell a sample
key:
  - metric
  - tags
  - bucket: 6h
families:
  d:
    qualifier: [offset, field]
`;

/**
 * The parts of a point, as text.
 * @typedef {{ metric: string, tags: string, time: string, value: string }} PointText
 */

/** @param {URLSearchParams} address @returns {PointText} the point that it names */
function pointOf(address) {
  /** @param {keyof PointText} name */
  const part = (name) => address.get(name) ?? FIRST[name];
  return { metric: part('metric'), tags: part('tags'), time: part('time'), value: part('value') };
}

/**
 * @param {PointText} point
 * @returns {string} the point form
 * @throws {Error} if a part is not what it should be
 */
export function pointLine({ metric, tags, time, value }) {
  const pairs = tagPairs(tags);
  const at = /^-?\d+$/.test(time) ? time : String(Date.parse(time));
  if (at === 'NaN') {
    throw new Error(`time is an integer or an instant such as 2024-01-31T12:00:00Z, not ${time}`);
  }
  const isNumber = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value);
  const written = isNumber || /^(NaN|-?Infinity)$/.test(value) ? value : null;
  const json = isNumber ? value : JSON.stringify(written ?? { string: value });
  return `{"metric":${JSON.stringify(metric)},"tags":${JSON.stringify(pairs)},"time":${at},"value":${json}}`;
}

/**
 * @param {string} metric
 * @returns {Promise<PointText>} the latest stored sample of its first series
 */
async function latest(metric) {
  const now = await api.query(selectorOf(metric));
  const [found] = now.resultType === 'vector' ? now.result : [];
  // A sample at an instant has the time of the instant; a stretch of time has the samples' own.
  const own = found && (await api.query(`${series(found.metric)}[${LATEST}]`, found.value[0]));
  const sample = own?.resultType === 'matrix' ? own.result[0]?.values.at(-1) : undefined;
  if (!found || !sample) {
    throw new Error(`no series of ${metric} has a sample within the last five minutes`);
  }
  const { __name__: name, ...tags } = found.metric;
  return {
    metric: name,
    tags: tagText(tags),
    time: String(Math.round(sample[0] * 1000)),
    value: sample[1],
  };
}

/** The cells of a point, or what the advisor says of the dataset's layout. */
export function Layout() {
  const shown = useAddress().get('tab') ?? '';
  /** @param {string} title @param {string} name */
  const tab = (title, name) =>
    h(
      'button',
      {
        id: `tab-${name || 'cells'}`,
        'aria-pressed': String(shown === name),
        onClick: () => follow({ tab: name }),
      },
      title,
    );
  return [
    h(
      'div',
      { class: 'tools' },
      h('h1', null, 'Layout'),
      h('div', { class: 'tabs' }, tab('Cells', ''), tab('Advice', 'advice')),
    ),
    shown === 'advice' ? h(Advice, null) : h(Anatomies, null),
  ];
}

function Anatomies() {
  const address = useAddress();
  const layouts = useAnswer(() => api.layouts(), []);
  const point = pointOf(address);
  const chosen = address.getAll('layout');
  const shown = chosen.length ? chosen : ['buckets'];
  const list = layouts.data?.layouts ?? [];
  /** @param {number} place @param {string} name */
  const replace = (place, name) =>
    follow({ layout: shown.map((one, at) => (at === place ? name : one)) });
  return [
    h(
      'p',
      { class: 'quiet' },
      'A layout says which coordinate of a cell carries which part of a point. These are the bytes that varve cells prints.',
    ),
    h(PointForm, { point, onBeside: () => follow({ layout: [...shown, 'opentsdb'] }) }),
    h(Notice, { answer: layouts }),
    list.length > 0 &&
      h(
        'div',
        { class: 'beside' },
        shown.map((name, place) =>
          h(Anatomy, {
            key: place,
            name,
            point,
            list,
            place,
            onName: (/** @type {string} */ other) => replace(place, other),
            onClose: shown.length > 1 ? () => follow({ layout: shown.toSpliced(place, 1) }) : null,
          }),
        ),
      ),
  ];
}

/**
 * @param {{ point: PointText, onBeside: () => void }} props `onBeside` shows one more layout. Its
 *     button is here, because the cells below change their height with every key.
 */
function PointForm({ point, onBeside }) {
  const names = useAnswer(() => metrics(), []);
  const [fault, setFault] = useState('');
  const pick = async () => {
    setFault('');
    try {
      follow(await latest(point.metric));
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  /** @param {keyof PointText} name @param {{ list?: string }} [more] */
  const field = (name, more) =>
    h(
      'label',
      null,
      name,
      h('input', {
        id: `point-${name}`,
        value: point[name],
        spellcheck: false,
        // As a list, an empty text stays in the address and does not bring the first point back.
        onInput: (/** @type {FieldEvent} */ event) =>
          follow({ [name]: [event.currentTarget.value] }, { replace: true }),
        ...more,
      }),
    );
  return h(
    'form',
    { class: 'point', onSubmit: (event) => event.preventDefault() },
    field('metric', { list: 'metric-names' }),
    h(
      'datalist',
      { id: 'metric-names' },
      (names.data ?? []).slice(0, 1000).map((name) => h('option', { value: name })),
    ),
    field('tags'),
    field('time'),
    field('value'),
    h('button', { type: 'button', id: 'pick', onClick: pick }, 'Pick its latest point'),
    h('button', { type: 'button', id: 'beside', onClick: onBeside }, 'Another layout beside'),
    fault && h('p', { class: 'error', role: 'alert' }, fault),
  );
}

/**
 * The cells of the point in one layout.
 * @param {{ name: string, point: PointText, list: Answer.NamedLayout[], place: number,
 *     onName: (name: string) => void, onClose: (() => void) | null }} props
 */
function Anatomy({ name, point, list, place, onName, onClose }) {
  const address = useAddress();
  const declared = name === DECLARED;
  const yaml = address.get('yaml') ?? EXAMPLE;
  const entry = list.find((one) => one.name === name);
  /** @type {Record<string, string>} */
  const given = {};
  for (const one of entry?.parameters ?? []) {
    const value = address.get(`${name}.${one.name}`);
    if (value) {
      given[one.name] = value;
    }
  }
  const layout = declared ? yaml : name;
  const answer = useCells(layout, point, given);
  return h(
    'section',
    { class: 'anatomy', 'data-layout': name, 'aria-label': `Layout ${name}` },
    h('h2', { class: 'unseen' }, `Layout ${name}`),
    h(
      'div',
      { class: 'tools' },
      h(
        'select',
        {
          'aria-label': 'Layout',
          id: `layout-${place}`,
          value: name,
          onChange: (/** @type {FieldEvent} */ event) => onName(event.currentTarget.value),
        },
        list.map((one) => h('option', { value: one.name }, one.name)),
        h('option', { value: DECLARED }, 'declared in YAML…'),
      ),
      onClose && h('button', { onClick: onClose, 'aria-label': 'Close the layout' }, '×'),
    ),
    entry && h('p', { class: 'quiet' }, entry.about),
    entry && h(Parameters, { name, parameters: entry.parameters, given }),
    declared && h(Declaration, { yaml }),
    h(Notice, { answer }),
    answer.data &&
      h(
        'div',
        { class: answer.loading ? 'stale' : 'fresh', 'aria-busy': String(answer.loading) },
        // Another table starts without its index cells.
        h(Cells, { key: answer.data.cells[0]?.table, data: answer.data }),
      ),
    answer.data &&
      h(Estimate, {
        name,
        layout,
        line: () => pointLine(point),
        parameters: given,
        question: JSON.stringify([layout, point, given]),
      }),
  );
}

/**
 * Asks for the cells of a point, a moment after the last change.
 * @param {string} layout a name or a declaration
 * @param {PointText} point
 * @param {Record<string, string>} parameters
 */
function useCells(layout, point, parameters) {
  const question = JSON.stringify([layout, point, parameters]);
  return useAnswer(
    async (signal) => {
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      return signal.aborted ? null : api.cells(layout, pointLine(point), parameters, signal);
    },
    [question],
  );
}

/**
 * @param {{ name: string, parameters: Answer.Parameter[], given: Record<string, string> }} props
 */
function Parameters({ name, parameters, given }) {
  return h(
    'div',
    { class: 'point' },
    parameters.map((one) =>
      h(
        'label',
        { title: one.about },
        one.name,
        h('input', {
          value: given[one.name] ?? '',
          placeholder: one.default ?? '',
          spellcheck: false,
          onInput: (/** @type {FieldEvent} */ event) =>
            follow({ [`${name}.${one.name}`]: event.currentTarget.value }, { replace: true }),
        }),
      ),
    ),
  );
}

/** @param {{ yaml: string }} props */
function Declaration({ yaml }) {
  return h('textarea', {
    class: 'yaml',
    'aria-label': 'Declaration in YAML',
    rows: Math.min(ROWS_MAX, yaml.split('\n').length + 1),
    spellcheck: false,
    value: yaml,
    onInput: (/** @type {FieldEvent} */ event) =>
      follow({ yaml: [event.currentTarget.value] }, { replace: true }),
  });
}

/** @param {{ data: Answer.Cells }} props */
function Cells({ data }) {
  const [all, setAll] = useState(false);
  const samples = data.cells.filter((cell) => !cell.index);
  const index = data.cells.filter((cell) => cell.index);
  return [
    data.findings.map((one) =>
      h(
        'p',
        { class: one.severity === 'refuse' ? 'error' : 'warning', role: 'alert' },
        `${one.severity}: ${one.rule}: ${one.message}`,
      ),
    ),
    data.refused.map((reason) => h('p', { class: 'error', role: 'alert' }, reason)),
    samples.map((cell) => h(ByteStrip, { cell, rows: data.rows })),
    index.length > 0 &&
      h(
        'p',
        null,
        h(
          'button',
          { class: 'show-index', 'aria-expanded': String(all), onClick: () => setAll(!all) },
          `${all ? 'Hide' : 'Show'} ${index.length} index cells`,
        ),
      ),
    all && index.map((cell) => h(ByteStrip, { cell, rows: data.rows })),
  ];
}
