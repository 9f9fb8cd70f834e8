/** The server's own figures, read from the text of /metrics. */
import { bytes, count } from './format.js';

/**
 * @typedef {{ name: string, labels: Labels, value: number }} Figure
 * @param {string} text in the exposition format
 * @returns {Figure[]}
 */
export function figures(text) {
  /** @type {Figure[]} */
  const found = [];
  for (const line of text.split('\n')) {
    const parts = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (parts) {
      /** @type {Labels} */
      const labels = {};
      for (const [, label, value] of (parts[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
        labels[label] = value.replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c));
      }
      found.push({ name: parts[1], labels, value: Number(parts[3]) });
    }
  }
  return found;
}

/**
 * @param {Figure[]} all
 * @returns {{ name: string, value: number, max: number, shown: (value: number) => string }[]}
 */
export function budgets(all) {
  const known = new Map(all.map((one) => [key(one.name, one.labels), one.value]));
  /** @type {ReturnType<typeof budgets>} */
  const found = [];
  for (const { name, labels, value } of all) {
    const of = /^varve_(.*?)_max(_bytes)?$/.exec(name);
    if (!of) {
      continue;
    }
    const used = known.get(key(`varve_${of[1]}${of[2] ?? ''}`, labels));
    if (used !== undefined && value > 0) {
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

/** @param {string} name @param {Labels} labels @returns {string} one text for each figure */
function key(name, labels) {
  return JSON.stringify([name, Object.entries(labels).sort()]);
}

/** What the page of a server's status shows of each dataset, by the name of its figure. */
const OF_DATASETS = {
  varve_catalog_series: 'series',
  varve_catalog_complete: 'complete',
  varve_catalog_memory_bytes: 'catalog',
  varve_head_samples: 'head',
  varve_head_age_seconds: 'age',
  varve_journal_bytes: 'journal',
  varve_seals_total: 'seals',
  varve_sealed_samples_total: 'sealed',
  varve_blocks_sealed_bytes_total: 'sealedBytes',
  varve_deletes_standing: 'deletes',
  varve_write_markers: 'markers',
};

/** The same of each store. */
const OF_STORES = {
  varve_store_tables: 'tables',
  varve_store_cells_estimate: 'cells',
  varve_store_table_bytes: 'bytes',
  varve_store_memtable_bytes: 'memory',
  varve_store_compaction_pending_bytes: 'pending',
  varve_store_damage_total: 'damage',
  varve_store_background_errors_total: 'errors',
  varve_store_recovery_torn_tails_total: 'tornTails',
  varve_store_recovery_cut_bytes_total: 'cutBytes',
  varve_store_recovery_damaged_logs_total: 'damagedLogs',
  varve_store_recovery_lost_edits_total: 'lostEdits',
  varve_store_recovery_kept_files_total: 'keptFiles',
};

/** @param {Figure[]} all @returns {Record<string, any>[]} one for each dataset, as `dataset` */
export function perDataset(all) {
  return per(all, 'dataset', OF_DATASETS);
}

/** @param {Figure[]} all @returns {Record<string, any>[]} one for each store, as `store` */
export function perStore(all) {
  return per(all, 'store', OF_STORES);
}

/**
 * @param {Figure[]} all
 * @param {string} label
 * @param {Record<string, string>} wanted names in a row by names of figures
 */
function per(all, label, wanted) {
  /** @type {Map<string, Record<string, any>>} */
  const rows = new Map();
  for (const { name, labels, value } of all) {
    if (Object.hasOwn(wanted, name) && labels[label] !== undefined) {
      const row = rows.get(labels[label]) ?? { [label]: labels[label] };
      row[wanted[name]] = value;
      rows.set(labels[label], row);
    }
  }
  return [...rows.values()];
}
