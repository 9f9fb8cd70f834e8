/** The server's own figures, read from the text of /metrics. */
import { bytes, count } from './format.js';

/**
 * @typedef {{ name: string, labels: Record<string, string>, value: number }} Figure
 * @param {string} text in the exposition format
 * @returns {Figure[]}
 */
export function figures(text) {
  const found = [];
  for (const line of text.split('\n')) {
    const parts = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (parts) {
      const labels = {};
      for (const [, label, value] of (parts[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
        labels[label] = value.replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c));
      }
      found.push({ name: parts[1], labels, value: Number(parts[3]) });
    }
  }
  return found;
}

/** @returns {{ name: string, value: number, max: number, shown: (value: number) => string }[]} */
export function budgets(all) {
  const known = new Map(all.map((one) => [key(one.name, one.labels), one.value]));
  const found = [];
  for (const { name, labels, value } of all) {
    const of = /^varve_(.*?)_max(_bytes)?$/.exec(name);
    const used = of && known.get(key(`varve_${of[1]}${of[2] ?? ''}`, labels));
    if (of && used !== undefined && value > 0) {
      const whose = Object.values(labels).join(' ');
      found.push({
        name: `${of[1].replaceAll('_', ' ')}${whose ? ` of ${whose}` : ''}`,
        value: used,
        max: value,
        shown: of[2] ? bytes : count,
      });
    }
  }
  return found;
}

function key(name, labels) {
  return JSON.stringify([name, Object.entries(labels).sort()]);
}

/** @returns {{ dataset: string, series: number, catalog: number, head: number, deletes: number }[]} */
export function perDataset(all) {
  const rows = new Map();
  const columns = {
    varve_catalog_series: 'series',
    varve_catalog_memory_bytes: 'catalog',
    varve_head_samples: 'head',
    varve_deletes_standing: 'deletes',
  };
  for (const { name, labels, value } of all) {
    if (Object.hasOwn(columns, name) && labels.dataset !== undefined) {
      const row = rows.get(labels.dataset) ?? { dataset: labels.dataset };
      row[columns[name]] = value;
      rows.set(labels.dataset, row);
    }
  }
  return [...rows.values()];
}
