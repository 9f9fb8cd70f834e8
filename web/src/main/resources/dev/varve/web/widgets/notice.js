/** What a page says while it waits, when something failed, and when there is nothing. */
import { h } from 'preact';

/**
 * The error of an answer, or that it is awaited for the first time; nothing once there is data.
 * @param {{ answer: { data?: any, error?: Error, loading: boolean } }} props
 */
export function Notice({ answer }) {
  if (answer.error) {
    return h('p', { class: 'error', role: 'alert' }, answer.error.message);
  }
  return answer.loading && answer.data === undefined
    ? h('p', { class: 'quiet', role: 'status' }, 'Asking the server…')
    : null;
}

/** @param {{ children?: any }} props */
export function Empty({ children }) {
  return h('p', { class: 'quiet' }, children);
}
