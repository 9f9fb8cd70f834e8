/** Layout: the cells that layouts make of a point, byte by byte, and advice on the layout. */
import { h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAddress, follow } from '../address.js';
import { api, useAnswer } from '../api.js';
import { metrics } from '../completion.js';
import { selectorOf } from '../format.js';
import { Advice } from '../widgets/advice.js';
import { ByteStrip } from '../widgets/byte-strip.js';
import { Estimate } from '../widgets/estimate.js';
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

/** @returns {Record<string, string>} the point of the address, as text */
function pointOf(address) {
  return Object.fromEntries(
    Object.entries(FIRST).map(([name, first]) => [name, address.get(name) ?? first]),
  );
}

/**
 * @param {Record<string, string>} point
 * @returns {string} the point form
 * @throws {Error} if a part is not what it should be
 */
export function pointLine({ metric, tags, time, value }) {
  const pairs = {};
  for (const pair of tags
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)) {
    const equals = pair.indexOf('=');
    if (equals <= 0) {
      throw new Error(`tags are pairs such as host=a, with commas between; this is none: ${pair}`);
    }
    pairs[pair.slice(0, equals).trim()] = pair.slice(equals + 1).trim();
  }
  const at = /^-?\d+$/.test(time) ? time : String(Date.parse(time));
  if (at === 'NaN') {
    throw new Error(`time is an integer or an instant such as 2024-01-31T12:00:00Z, not ${time}`);
  }
  const isNumber = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value);
  const written = isNumber || /^(NaN|-?Infinity)$/.test(value) ? value : null;
  const json = isNumber ? value : JSON.stringify(written ?? { string: value });
  return `{"metric":${JSON.stringify(metric)},"tags":${JSON.stringify(pairs)},"time":${at},"value":${json}}`;
}

/** The cells of a point, or what the advisor says of the dataset's layout. */
export function Layout() {
  const shown = useAddress().get('tab') ?? '';
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
  const replace = (place, name) =>
    follow({ layout: shown.map((one, at) => (at === place ? name : one)) });
  return [
    h(
      'p',
      { class: 'quiet' },
      'A layout says which coordinate of a cell carries which part of a point. These are the bytes that varve cells prints.',
    ),
    h(PointForm, { point }),
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
            onName: (other) => replace(place, other),
            onClose: shown.length > 1 ? () => follow({ layout: shown.toSpliced(place, 1) }) : null,
          }),
        ),
      ),
    h(
      'p',
      null,
      h(
        'button',
        { id: 'beside', onClick: () => follow({ layout: [...shown, 'opentsdb'] }) },
        'Another layout beside',
      ),
    ),
  ];
}

function PointForm({ point }) {
  const names = useAnswer(() => metrics(), []);
  const [fault, setFault] = useState('');
  const pick = async () => {
    setFault('');
    try {
      const { result } = await api.query(selectorOf(point.metric));
      if (result.length === 0) {
        throw new Error(`no series of ${point.metric} has a sample within the last five minutes`);
      }
      const { __name__: metric, ...tags } = result[0].metric;
      follow({
        metric,
        tags: Object.entries(tags)
          .map(([tag, value]) => `${tag}=${value}`)
          .join(', '),
        time: String(Math.round(result[0].value[0] * 1000)),
        value: result[0].value[1],
      });
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
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
        onInput: (event) => follow({ [name]: [event.target.value] }, { replace: true }),
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
    fault && h('p', { class: 'error', role: 'alert' }, fault),
  );
}

/** The cells of the point in one layout. */
function Anatomy({ name, point, list, place, onName, onClose }) {
  const address = useAddress();
  const declared = name === DECLARED;
  const yaml = address.get('yaml') ?? EXAMPLE;
  const entry = list.find((one) => one.name === name);
  const given = Object.fromEntries(
    (entry?.parameters ?? [])
      .map((one) => [one.name, address.get(`${name}.${one.name}`)])
      .filter(([, value]) => value),
  );
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
          onChange: (event) => onName(event.target.value),
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
        h(Cells, { data: answer.data }),
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

/** Asks for the cells of a point, a moment after the last change. */
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
          onInput: (/** @type {any} */ event) =>
            follow({ [`${name}.${one.name}`]: event.target.value }, { replace: true }),
        }),
      ),
    ),
  );
}

function Declaration({ yaml }) {
  return h('textarea', {
    class: 'yaml',
    'aria-label': 'Declaration in YAML',
    rows: Math.min(ROWS_MAX, yaml.split('\n').length + 1),
    spellcheck: false,
    value: yaml,
    onInput: (/** @type {any} */ event) =>
      follow({ yaml: [event.target.value] }, { replace: true }),
  });
}

function Cells({ data }) {
  const [all, setAll] = useState(false);
  useEffect(() => setAll(false), [data.cells[0]?.table]);
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
