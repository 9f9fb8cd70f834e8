/**
 * One cell as a strip of bytes: row key, family, qualifier, cell time and value, each byte in the
 * colour of the field it belongs to. Hovering or focusing a byte tells its field and rule; the
 * arrows move from byte to byte.
 */
import { h } from 'preact';
import { useState } from 'preact/hooks';

const BYTES_MAX = 256;
const COLOURS = 8;
/** @type {Record<Bytes, string>} */
const COORDINATES = { row: 'row key', qualifier: 'qualifier', value: 'value' };

/**
 * @typedef {'row' | 'qualifier' | 'value'} Bytes coordinates that are shown byte by byte
 * @typedef {{ coordinate: Answer.Coordinate, at: number, part: number }} Shown a byte of a
 *     coordinate and the part that it belongs to; -1 for none
 */

/** @type {(coordinate: Answer.Coordinate) => coordinate is Bytes} */
const inBytes = (coordinate) => Object.hasOwn(COORDINATES, coordinate);

/**
 * @param {Answer.Cell} cell
 * @param {Bytes} coordinate
 * @returns {{ hex: string, part: number }[]} its bytes; part is -1 for none
 */
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

/** @param {{ cell: Answer.Cell, rows: Answer.RowPart[] }} props */
export function ByteStrip({ cell, rows }) {
  const [shown, setShown] = useState(/** @type {Shown | null} */ (null));
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

/** @param {Answer.Cell} cell */
function hint(cell) {
  return `${cell.row.length / 2} bytes of row key, ${cell.qualifier.length / 2} of qualifier, ${
    cell.value.length / 2
  } of value. Hover or focus a byte.`;
}

/**
 * @param {Answer.Cell} cell
 * @param {Answer.RowPart[]} rows
 * @param {Shown} shown
 * @returns {string} the field of a byte, and the rule by which it got there
 */
function told(cell, rows, { coordinate, at, part }) {
  const found = cell.parts[part];
  if (!inBytes(coordinate)) {
    return `${found.label} = ${found.text}`;
  }
  const name = COORDINATES[coordinate];
  if (found && found.to === found.from) {
    return `${found.label} = ${found.text}, in no byte of the ${name}`;
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

/**
 * @typedef {{ cell: Answer.Cell, shown: Shown | null, setShown: (shown: Shown | null) => void }}
 *     Props
 */

/** @param {Props & { name: Bytes }} props */
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

/**
 * Moves the focus to the neighbour of a byte, also into the next coordinate.
 * @param {KeyboardEvent & { currentTarget: HTMLElement }} event
 */
function arrows(event) {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  const strip = event.currentTarget.closest('.strip');
  if (!step || !strip) {
    return;
  }
  event.preventDefault();
  const all = /** @type {HTMLElement[]} */ ([...strip.querySelectorAll('.byte')]);
  all[all.findIndex((one) => one === document.activeElement) + step]?.focus();
}

/**
 * A coordinate that is one field.
 * @param {{ cell: Answer.Cell, name: Answer.Coordinate, title: string, text: string }} props
 */
function Whole({ cell, name, title, text }) {
  const part = cell.parts.findIndex((one) => one.coordinate === name);
  return h(
    'div',
    { class: 'coordinate', 'data-coordinate': name },
    h('span', { class: 'quiet' }, title),
    h('code', { class: part < 0 ? 'whole' : `whole part${part % COLOURS}` }, text),
  );
}

/** @param {Props} props */
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
        h(
          'span',
          { class: 'quiet' },
          `${inBytes(part.coordinate) ? COORDINATES[part.coordinate] : part.coordinate} `,
        ),
        `${part.label}: `,
        h('b', null, part.text),
      ),
    ),
  );
}
