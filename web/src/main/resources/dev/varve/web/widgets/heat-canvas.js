/**
 * A heat map on a canvas: ranges of rows from top to bottom, time from left to right. Dragging
 * marks a part to zoom into; a click, or Enter, chooses a range; the arrows move from cell to cell.
 */
import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { instant } from '../format.js';

const STOPS = ['--heat0', '--heat1', '--heat2', '--heat3', '--heat4'];
const HEIGHT_MIN = 220;
const ROW_HEIGHT = 9;

/** Pixels; a shorter drag is a click. */
const DRAG_MIN = 5;

/** Pixels between two names of ranges. */
const NAME_HEIGHT = 18;

/**
 * @typedef {Answer.HeatMap} Map
 * @typedef {{ row: number, column: number }} Place a cell
 */

/** @returns {number[][]} the colours of the page from cold to hot, in red, green and blue */
function ramp() {
  const style = getComputedStyle(document.documentElement);
  return STOPS.map((stop) => {
    const hex = style.getPropertyValue(stop).trim().slice(1);
    return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
  });
}

/**
 * @param {number[][]} stops of the ramp
 * @param {number} share 0 to 1
 * @returns {string} a colour between them
 */
function between(stops, share) {
  const place = share * (stops.length - 1);
  const lower = Math.min(stops.length - 2, Math.floor(place));
  const mixed = stops[lower].map((part, at) =>
    Math.round(part + (stops[lower + 1][at] - part) * (place - lower)),
  );
  return `rgb(${mixed.join(',')})`;
}

/** @param {number[][]} cells @returns {(value: number) => number} 0 to 1, on a logarithmic scale */
export function scale(cells) {
  let most = 1;
  let least = Infinity;
  for (const row of cells) {
    for (const value of row) {
      most = Math.max(most, value);
      least = value > 0 ? Math.min(least, value) : least;
    }
  }
  const low = Math.log(Math.max(1, Math.min(least, most / 1000)));
  const high = Math.log(Math.max(most, 2));
  return (value) =>
    value <= 0
      ? 0
      : 0.12 + 0.88 * Math.min(1, Math.max(0, (Math.log(value) - low) / (high - low || 1)));
}

/** Draws all cells. @param {HTMLCanvasElement} canvas @param {Map} map */
function draw(canvas, map) {
  const ratio = devicePixelRatio || 1;
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  canvas.width = width;
  canvas.height = height;
  const paint = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const stops = ramp();
  const share = scale(map.cells);
  paint.fillStyle = between(stops, 0);
  paint.fillRect(0, 0, width, height);
  map.cells.forEach((values, row) => {
    const top = Math.round((row * height) / map.cells.length);
    const bottom = Math.round(((row + 1) * height) / map.cells.length);
    values.forEach((value, column) => {
      if (value > 0) {
        const left = Math.round((column * width) / map.columns);
        const right = Math.round(((column + 1) * width) / map.columns);
        paint.fillStyle = between(stops, share(value));
        paint.fillRect(left, top, right - left, bottom - top);
      }
    });
  });
}

/**
 * @param {Map} map
 * @param {DOMRect} box of the canvas
 * @param {number} x
 * @param {number} y
 * @returns {Place} the cell there
 */
function cellAt(map, box, x, y) {
  /** @type {(at: number, length: number, count: number) => number} */
  const inside = (at, length, count) =>
    Math.max(0, Math.min(count - 1, Math.floor((at / length) * count)));
  return {
    row: inside(y - box.top, box.height, map.rows.length),
    column: inside(x - box.left, box.width, map.columns),
  };
}

/**
 * @param {Map} map
 * @param {Place} first
 * @param {Place} last
 * @returns {Record<string, string>} the place of these cells, in shares of the canvas
 */
function area(map, first, last) {
  /** @param {number} part @param {number} count */
  const share = (part, count) => `${(100 * part) / count}%`;
  const top = Math.min(first.row, last.row);
  const left = Math.min(first.column, last.column);
  return {
    top: share(top, map.rows.length),
    height: share(Math.abs(first.row - last.row) + 1, map.rows.length),
    left: share(left, map.columns),
    width: share(Math.abs(first.column - last.column) + 1, map.columns),
  };
}

/**
 * @typedef {{ onPick: (row: number) => void, onZoom: (first: Place, last: Place) => void,
 *     onOut: () => void }} Actions
 * @param {Actions & { map: Map, picked: string | null, label: string,
 *     shown: (value: number) => string }} props
 */
