/** The operators of a query as a tree, and below its leaves how the samples are read. */
import { h } from 'preact';
import { bytes, count, counted, duration, instant } from '../format.js';
import { Table } from './table.js';

const RANGES_MAX = 100;

/** @typedef {{ scans: Answer.Scan[], total?: number }} Measured total in microseconds */

/** @param {Measured & { plan: Answer.PlanNode }} props */
export function PlanTree({ plan, scans, total }) {
  return h('ul', { class: 'plan' }, h(Node, { node: plan, scans, total }));
}

/** @param {Measured & { node: Answer.PlanNode }} props */
function Node({ node, scans, total }) {
  const scan = scans.find((one) => one.number === node.scan);
  const read = scan ? undefined : bytesBelow(node, scans);
  return h(
    'li',
    null,
    h(
      'div',
      { class: 'node' },
      h('code', null, node.operator),
      node.detail && h('span', null, ` ${node.detail}`),
      node.rows !== undefined &&
        h('span', { class: 'quiet' }, ` ${count(node.rows)} series, ${count(node.values)} values`),
      read !== undefined && h('span', { class: 'quiet' }, ` of ${bytes(read)} read`),
      node.microseconds !== undefined && h(Time, { micros: node.microseconds, total }),
    ),
    scan && h(Scan, { scan, total }),
    node.inputs.length > 0 &&
      h(
        'ul',
        null,
        node.inputs.map((input) => h(Node, { node: input, scans, total })),
      ),
  );
}

/**
 * Returns the bytes that the scans below a node read; undefined if they did not run. A scan that
 * several nodes share counts once.
 * @param {Answer.PlanNode} node
 * @param {Answer.Scan[]} scans
 */
function bytesBelow(node, scans) {
  const numbers = new Set(scansBelow(node));
  const ran = scans.filter((scan) => numbers.has(scan.number)).flatMap((scan) => scan.actual ?? []);
  return ran.length === 0 ? undefined : ran.reduce((sum, actual) => sum + actual.bytesRead, 0);
}

/**
 * @param {Answer.PlanNode} node
 * @returns {(number | undefined)[]}
 */
function scansBelow(node) {
  return [node.scan, ...node.inputs.flatMap(scansBelow)];
}

/** @param {{ micros: number, total?: number }} props */
function Time({ micros, total }) {
  return h(
    'span',
    { class: 'time' },
    h('meter', { min: 0, max: Math.max(1, total ?? micros), value: micros, 'aria-label': 'time' }),
    duration(micros),
  );
}

/**
 * How the samples of a selector are read.
 * @param {{ scan: Answer.Scan, total?: number }} props
 */
function Scan({ scan, total }) {
  const { actual } = scan;
  return h(
    'div',
    { class: 'scan' },
    h(
      'p',
      null,
      h('code', null, scan.selector),
      ` from ${instant(scan.from)} to ${instant(scan.to)}, labels ${scan.labels}: `,
      `${count(scan.seriesMatched)} series match`,
    ),
    actual &&
      h(
        'p',
        { class: 'actual' },
        `read ${count(actual.series)} series, ${counted(actual.samples, 'sample')}, `,
        `${counted(actual.rowsRead, 'row')}, ${counted(actual.cellsRead, 'cell')}, `,
        `${bytes(actual.bytesRead)} in ${counted(actual.requests, 'request')}`,
        h(Time, { micros: actual.readMicroseconds, total }),
      ),
    scan.reads.map((read) => h(Read, { read })),
  );
}

/** @param {{ read: Answer.PeriodRead }} props */
function Read({ read }) {
  return h(
    'div',
    { class: 'read' },
    h(
      'p',
      null,
      'layout ',
      h('b', null, read.layout),
      `: ${counted(read.slices, 'range')} in ${counted(read.partitions, 'partition')}, `,
      `${amount(read.rowsWanted)} of ${amount(read.rows)} rows wanted, ${amount(read.cells)} cells`,
    ),
    [...read.notes, ...read.filters.map((filter) => `filter: ${filter}`)].map((text) =>
      h('p', { class: 'quiet' }, text),
    ),
    read.lost.map((text) => h('p', { class: 'error' }, text)),
    read.alternatives.length > 0 &&
      h(Table, {
        caption: 'What the planner weighed',
        rows: read.alternatives,
        columns: [
          { title: 'alternative', of: (row) => row.name },
          { title: 'cost', of: (row) => row.cost, number: true },
          { title: 'reason', of: (row) => row.reason },
        ],
      }),
    read.ranges.length > 0 && h(Ranges, { ranges: read.ranges }),
  );
}

/** @param {{ ranges: Answer.RowRange[] }} props */
function Ranges({ ranges }) {
  const left = ranges.length - RANGES_MAX;
  return h(
    'details',
    null,
    h('summary', null, counted(ranges.length, 'row range')),
    h(Table, {
      rows: ranges.slice(0, RANGES_MAX),
      columns: [
        { title: 'table', of: (row) => row.table },
        { title: 'partition', of: (row) => row.partition },
        { title: 'from', of: (row) => h('span', { title: row.fromHex }, row.from) },
        { title: 'to', of: (row) => h('span', { title: row.toHex }, row.to) },
      ],
    }),
    left > 0 && h('p', { class: 'quiet' }, `${count(left)} more are not shown.`),
  );
}

/** @param {number | 'unknown'} number */
function amount(number) {
  return typeof number === 'number' ? count(number) : String(number);
}
