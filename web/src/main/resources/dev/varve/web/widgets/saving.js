/** What a relabelling rule that drops a metric, a label or a value of one would save. */
import { h } from 'preact';
import { useState } from 'preact/hooks';
import { api, useAnswer } from '../api.js';
import { bytes, count, labelName, quoted, selectorOf } from '../format.js';
import { dropRule } from '../relabel.js';
import { seconds } from '../time.js';
import { Notice } from './notice.js';

/** @typedef {{ kind: 'metric' | 'label' | 'pair', name: string, value?: string }} Target */

/** A label that no series has, which keeps the names of metrics apart. */
const NAME = 'varve_metric';

const DAY = 86400;

/** @param {Target} target @returns {string} the selector of the series that have it */
export function selectorOfTarget({ kind, name, value }) {
  switch (kind) {
    case 'metric':
      return selectorOf(name);
    case 'label':
      return `{${labelName(name)}!=""}`;
    default:
      return `{${labelName(name)}=${quoted(value ?? '')}}`;
  }
}

/** @param {Target} target @param {string} over a length @returns {string} counts series without the label */
export function seriesLeft({ name }, over) {
  const series = `last_over_time({${labelName(name)}!=""}[${over}])`;
  return `count(count without (${labelName(name)}) (label_replace(${series}, "${NAME}", "$1", "__name__", "(.*)")))`;
}

/**
 * @param {string} query
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the value of a query with one value; 0 if it has none
 */
async function one(query, signal) {
  const answer = await api.query(query, undefined, signal);
  const [first] = answer.resultType === 'vector' ? answer.result : [];
  return first ? Number(first.value[1]) : 0;
}

/**
 * What a selector costs over a length of time that ends now, by running it.
 * @param {string} selector
 * @param {string} over a length
 * @param {AbortSignal} signal
 * @returns {Promise<{ series: number, samples: number, rows: number, bytes: number }>}
 */
export async function costOf(selector, over, signal) {
  const to = Date.now();
  const from = to - 1000 * (seconds(over) ?? 0);
  const { scans } = await api.explain({ selector, from, to, analyze: true }, undefined, signal);
  const { actual, seriesMatched } = scans[0];
  return {
    series: seriesMatched,
    samples: actual?.samples ?? 0,
    rows: actual?.rowsRead ?? 0,
    bytes: actual?.bytesRead ?? 0,
  };
}

/** @param {{ target: Target, over: string, onClose: () => void }} props */
export function Saving({ target, over, onClose }) {
  const { kind, name, value } = target;
  const answer = useAnswer(
    async (signal) => {
      const cost = await costOf(selectorOfTarget(target), over, signal);
      const left =
        kind === 'label' && cost.samples ? await one(seriesLeft(target, over), signal) : 0;
      return { ...cost, left };
    },
    [kind, name, value, over],
  );
  const title =
    kind === 'metric'
      ? `Drop metric ${name}`
      : kind === 'label'
        ? `Drop label ${name}`
        : `Drop series with ${name} = ${value}`;
  return h(
    'section',
    { id: 'saving', class: 'pane', 'aria-label': title },
    h(
      'div',
      { class: 'tools' },
      h('h2', null, title),
      h('button', { onClick: onClose, 'aria-label': 'Close' }, '×'),
    ),
    h(Notice, { answer }),
    answer.data && h('p', null, saved(target, over, answer.data)),
    h(Rule, { text: dropRule(target) }),
  );
}

/**
 * @param {Target} target
 * @param {string} over
 * @param {{ series: number, samples: number, bytes: number, left: number }} cost
 * @returns {string}
 */
function saved({ kind }, over, { series, samples, bytes: read, left }) {
  const days = (seconds(over) ?? DAY) / DAY;
  const stored = read ? ` and ${bytes(read)} in the store` : ', all of them still in memory';
  if (samples === 0) {
    return `No such series had a sample in the last ${over}.`;
  }
  if (kind === 'label') {
    const those = `${count(series)} series had samples in the last ${over}`;
    return left < series
      ? `${those}; without it ${count(left)} ${left === 1 ? 'is' : 'are'} left. Samples of series that become one replace each other where their times are equal.`
      : `${those} and stay as many without it: only names and values become shorter.`;
  }
  return `Saves ${count(series)} series: in the last ${over} they had ${count(samples)} samples${stored}, which is ${count(Math.round(samples / days))} samples${read ? ` and ${bytes(Math.round(read / days))}` : ''} a day.`;
}

/** @param {{ text: string }} props */
function Rule({ text }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied.');
    } catch {
      setSaid('The browser does not let pages copy here; select the text.');
    }
  };
  return [
    h(
      'p',
      { class: 'quiet' },
      'This rule in write.relabel of the configuration keeps them out from then on; what is stored stays until a delete or the retention removes it. Prometheus takes the same rule in write_relabel_configs.',
    ),
    h('pre', { class: 'rule', tabIndex: 0, 'aria-label': 'Rule in YAML' }, text),
    h('button', { onClick: copy }, 'Copy the rule'),
    said && h('span', { role: 'status', class: 'quiet' }, ` ${said}`),
  ];
}
