/** Results of range queries as columns, as the chart takes them. */
import { series } from './format.js';

/** Series that one chart draws. */
export const DRAWN_MAX = 50;

/**
 * @param {{ metric: Record<string, string>, values: [number, string][] }[]} result
 * @returns {{ times: number[], lines: { labels: Record<string, string>, name: string,
 *     values: (number | null)[] }[], left: number }} and how many series were left out
 */
export function columns(result) {
  const drawn = result.slice(0, DRAWN_MAX);
  const all = new Set();
  drawn.forEach((one) => one.values.forEach(([time]) => all.add(time)));
  const times = [...all].sort((a, b) => a - b);
  const places = new Map(times.map((time, place) => [time, place]));
  const lines = drawn.map(({ metric, values }) => {
    const column = new Array(times.length).fill(null);
    values.forEach(([time, value]) => {
      const parsed = parse(value);
      column[/** @type {number} */ (places.get(time))] = Number.isFinite(parsed) ? parsed : null;
    });
    return { labels: metric, name: series(metric), values: column };
  });
  return { times, lines, left: result.length - drawn.length };
}

/** @param {string} text of a sample @returns {number} */
export function parse(text) {
  return text === '+Inf' ? Infinity : text === '-Inf' ? -Infinity : Number(text);
}
