/** A table that can be sorted by its columns. Cells are text nodes or elements, never markup. */
import { h } from 'preact';
import { useState } from 'preact/hooks';

/**
 * @param {{ columns: Column[], rows: any[], caption?: string, id?: string }} props sorted as given
 *     until a column is chosen
 */
export function Table({ columns, rows, caption, id }) {
  const [order, setOrder] = useState({ column: -1, down: false });
  const sort = columns[order.column]?.sort;
  const sorted = sort
    ? [...rows].sort((a, b) => compare(sort(a), sort(b)) * (order.down ? -1 : 1))
    : rows;
  return h(
    'div',
    { class: 'wide', id, tabIndex: 0, role: 'region', 'aria-label': caption ?? 'Table' },
    h(
      'table',
      null,
      caption && h('caption', null, caption),
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          columns.map((column, place) => h(Head, { column, place, order, setOrder })),
        ),
      ),
      h(
        'tbody',
        null,
        sorted.map((row, place) =>
          h(
            'tr',
            { key: place },
            columns.map((column) =>
              h('td', { class: column.number ? 'number' : undefined }, column.of(row)),
            ),
          ),
        ),
      ),
    ),
  );
}

/**
 * @typedef {{ column: number, down: boolean }} Order
 * @param {{ column: Column, place: number, order: Order, setOrder: (order: Order) => void }} props
 */
function Head({ column, place, order, setOrder }) {
  const mine = order.column === place;
  const name = mine ? (order.down ? 'descending' : 'ascending') : undefined;
  const turn = () => setOrder({ column: place, down: mine ? !order.down : !!column.number });
  return h(
    'th',
    { scope: 'col', class: column.number ? 'number' : undefined, 'aria-sort': name },
    column.sort
      ? h(
          'button',
          { class: 'plain', onClick: turn },
          column.title,
          mine && (order.down ? ' ↓' : ' ↑'),
        )
      : column.title,
  );
}

/** @param {string | number} a @param {string | number} b */
function compare(a, b) {
  return typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b));
}
