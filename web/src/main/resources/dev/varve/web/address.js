/**
 * The state of the console is the query of its address, so that every view can be linked and the
 * browser's history works. All addresses are relative.
 */
import { useEffect, useState } from 'preact/hooks';

/** @type {Set<() => void>} */
const listeners = new Set();

/** @returns {URLSearchParams} the state */
export function address() {
  return new URLSearchParams(location.search);
}

/**
 * The state, for a component that is drawn anew when it changes.
 * @returns {URLSearchParams}
 */
export function useAddress() {
  const [, draw] = useState(0);
  useEffect(() => {
    const changed = () => draw((count) => count + 1);
    listeners.add(changed);
    return () => listeners.delete(changed);
  }, []);
  return address();
}

/**
 * @param {Record<string, string | string[] | null | undefined>} changes values by name; null and
 *     the empty text remove a name
 * @param {string[]} [kept] names that keep their values; all if absent
 * @returns {string} the address of the changed state
 */
export function link(changes, kept) {
  const now = address();
  const next = new URLSearchParams();
  for (const [name, value] of now) {
    if (!Object.hasOwn(changes, name) && (!kept || kept.includes(name))) {
      next.append(name, value);
    }
  }
  for (const [name, value] of Object.entries(changes)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && (one !== '' || Array.isArray(value))) {
        next.append(name, one);
      }
    }
  }
  const query = next.toString();
  return query ? `?${query}` : location.pathname;
}

/**
 * Changes the state.
 * @param {Record<string, string | string[] | null | undefined>} changes as for {@link link}
 * @param {{ replace?: boolean, kept?: string[] }} [how] whether the step is left out of the history
 */
export function follow(changes, how = {}) {
  const to = link(changes, how.kept);
  if (how.replace) {
    history.replaceState(null, '', to);
  } else {
    history.pushState(null, '', to);
  }
  listeners.forEach((changed) => changed());
}

addEventListener('popstate', () => listeners.forEach((changed) => changed()));

// Links to the console itself change the state without loading the page again.
addEventListener('click', (event) => {
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
  const own = anchor && anchor.origin === location.origin && anchor.pathname === location.pathname;
  if (own && plain && !anchor.target && !event.defaultPrevented) {
    event.preventDefault();
    history.pushState(null, '', anchor.href);
    listeners.forEach((changed) => changed());
    scrollTo(0, 0);
  }
});
