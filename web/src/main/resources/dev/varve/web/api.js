/** The server's APIs. Every call answers data or throws an error with the server's own message. */
import { useEffect, useState } from 'preact/hooks';
import { address } from './address.js';

const UNREACHED =
  'The server cannot be reached: it does not run, or a proxy before it wants a login. Reload the page then.';

/** @returns {string} the prefix of paths, relative to the page, that names the dataset */
function prefix() {
  const dataset = address().get('dataset');
  return dataset ? `datasets/${encodeURIComponent(dataset)}/` : '';
}

/**
 * @param {string} body what the server answered
 * @param {number} status
 * @returns {string} its reason
 */
function reason(body, status) {
  try {
    return String(JSON.parse(body).error ?? body);
  } catch {
    const said = body.trim();
    // A page comes from a proxy in between, and says little as text.
    return said && !said.startsWith('<') ? said : `the server answered ${status}`;
  }
}

/**
 * @param {string} path relative to the page
 * @param {RequestInit} [how]
 * @returns {Promise<string>}
 */
async function text(path, how) {
  const answer = await fetch(path, {
    credentials: 'same-origin',
    redirect: 'error',
    ...how,
  }).catch((error) => {
    throw error instanceof TypeError ? new Error(UNREACHED) : error;
  });
  const body = await answer.text();
  if (!answer.ok) {
    throw new Error(reason(body, answer.status));
  }
  return body;
}

/** @param {string} body @returns {any} its JSON */
function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    throw new Error(
      'The answer is no JSON. Is there a proxy before the server that answers itself?',
    );
  }
}

/**
 * @typedef {string | number | boolean | null | undefined} Field
 * @typedef {Record<string, Field | Field[]>} Fields parameters of a request by name; a field without
 *     a value is left out
 */

/** @param {Fields} values @returns {URLSearchParams} those that are present */
function form(values) {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) {
        fields.append(name, String(one));
      }
    }
  }
  return fields;
}

/**
 * @param {string} path
 * @param {Fields} [values]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
async function get(path, values = {}, signal) {
  const fields = form(values).toString();
  return parsed(await text(fields ? `${path}?${fields}` : path, { signal }));
}

/**
 * @param {string} path
 * @param {Fields} values
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
async function post(path, values, signal) {
  return parsed(await text(path, { method: 'POST', body: form(values), signal }));
}

/**
 * Calls an API of Prometheus and takes the data out of its envelope.
 * @param {typeof post} call
 * @param {string} path
 * @param {Fields} values
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
async function prometheus(call, path, values, signal) {
  const answer = await call(`${prefix()}api/v1/${path}`, values, signal);
  return answer.data;
}

/** @param {Record<string, string>} parameters of a layout @returns {Record<string, string>} */
function named(parameters) {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [`param.${name}`, value]),
  );
}

/**
 * @template T
 * @typedef {(signal?: AbortSignal) => Promise<T>} Ask
 */

