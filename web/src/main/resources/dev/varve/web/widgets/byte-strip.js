/**
 * One cell as a strip of bytes: row key, family, qualifier, cell time and value, each byte in the
 * colour of the field it belongs to. Hovering or focusing a byte tells its field and rule; the
 * arrows move from byte to byte.
 */
import { h } from 'preact';
import { useState } from 'preact/hooks';

const BYTES_MAX = 256;
const COLOURS = 8;
const COORDINATES = { row: 'row key', qualifier: 'qualifier', value: 'value' };

/**
 * @typedef {{ coordinate: string, label: string, text: string, from: number, to: number }} Part
 * @typedef {{ layout: string, table: string, family: string, summary: string, index: boolean,
 *     row: string, qualifier: string, time: number, value: string, parts: Part[] }} Cell
 */

/** @returns {{ hex: string, part: number }[]} the bytes of a coordinate; part is -1 for none */
function bytesOf(cell, coordinate) {
  const hex = cell[coordinate];
  const bytes = [];
  for (let at = 0; at * 2 < hex.length; at++) {
    const part = cell.parts.findIndex(
      (one) => one.coordinate === coordinate && one.from <= at && at < one.to,
    );
    bytes.push({ hex: hex.slice(2 * at, 2 * at + 2), part });
  }
  return bytes;
}

/** @param {{ cell: Cell, rows: { layout: string, label: string, role: string }[] }} props */
export function ByteStrip({ cell, rows }) {
  const [shown, setShown] = useState(null);
  return h(
    'article',
    { class: 'cell', 'data-table': cell.table, 'data-row': cell.row },
    h(
      'h3',
      null,
      cell.index ? 'index cell' : 'cell',
      ' in ',
      h('code', null, `${cell.table}/${cell.family}`),
    ),
    h('p', { class: 'summary' }, cell.summary),
    h(
      'div',
      { class: 'strip', onMouseLeave: () => setShown(null) },
      h(Coordinate, { cell, name: 'row', shown, setShown }),
      h(Whole, { cell, name: 'family', title: 'family', text: cell.family }),
      h(Coordinate, { cell, name: 'qualifier', shown, setShown }),
      h(Whole, { cell, name: 'time', title: 'cell time', text: String(cell.time) }),
      h(Coordinate, { cell, name: 'value', shown, setShown }),
    ),
    h('p', { class: 'field', 'aria-live': 'polite' }, shown ? told(cell, rows, shown) : hint(cell)),
    h(Fields, { cell, shown, setShown }),
  );
}

function hint(cell) {
  return `${cell.row.length / 2} bytes of row key, ${cell.qualifier.length / 2} of qualifier, ${
    cell.value.length / 2
  } of value. Hover or focus a byte.`;
}

/** @returns {string} the field of a byte, and the rule by which it got there */
function told(cell, rows, { coordinate, at, part }) {
  const name = Object.hasOwn(COORDINATES, coordinate) ? COORDINATES[coordinate] : null;
  const found = cell.parts[part];
  if (found && (!name || found.to === found.from)) {
    return `${found.label} = ${found.text}${name ? `, in no byte of the ${name}` : ''}`;
  }
  const where = `byte ${at} of the ${cell[coordinate].length / 2} of the ${name}`;
  if (!found) {
    return `${where}: no field of its own`;
  }
  const rule =
    coordinate === 'row'
      ? rows.find((one) => one.layout === cell.layout && one.label === found.label)?.role
      : undefined;
  const stretch = found.to - found.from === 1 ? '' : ` (bytes ${found.from} to ${found.to - 1})`;
  return `${where}${stretch}: ${found.label} = ${found.text}${rule ? `. It carries ${rule}.` : ''}`;
}

function Coordinate({ cell, name, shown, setShown }) {
  const all = bytesOf(cell, name);
  const bytes = all.slice(0, BYTES_MAX);
  const left = all.length - bytes.length;
  return h(
    'div',
    { class: 'coordinate', 'data-coordinate': name },
    h('span', { class: 'quiet' }, COORDINATES[name]),
    h(
      'div',
      { class: 'bytes', role: 'group', 'aria-label': COORDINATES[name], onKeyDown: arrows },
      bytes.length === 0 && h('i', { class: 'quiet' }, 'empty'),
      bytes.map(({ hex, part }, at) => {
        const found = cell.parts[part];
        const here = shown?.coordinate === name && shown.part === part && part >= 0;
        const show = () => setShown({ coordinate: name, at, part });
        return h(
          'span',
          {
            class: `byte ${part < 0 ? 'none' : `part${part % COLOURS}`}${here ? ' here' : ''}`,
            tabIndex: at === 0 ? 0 : -1,
            'aria-label': `${hex}${found ? `, ${found.label} ${found.text}` : ''}`,
            onMouseEnter: show,
            onFocus: show,
          },
          hex,
        );
      }),
      left > 0 && h('small', { class: 'quiet' }, ` and ${left} more bytes`),
    ),
  );
}

/** Moves the focus to the neighbour of a byte, also into the next coordinate. */
function arrows(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) {
    return;
  }
  event.preventDefault();
  const all = [...event.currentTarget.closest('.strip').querySelectorAll('.byte')];
  all[all.indexOf(document.activeElement) + step]?.focus();
}

/** A coordinate that is one field. */
function Whole({ cell, name, title, text }) {
  const part = cell.parts.findIndex((one) => one.coordinate === name);
  return h(
    'div',
    { class: 'coordinate', 'data-coordinate': name },
    h('span', { class: 'quiet' }, title),
    h('code', { class: part < 0 ? 'whole' : `whole part${part % COLOURS}` }, text),
  );
}

function Fields({ cell, shown, setShown }) {
  return h(
    'ul',
    { class: 'fields' },
    cell.parts.map((part, place) =>
      h(
        'li',
        {
          class: shown?.part === place ? 'here' : undefined,
          onMouseEnter: () => setShown({ coordinate: part.coordinate, at: part.from, part: place }),
        },
        h('span', { class: `swatch part${place % COLOURS}` }),
        h('span', { class: 'quiet' }, `${COORDINATES[part.coordinate] ?? part.coordinate} `),
        `${part.label}: `,
        h('b', null, part.text),
      ),
    ),
  );
}
