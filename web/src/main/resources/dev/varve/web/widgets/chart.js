/** A line chart of a range query, drawn by uPlot, with a legend of our own made of text nodes. */
import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { number, instant } from '../format.js';

/** Colours of lines, legible on light and dark. */
const COLOURS = [
  '#2f81c1',
  '#d9822b',
  '#3c9a5f',
  '#c0504d',
  '#8a6fc0',
  '#9c7a4b',
  '#d16fa5',
  '#7a7f87',
  '#a3a327',
  '#2ba6b0',
];

const WIDTH_MIN = 120;

/** Pixels; a shorter stretch is a click. */
const MARKED_MIN = 5;

/** @param {number} place of a line @returns {string} its colour */
const colour = (place) => COLOURS[place % COLOURS.length];

/** @returns {{ ink: string, line: string }} colours of the page for texts and for lines of axes */
function colours() {
  const style = getComputedStyle(document.documentElement);
  return {
    ink: style.getPropertyValue('--quiet').trim() || '#777',
    line: style.getPropertyValue('--line').trim() || '#ccc',
  };
}

/** @param {uPlot.Axis} extra @returns {uPlot.Axis} an axis in the colours of the page */
function axis(extra) {
  const { ink, line } = colours();
  return { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line }, ...extra };
}

/**
 * The times of an axis in UTC, with the date where a day begins.
 * @type {uPlot.Axis.DynamicValues}
 */
const clock = (chart, splits, axisIndex, space, step) =>
  splits.map((split) => {
    const text = instant(split * 1000);
    const time = text.slice(11, step < 60 ? 19 : 16);
    return time.startsWith('00:00') ? text.slice(5, 10) : time;
  });

/**
 * @param {{ lines: { name: string }[], height: number, start: number, end: number,
 *     small?: boolean }} drawn
 * @param {number} width
 * @param {Set<string>} hidden names of lines
 * @param {(place: number | null) => void} onCursor
 * @param {(start: number, end: number) => void} onSelect
 * @returns {uPlot.Options} what uPlot is to draw
 */
function options({ lines, height, start, end, small }, width, hidden, onCursor, onSelect) {
  return {
    width,
    height,
    legend: { show: false },
    cursor: small ? { show: false } : { drag: { x: true, y: false, setScale: false } },
    tzDate: (time) => uPlot.tzDate(new Date(time * 1000), 'Etc/UTC'),
    scales: { x: { range: [start, end] } },
    axes: [
      axis({ size: small ? 30 : 40, values: clock }),
      axis({ size: small ? 56 : 64, values: (_, splits) => splits.map(number) }),
    ],
    series: [
      {},
      ...lines.map((line, place) => ({
        stroke: colour(place),
        width: 1.5,
        spanGaps: false,
        show: !hidden.has(line.name),
        points: { show: false },
      })),
    ],
    hooks: {
      setCursor: [(drawn) => onCursor(drawn.cursor.idx ?? null)],
      setSelect: [
        (drawn) => {
          const { left, width: wide } = drawn.select;
          if (wide >= MARKED_MIN) {
            onSelect(drawn.posToVal(left, 'x'), drawn.posToVal(left + wide, 'x'));
          }
        },
      ],
    },
  };
}

/**
 * Keeps a drawing as wide as its place and in the colours of the page.
 * @param {uPlot} drawn
 * @param {HTMLElement} place
 * @param {number} height in pixels
 * @returns {() => void} ends that, and the drawing
 */
function keepUp(drawn, place, height) {
  const watch = new ResizeObserver(() => drawn.setSize({ width: widthOf(place), height }));
  watch.observe(place);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const repaint = () => {
    const { ink, line } = colours();
    drawn.axes.forEach((one) => {
      one.stroke = () => ink;
      if (one.grid) {
        one.grid.stroke = () => line;
      }
    });
    drawn.redraw();
  };
  dark.addEventListener('change', repaint);
  return () => {
    dark.removeEventListener('change', repaint);
    watch.disconnect();
    drawn.destroy();
  };
}

/** @param {HTMLElement} place @returns {number} in pixels */
function widthOf(place) {
  return Math.max(WIDTH_MIN, place.clientWidth);
}

/**
 * @param {{ times: number[], lines: { name: string, values: (number | null)[] }[], height?: number,
 *     start: number, end: number, small?: boolean, onZoom?: (start: number, end: number) => void,
 *     label: string }} props times in seconds; a small chart has neither legend nor cursor
 */
export function Chart(props) {
  const { times, lines, height = 260, start, end, small, onZoom, label } = props;
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const [cursor, setCursor] = useState(/** @type {number | null} */ (null));
  const [hidden, setHidden] = useState(() => /** @type {Set<string>} */ (new Set()));
  useEffect(() => {
    if (!place.current) {
      return undefined;
    }
    const shown = options(
      { ...props, height },
      widthOf(place.current),
      hidden,
      setCursor,
      (from, to) => onZoom?.(from, to),
    );
    const data = /** @type {uPlot.AlignedData} */ ([times, ...lines.map((line) => line.values)]);
    return keepUp(new uPlot(shown, data, place.current), place.current, height);
  }, [times, lines, height, start, end, hidden]);

  /** @param {string} name of a line */
  const toggle = (name) =>
    setHidden((before) => {
      const after = new Set(before);
      return after.delete(name) ? after : after.add(name);
    });
  return h(
    'div',
    { class: small ? 'chart small' : 'chart' },
    h('div', { ref: place, role: 'img', 'aria-label': label, class: 'plot' }),
    !small &&
      h(
        'div',
        { class: 'legend' },
        h(
          'p',
          { class: 'quiet' },
          cursor === null ? 'Drag to zoom.' : instant(times[cursor] * 1000),
        ),
        h(
          'ul',
          null,
          lines.map((line, index) =>
            h(LegendLine, {
              line,
              index,
              cursor,
              off: hidden.has(line.name),
              onToggle: () => toggle(line.name),
            }),
          ),
        ),
      ),
  );
}

/**
 * @param {{ line: { name: string, values: (number | null)[] }, index: number,
 *     cursor: number | null, off: boolean, onToggle: () => void }} props
 */
function LegendLine({ line, index, cursor, off, onToggle }) {
  const value = cursor === null ? line.values.findLast((one) => one !== null) : line.values[cursor];
  return h(
    'li',
    null,
    h(
      'button',
      { class: off ? 'plain off' : 'plain', 'aria-pressed': String(!off), onClick: onToggle },
      h('span', { class: 'swatch', style: { background: colour(index) } }),
      line.name,
    ),
    h('b', null, value === null || value === undefined ? '' : number(value)),
  );
}