export const api = {
  /**
   * @param {string} query
   * @param {number} [time] in seconds; now if absent
   * @param {AbortSignal} [signal]
   * @returns {Promise<Answer.Result>}
   */
  query: (query, time, signal) => prometheus(post, 'query', { query, time }, signal),
  /** @type {(query: string, start: number, end: number, step: number, signal?: AbortSignal) =>
   *     Promise<Answer.Matrix>} times and step in seconds */
  range: (query, start, end, step, signal) =>
    prometheus(post, 'query_range', { query, start, end, step }, signal),
  /** @type {(query: string, start: number, end: number, step: number, signal?: AbortSignal) =>
   *     Promise<Answer.Matrix>} the same of the default dataset, which has the server's own figures */
  ofDefault: (query, start, end, step, signal) =>
    post('api/v1/query_range', { query, start, end, step }, signal).then((answer) => answer.data),
  /** @type {(query: string, signal?: AbortSignal) => Promise<unknown>} */
  parse: (query, signal) => prometheus(post, 'parse_query', { query }, signal),
  /**
   * @param {string[]} [match] selectors
   * @param {AbortSignal} [signal]
   * @returns {Promise<string[]>}
   */
  labels: (match, signal) => prometheus(get, 'labels', { 'match[]': match, limit: 2000 }, signal),
  /**
   * @param {string} label
   * @param {string[]} [match] selectors
   * @param {AbortSignal} [signal]
   * @param {number} [limit]
   * @returns {Promise<string[]>}
   */
  values: (label, match, signal, limit = 2000) =>
    prometheus(
      get,
      `label/${encodeURIComponent(escaped(label))}/values`,
      { 'match[]': match, limit },
      signal,
    ),
  /** @type {(limit: string, signal?: AbortSignal) => Promise<Answer.Cardinality>} */
  cardinality: (limit, signal) => prometheus(get, 'status/tsdb', { limit }, signal),
  /** @type {Ask<Answer.History>} */
  history: (signal) => get(`${prefix()}varve/v1/cardinality/history`, {}, signal),
  /** @type {(values: Fields, signal?: AbortSignal) => Promise<Answer.HeatMap>} */
  heatMap: (values, signal) => get(`${prefix()}varve/v1/heatmap`, values, signal),
  /** @type {Ask<Answer.Advice>} */
  advice: (signal) => get(`${prefix()}varve/v1/advice`, {}, signal),
  /** @type {Ask<{ groups: Answer.RuleGroup[] }>} */
  rules: (signal) => prometheus(get, 'rules', {}, signal),
  /** @type {Ask<{ alerts: Answer.Alert[] }>} */
  alerts: (signal) => prometheus(get, 'alerts', {}, signal),
  /** @type {Ask<{ activeTargets: Answer.Target[] }>} */
  targets: (signal) => get('api/v1/targets', {}, signal).then((answer) => answer.data),
  /** @type {Ask<Answer.Queries>} */
  queries: (signal) => get('api/v1/status/queries', {}, signal).then((answer) => answer.data),
  /** @type {(id: string) => Promise<unknown>} */
  kill: (id) => post(`api/v1/status/queries/${encodeURIComponent(id)}/kill`, {}),
  /** @type {Ask<{ damage: Answer.Damage[] }>} */
  damage: (signal) => get('api/v1/status/damage', {}, signal).then((answer) => answer.data),
  /** @type {Ask<string>} */
  figures: (signal) => text('metrics', { signal }),
  /** @type {() => Promise<Answer.Datasets>} */
  datasets: () => get('varve/v1/datasets'),
  /** @type {() => Promise<{ layouts: Answer.NamedLayout[] }>} */
  layouts: () => get('varve/v1/layouts'),
  /** @type {() => Promise<Answer.Language>} */
  language: () => get('varve/v1/promql'),
  /** @type {(layout: string, points: string, parameters: Record<string, string>,
   *     signal?: AbortSignal) => Promise<Answer.Cells>} */
  cells: (layout, points, parameters, signal) =>
    post('varve/v1/cells', { layout, points, ...named(parameters) }, signal),
  /** @type {(layout: string, points: string, interval: string,
   *     parameters: Record<string, string>, signal?: AbortSignal) =>
   *     Promise<{ estimates: Answer.Estimate[] }>} */
  estimate: (layout, points, interval, parameters, signal) =>
    post('varve/v1/layouts/estimate', { layout, points, interval, ...named(parameters) }, signal),
  /**
   * @param {Fields} values
   * @param {string} [dataset] another dataset than that of the address
   * @param {AbortSignal} [signal]
   * @returns {Promise<Answer.Explanation>}
   */
  explain: (values, dataset, signal) =>
    post(
      dataset
        ? `datasets/${encodeURIComponent(dataset)}/varve/v1/explain`
        : `${prefix()}varve/v1/explain`,
      values,
      signal,
    ),
};

/**
 * Names that are no identifiers go into a path in the form that Prometheus 3 defines.
 * @param {string} label
 */
function escaped(label) {
  if (/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label)) {
    return label;
  }
  const characters = [...label].map((c) =>
    /[a-zA-Z0-9]/.test(c) ? c : c === '_' ? '__' : `_${c.codePointAt(0)?.toString(16)}_`,
  );
  return `U__${characters.join('')}`;
}

/**
 * Asks when the component appears and whenever an input changes; a later question ends an earlier
 * one. While a new answer is awaited, the previous one stays.
 *
 * @template T
 * @param {((signal: AbortSignal) => Promise<T>) | null} ask null to ask nothing
 * @param {any[]} inputs
 * @returns {{ data?: T, error?: Error, loading: boolean }}
 */
export function useAnswer(ask, inputs) {
  const [state, setState] = useState(
    /** @type {{ data?: T, error?: Error, loading: boolean }} */ ({ loading: ask !== null }),
  );
  useEffect(() => {
    if (!ask) {
      setState({ loading: false });
      return undefined;
    }
    const control = new AbortController();
    setState((before) => ({ data: before.data, loading: true }));
    ask(control.signal).then(
      (data) => control.signal.aborted || setState({ data, loading: false }),
      (error) => control.signal.aborted || setState({ error, loading: false }),
    );
    return () => control.abort();
  }, inputs);
  return state;
}
