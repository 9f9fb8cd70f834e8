/** Asks before something is destroyed, and says what will happen. */
import { h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/**
 * @param {{ title: string, action: string, onYes: () => void, onNo: () => void, children?: any }}
 *     props
 */
export function Confirm({ title, action, onYes, onNo, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return h(
    'dialog',
    { ref: dialog, onCancel: onNo, 'aria-label': title },
    h('h2', null, title),
    children,
    h(
      'p',
      { class: 'buttons' },
      h('button', { onClick: onNo }, 'Keep it'),
      h('button', { class: 'danger', id: 'confirm', onClick: onYes }, action),
    ),
  );
}
