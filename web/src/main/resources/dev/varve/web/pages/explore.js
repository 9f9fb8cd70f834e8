/** Explore: queries in panes, or small charts of the server's own metrics where there is none. */
import { h } from 'preact';
import { useState } from 'preact/hooks';
import { useAddress, follow, link } from '../address.js';
import { api, useAnswer } from '../api.js';
import { count } from '../format.js';
import { columns } from '../matrix.js';
import { range } from '../time.js';
import { Chart } from '../widgets/chart.js';
import { MetricGrid } from '../widgets/metric-grid.js';
import { Empty, Notice } from '../widgets/notice.js';
import { PromQlField } from '../widgets/promql-field.js';
import { RangePicker, zoom } from '../widgets/range-picker.js';
import { Samples } from '../widgets/samples.js';
import { SplitBy, Vector } from '../widgets/vector.js';

/** @typedef {{ query: string, view: string }} PaneState */

const VIEWS = { chart: 'Chart', table: 'Table', samples: 'Raw samples' };

/** @param {URLSearchParams} address @returns {PaneState[]} the panes that it names */
function panesOf(address) {
  const views = address.getAll('view');
  return address.getAll('q').map((query, place) => ({
    query,
    view: Object.hasOwn(VIEWS, views[place]) ? views[place] : 'chart',
  }));
}

/** @param {PaneState[]} panes */
function show(panes) {
  follow({
    page: 'explore',
    q: panes.map((pane) => pane.query),
    view: panes.map((pane) => pane.view),
  });
}

export function Explore() {
  const address = useAddress();
  const [asked, setAsked] = useState(0);
  const panes = panesOf(address);
  const drawn = panes.length ? panes : [{ query: '', view: 'chart' }];
  /** @param {number} place @param {PaneState} pane */
  const replace = (place, pane) => show(drawn.map((one, at) => (at === place ? pane : one)));
  const isEmpty = drawn.every((pane) => !pane.query);
  return [
    h(
      'div',
      { class: 'tools' },
      h('h1', null, 'Explore'),
      h(RangePicker, { byDefault: isEmpty ? '15m' : '1h', onNow: () => setAsked(asked + 1) }),
    ),
    drawn.map((pane, place) =>
      h(Pane, {
        key: place,
        pane,
        asked,
        onChange: (/** @type {Partial<PaneState>} */ changed) =>
          replace(place, { ...pane, ...changed }),
        onClose: drawn.length > 1 ? () => show(drawn.toSpliced(place, 1)) : null,
      }),
    ),
    isEmpty
      ? h(MetricGrid, { onOpen: (query) => replace(0, { query, view: 'chart' }) })
      : h(
          'p',
          null,
          h(
            'button',
            { id: 'add-pane', onClick: () => show([...drawn, { query: '', view: 'chart' }]) },
            'Add a pane',
          ),
        ),
  ];
}

/**
 * @param {{ pane: PaneState, asked: number, onChange: (changed: Partial<PaneState>) => void,
 *     onClose: (() => void) | null }} props
 */
function Pane({ pane, asked, onChange, onClose }) {
  return h(
    'section',
    { class: 'pane', 'aria-label': pane.query || 'New query' },
    h(PromQlField, { value: pane.query, onAsk: (query) => onChange({ query }) }),
    pane.query && [
      h(
        'div',
        { class: 'tabs' },
        Object.entries(VIEWS).map(([view, title]) =>
          h(
            'button',
            {
              'aria-pressed': String(view === pane.view),
              'data-view': view,
              onClick: () => onChange({ view }),
            },
            title,
          ),
        ),
        h('a', { href: link({ page: 'explain', q: pane.query, view: null }) }, 'Explain'),
        onClose && h('button', { onClick: onClose, 'aria-label': 'Close the pane' }, '×'),
      ),
      h(View, { pane, asked, onChange }),
    ],
  );
}

/**
 * @param {{ pane: PaneState, asked: number,
 *     onChange: (changed: Partial<PaneState>) => void }} props
 */
function View({ pane, asked, onChange }) {
  const drill = {
    query: pane.query,
    onQuery: (/** @type {string} */ query) => onChange({ query }),
  };
  switch (pane.view) {
    case 'table':
      return h(Vector, { ...drill, asked });
    case 'samples':
      return h(Samples, { query: pane.query, asked });
    default:
      return h(Lines, { ...drill, asked });
  }
}

/** @param {{ query: string, asked: number, onQuery: (query: string) => void }} props */
function Lines({ query, asked, onQuery }) {
  const address = useAddress();
  const answer = useAnswer(
    async (signal) => {
      const shown = range(address);
      const data = await api.range(query, shown.start, shown.end, shown.step, signal);
      return { ...shown, ...columns(data.result), found: data.result };
    },
    [query, asked, address.get('range'), address.get('end')],
  );
  const { data } = answer;
  return [
    h(Notice, { answer }),
    data && data.lines.length === 0 && h(Empty, null, 'No sample in this stretch of time.'),
    data &&
      data.lines.length > 0 && [
        h(Chart, { ...data, onZoom: zoom, label: `Chart of ${query}` }),
        data.left > 0 &&
          h(
            'p',
            { class: 'quiet' },
            `${count(data.left)} more series are not drawn; narrow or sum them.`,
          ),
        h(SplitBy, { metrics: data.found.map((one) => one.metric), query, onQuery }),
      ],
  ];
}
