/** Relabelling rules, as YAML, that keep series or labels out; Prometheus has the same form. */

/** @param {string} text @returns {string} a scalar of YAML */
function scalar(text) {
  return /[\n\r\t]|[^\P{C}]/u.test(text) ? JSON.stringify(text) : `'${text.replace(/'/g, "''")}'`;
}

/** @param {string} text @returns {string} a pattern that matches just the text */
export function pattern(text) {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}

/**
 * @param {{ kind: 'metric' | 'label' | 'pair', name: string, value?: string }} target a metric, a
 *     label, or a label with a value
 * @returns {string} the rule that drops it
 */
export function dropRule({ kind, name, value = '' }) {
  switch (kind) {
    case 'metric':
      return `- source_labels: [__name__]\n  regex: ${scalar(pattern(name))}\n  action: drop\n`;
    case 'label':
      return `- regex: ${scalar(pattern(name))}\n  action: labeldrop\n`;
    default:
      return `- source_labels: [${scalar(name)}]\n  regex: ${scalar(pattern(value))}\n  action: drop\n`;
  }
}
