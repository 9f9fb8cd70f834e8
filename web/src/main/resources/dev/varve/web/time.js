/** The stretch of time that a page shows: a length, and an end unless that is now. */

/** Lengths to choose from. */
export const LENGTHS = ['5m', '15m', '1h', '3h', '12h', '1d', '7d', '30d'];

/** Milliseconds since 1970, the farthest that a date reaches. */
const INSTANT_MAX = 8.64e15;

/** @type {Record<string, number>} */
const UNITS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400, w: 604800, y: 31536000 };

/** @param {string} text such as 1h30m @returns {number | null} seconds; null if it is no length */
export function seconds(text) {
  const parts = [...text.matchAll(/(\d+)(ms|[smhdwy])/g)];
  const total = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit], 0);
  return parts.map(([part]) => part).join('') === text && total > 0 ? total : null;
}

/** @param {number} length in seconds @returns {string} such as 1h30m */
export function lengthText(length) {
  let rest = Math.max(1, Math.round(length));
  let text = '';
  for (const unit of ['d', 'h', 'm', 's']) {
    const amount = Math.floor(rest / UNITS[unit]);
    text += amount ? `${amount}${unit}` : '';
    rest -= amount * UNITS[unit];
  }
  return text;
}

/**
 * @param {URLSearchParams} address with `range`, a length, and `end`, milliseconds since 1970
 * @param {string} byDefault the length if there is none
 * @returns {{ length: string, start: number, end: number, step: number, fixed: boolean }} in
 *     seconds; fixed if the end is not now, but an instant that a date can be
 */
export function range(address, byDefault = '1h') {
  const named = address.get('range') ?? '';
  const length = seconds(named) ? named : byDefault;
  const asked = address.get('end') ?? '';
  const fixed = /^-?\d+$/.test(asked) && Math.abs(Number(asked)) <= INSTANT_MAX;
  const end = fixed ? Number(asked) / 1000 : Math.ceil(Date.now() / 1000);
  const wide = seconds(length) ?? 3600;
  const step = niceStep(wide / 250);
  return { length, start: end - wide, end, step, fixed };
}

/**
 * @param {number} atLeast seconds
 * @returns {number} the step at which points are computed
 */
function niceStep(atLeast) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200];
  return steps.find((step) => step >= atLeast) ?? Math.ceil(atLeast / 86400) * 86400;
}
