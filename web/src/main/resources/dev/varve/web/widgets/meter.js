/** A bar that shows how much of a budget is used. */
import { h } from 'preact';

/** @param {{ name: string, value: number, max: number, shown: (value: number) => string }} props */
export function Meter({ name, value, max, shown }) {
  const share = max > 0 ? Math.min(1, value / max) : 0;
  return h(
    'div',
    { class: 'meter' },
    h('span', null, name),
    h('meter', { min: 0, max: 1, high: 0.8, optimum: 0, value: share, 'aria-label': name }),
    h('b', null, `${shown(value)} of ${shown(max)}`),
  );
}
