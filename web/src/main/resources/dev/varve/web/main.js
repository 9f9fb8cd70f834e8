/** Entry of the console: the bar of pages, and the page that the address names. */
import { h, render } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { useAddress, link, follow } from './address.js';
import { useAnswer, api } from './api.js';
import { Explore } from './pages/explore.js';
import { Layout } from './pages/layout.js';
import { Explain } from './pages/explain.js';
import { Status } from './pages/status.js';
import { HeatMap } from './pages/heatmap.js';
import { Cardinality } from './pages/cardinality.js';
import { Rules } from './pages/rules.js';

/**
 * Pages by name, in the order of the bar; the first one is shown at first.
 * @type {Record<string, { title: string, view: () => import('preact').ComponentChild[] }>}
 */
const PAGES = {
  explore: { title: 'Explore', view: Explore },
  layout: { title: 'Layout', view: Layout },
  explain: { title: 'Explain', view: Explain },
  heatmap: { title: 'Heat map', view: HeatMap },
  cardinality: { title: 'Cardinality', view: Cardinality },
  rules: { title: 'Rules and alerts', view: Rules },
  status: { title: 'Status', view: Status },
};

function Datasets() {
  const address = useAddress();
  const answer = useAnswer(() => api.datasets(), []);
  const names = answer.data?.datasets ?? [];
  const none = answer.data?.default === null && !address.get('dataset');
  useEffect(() => {
    if (none) {
      follow({ dataset: names[0] }, { replace: true });
    }
  }, [none]);
  if (names.length < 2) {
    return null;
  }
  return h(
    'label',
    { class: 'dataset' },
    'dataset ',
    h(
      'select',
      {
        id: 'dataset',
        value: address.get('dataset') || (answer.data?.default ?? ''),
        onChange: (/** @type {FieldEvent} */ event) =>
          follow({ dataset: event.currentTarget.value }),
      },
      names.map((name) => h('option', { value: name }, name)),
    ),
  );
}

/** @param {{ page: string }} props */
function Bar({ page }) {
  return h(
    'header',
    null,
    h('a', { class: 'name', href: link({}, ['dataset']) }, 'Varve'),
    h(
      'nav',
      { 'aria-label': 'Pages' },
      Object.entries(PAGES).map(([name, { title }]) =>
        h(
          'a',
          {
            href: link({ page: name }, ['dataset']),
            'aria-current': name === page ? 'page' : undefined,
            'data-page': name,
          },
          title,
        ),
      ),
    ),
    h(Datasets, null),
  );
}

/**
 * A page, or why it cannot be shown; the bar stays in any case.
 * @param {{ view: () => import('preact').ComponentChild[] }} props
 */
function Page({ view }) {
  const [fault] = useErrorBoundary();
  return fault
    ? h('p', { class: 'error', role: 'alert' }, `This page cannot be shown: ${fault.message}`)
    : h(view, null);
}

function App() {
  const address = useAddress();
  const named = address.get('page') ?? '';
  const page = Object.hasOwn(PAGES, named) ? named : 'explore';
  const { title, view } = PAGES[page];
  document.title = `${title} - Varve`;
  return [
    h(Bar, { page }),
    h(
      'main',
      { key: `${page} ${address.get('dataset') ?? ''}`, 'data-shown': page },
      h(Page, { view }),
    ),
  ];
}

// A slash goes to the query, as in many consoles, unless one writes already.
addEventListener('keydown', (event) => {
  const writes =
    event.target instanceof Element && event.target.closest('input, textarea, select, dialog');
  const field = /** @type {HTMLElement | null} */ (
    document.querySelector('main textarea') ?? document.querySelector('main input')
  );
  if (event.key === '/' && !writes && field && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    field.focus();
  }
});

render(h(App, null), /** @type {HTMLElement} */ (document.getElementById('console')));
