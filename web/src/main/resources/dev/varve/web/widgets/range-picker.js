/** Chooses the stretch of time of a page: its length, and its end unless that is now. */
import { h } from 'preact';
import { useAddress, follow } from '../address.js';
import { LENGTHS, range, seconds } from '../time.js';

/** @param {{ byDefault?: string, onNow: () => void }} props called to ask anew */
export function RangePicker({ byDefault = '1h', onNow }) {
  const shown = range(useAddress(), byDefault);
  /** @param {number} share of the length */
  const move = (share) =>
    follow({ end: String(Math.round((shown.end + share * (shown.end - shown.start)) * 1000)) });
  const lengths = LENGTHS.includes(shown.length) ? LENGTHS : [...LENGTHS, shown.length];
  return h(
    'fieldset',
    { class: 'range' },
    h('legend', null, 'Time'),
    h('button', { onClick: () => move(-0.5), 'aria-label': 'Earlier', title: 'Earlier' }, '‹'),
    h(
      'select',
      {
        'aria-label': 'Length',
        id: 'range',
        value: shown.length,
        onChange: (/** @type {FieldEvent} */ event) => follow({ range: event.currentTarget.value }),
      },
      lengths.map((length) => h('option', { value: length }, length)),
    ),
    h('button', { onClick: () => move(0.5), 'aria-label': 'Later', title: 'Later' }, '›'),
    h('input', {
      type: 'datetime-local',
      'aria-label': 'End, in UTC; empty for now',
      title: 'End, in UTC; empty for now',
      step: 1,
      value: shown.fixed ? new Date(shown.end * 1000).toISOString().slice(0, 19) : '',
      onChange: (/** @type {FieldEvent} */ event) => {
        const time = Date.parse(`${event.currentTarget.value}Z`);
        follow({ end: Number.isNaN(time) ? null : String(time) });
      },
    }),
    h(
      'button',
      { class: 'main', id: 'now', onClick: () => (shown.fixed ? follow({ end: null }) : onNow()) },
      shown.fixed ? 'Now' : 'Ask again',
    ),
  );
}

/** Shows a stretch that was marked in a chart. @param {number} start @param {number} end seconds */
export function zoom(start, end) {
  const length = Math.max(10, Math.round(end - start));
  const text = `${length}s`;
  follow({ range: seconds(text) ? text : null, end: String(Math.round(end * 1000)) });
}
