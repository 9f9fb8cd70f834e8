/** Numbers, times and series as text. */

const UNITS = ['', 'k', 'M', 'G', 'T', 'P'];

/** @param {number} value @returns {string} about four digits, such as 12.34k */
export function number(value) {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  }
  let scaled = Math.abs(value);
  let unit = 0;
  while (scaled >= 10000 && unit < UNITS.length - 1) {
    scaled /= 1000;
    unit++;
  }
  const digits = scaled === 0 || scaled >= 0.001 ? trimmed(scaled) : scaled.toExponential(2);
  return `${value < 0 ? '-' : ''}${digits}${UNITS[unit]}`;
}

/** @param {number} value */
function trimmed(value) {
  return String(Number(value.toPrecision(4)));
}

/** @param {number | null | undefined} count @returns {string} with a mark between thousands */
export function count(count) {
  return count === undefined || count === null ? '' : Number(count).toLocaleString('en-US');
}

/**
 * @param {number} amount
 * @param {string} what one of it
 * @returns {string} the amount with its word, such as 2 rows
 */
export function counted(amount, what) {
  return `${count(amount)} ${amount === 1 ? what : `${what}s`}`;
}

/** @param {number} bytes */
export function bytes(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 2 : 1)} ${units[unit]}`;
}

/** @param {number} micros microseconds */
export function duration(micros) {
  if (micros < 1000) {
    return `${micros} µs`;
  }
  return micros < 1e6 ? `${(micros / 1000).toFixed(1)} ms` : `${(micros / 1e6).toFixed(2)} s`;
}

/** @param {number} millis since 1970 @returns {string} in UTC */
export function instant(millis) {
  const date = new Date(millis);
  return Number.isNaN(date.getTime()) ? `${millis} ms` : date.toISOString().replace('.000Z', 'Z');
}

/** @param {string} name @returns {boolean} whether PromQL writes it without quotes */
function isPlain(name) {
  return /^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name);
}

/** @param {string} text @returns {string} a string literal of PromQL */
export function quoted(text) {
  return `"${text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')}"`;
}

/** @param {string} name @returns {string} a label in PromQL */
export function labelName(name) {
  return /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) ? name : quoted(name);
}

/** @param {string} name of a metric @returns {string} a selector in PromQL */
export function selectorOf(name) {
  return isPlain(name) ? name : `{${quoted(name)}}`;
}

/** @param {Record<string, string>} labels @returns {string} a series as PromQL writes it */
export function series(labels) {
  const { __name__: name, ...rest } = labels;
  const pairs = Object.entries(rest).map(
    ([label, value]) => `${labelName(label)}=${quoted(value)}`,
  );
  if (name !== undefined && !isPlain(name)) {
    return `{${[quoted(name), ...pairs].join(', ')}}`;
  }
  return pairs.length || name === undefined ? `${name ?? ''}{${pairs.join(', ')}}` : name;
}