export function HeatCanvas({ map, picked, label, shown, onPick, onZoom, onOut }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  const [cursor, setCursor] = useState(/** @type {Place | null} */ (null));
  const [start, setStart] = useState(
    /** @type {(Place & { x: number, y: number }) | null} */ (null),
  );
  useEffect(() => {
    const drawn = /** @type {HTMLCanvasElement} */ (canvas.current);
    const repaint = () => draw(drawn, map);
    repaint();
    const watch = new ResizeObserver(repaint);
    watch.observe(drawn);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', repaint);
    return () => {
      dark.removeEventListener('change', repaint);
      watch.disconnect();
    };
  }, [map]);

  /** @param {PointerEvent} event */
  const place = (event) =>
    cellAt(
      map,
      /** @type {HTMLCanvasElement} */ (canvas.current).getBoundingClientRect(),
      event.clientX,
      event.clientY,
    );
  /** @param {PointerEvent & { currentTarget: HTMLElement }} event */
  const down = (event) => {
    if (event.button === 0) {
      event.currentTarget.setPointerCapture(event.pointerId);
      setStart({ ...place(event), x: event.clientX, y: event.clientY });
    }
  };
  /** @param {PointerEvent} event */
  const up = (event) => {
    if (!start) {
      return;
    }
    const far = Math.hypot(event.clientX - start.x, event.clientY - start.y) >= DRAG_MIN;
    const end = place(event);
    setStart(null);
    if (far) {
      onZoom(start, end);
    } else {
      onPick(end.row);
    }
  };
  const height = Math.max(HEIGHT_MIN, ROW_HEIGHT * map.rows.length);
  const row = map.rows.findIndex((one) => one.from === picked);
  return h(
    'div',
    { class: 'heat' },
    h(Names, { map, height, picked, onPick }),
    h(
      'div',
      {
        class: 'field-of-heat',
        role: 'application',
        tabIndex: 0,
        'aria-label': `${label}. Arrows move, Enter chooses a range, plus zooms in, Escape out.`,
        style: { height: `${height}px` },
        onPointerDown: down,
        onPointerMove: (/** @type {PointerEvent} */ event) => setCursor(place(event)),
        onPointerUp: up,
        onPointerCancel: () => setStart(null),
        onPointerLeave: () => start || setCursor(null),
        onKeyDown: (/** @type {KeyboardEvent} */ event) =>
          keys(event, { map, cursor, setCursor, onPick, onZoom, onOut }),
      },
      h('canvas', { ref: canvas, 'aria-hidden': 'true' }),
      row >= 0 &&
        h('div', {
          class: 'picked',
          style: area(map, { row, column: 0 }, { row, column: map.columns - 1 }),
        }),
      cursor &&
        h('div', { class: start ? 'brush' : 'cursor', style: area(map, start ?? cursor, cursor) }),
    ),
    h(
      'div',
      { class: 'times quiet' },
      h('span', null, instant(map.from)),
      h('span', null, instant(map.from + map.step * map.columns)),
    ),
    h('p', { class: 'told', 'aria-live': 'polite' }, told(map, cursor, shown)),
  );
}

/** @param {Map} map @param {Place | null} cursor @param {(value: number) => string} shown */
function told(map, cursor, shown) {
  const row = cursor && map.rows[cursor.row];
  if (!row || cursor.column >= map.columns) {
    return 'Drag to zoom, click a range to see its metrics.';
  }
  const time = instant(map.from + cursor.column * map.step);
  return `${shown(map.cells[cursor.row][cursor.column])} at ${time}, rows from ${row.text}`;
}

/** @type {Record<string, [number, number]>} */
const STEPS = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * Moves, chooses and zooms with the keyboard.
 * @param {KeyboardEvent} event
 * @param {Actions & { map: Map, cursor: Place | null, setCursor: (place: Place) => void }} heat
 */
function keys(event, { map, cursor, setCursor, onPick, onZoom, onOut }) {
  const now = cursor ?? { row: 0, column: map.columns - 1 };
  /** @param {number} at @param {number} count */
  const within = (at, count) => Math.max(0, Math.min(count - 1, at));
  const step = STEPS[event.key];
  if (step) {
    setCursor({
      row: within(now.row + step[0], map.rows.length),
      column: within(now.column + step[1], map.columns),
    });
  } else if (event.key === 'Enter') {
    onPick(within(now.row, map.rows.length));
  } else if (event.key === '+') {
    const high = Math.floor(map.rows.length / 8);
    const wide = Math.floor(map.columns / 8);
    onZoom(
      {
        row: within(now.row - high, map.rows.length),
        column: within(now.column - wide, map.columns),
      },
      {
        row: within(now.row + high, map.rows.length),
        column: within(now.column + wide, map.columns),
      },
    );
  } else if (event.key === 'Escape') {
    onOut();
  } else {
    return;
  }
  event.preventDefault();
}

/**
 * The names of so many ranges that they do not overlap.
 * @param {{ map: Map, height: number, picked: string | null, onPick: (row: number) => void }} props
 */
function Names({ map, height, picked, onPick }) {
  const every = Math.max(1, Math.ceil((NAME_HEIGHT * map.rows.length) / height));
  return h(
    'ol',
    { class: 'names', style: { height: `${height}px` }, 'aria-label': 'Ranges' },
    map.rows.map(
      (row, at) =>
        at % every === 0 &&
        h(
          'li',
          { key: row.from, style: { top: `${(100 * at) / map.rows.length}%` } },
          h(
            'button',
            {
              class: 'plain',
              title: row.text,
              'aria-pressed': String(row.from === picked),
              onClick: () => onPick(at),
            },
            row.text,
          ),
        ),
    ),
  );
}
