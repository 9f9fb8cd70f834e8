/**
 * A text field for PromQL. Enter asks, Shift+Enter breaks the line, Ctrl+Space completes; while
 * choices are shown, the arrows move among them, Tab or Enter takes one and Escape hides them. The
 * server's parser says what is wrong while one types.
 *
 * The colours are those of a copy of the text that lies behind the field, whose own letters are
 * transparent.
 */
import { h } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { api } from '../api.js';
import { choices } from '../completion.js';
import { tokens } from '../promql-tokens.js';

const QUIET_MS = 120;
const PARSE_MS = 400;
const ROWS_MAX = 8;

/**
 * @typedef {import('../completion.js').Choice} Choice
 * @typedef {{ from: number, choices: Choice[], at: number }} Offer what may stand from a place on,
 *     and which of it is marked; -1 for none
 */

/** @type {Offer} */
const NONE = { from: 0, choices: [], at: -1 };

/**
 * @param {string} text
 * @returns {string} what the server's parser says against a query; empty for nothing
 */
function useFault(text) {
  const [fault, setFault] = useState('');
  useEffect(() => {
    setFault('');
    if (!text.trim()) {
      return undefined;
    }
    const control = new AbortController();
    /** @param {Error} error */
    const tell = (error) =>
      control.signal.aborted || setFault(error.message.replace(/^invalid parameter "query": /, ''));
    const wait = setTimeout(() => api.parse(text, control.signal).catch(tell), PARSE_MS);
    return () => {
      clearTimeout(wait);
      control.abort();
    };
  }, [text]);
  return fault;
}

/**
 * What may stand at the cursor of a field.
 * @param {{ current: HTMLTextAreaElement | null }} field
 * @param {(text: string) => void} setText
 */
function useChoices(field, setText) {
  const [offer, setOffer] = useState(NONE);
  const timer = useRef(0);
  const find = async () => {
    const asked = field.current;
    const text = asked?.value ?? '';
    try {
      const found = asked ? await choices(text, asked.selectionStart) : NONE;
      if (field.current?.value === text && document.activeElement === field.current) {
        setOffer({ ...found, at: -1 });
      }
    } catch {
      // Without names to choose from, one can still write.
      setOffer(NONE);
    }
  };
  return {
    offer,
    hide() {
      clearTimeout(timer.current);
      setOffer(NONE);
    },
    /** @param {number} wait in milliseconds */
    look(wait) {
      clearTimeout(timer.current);
      timer.current = setTimeout(find, wait);
    },
    /** @param {number} step */
    move(step) {
      const count = offer.choices.length;
      const at = offer.at < 0 && step < 0 ? count - 1 : (offer.at + step + count) % count;
      setOffer({ ...offer, at });
    },
    /** @param {Choice} choice */
    take(choice) {
      if (!field.current) {
        return;
      }
      const { value, selectionStart } = field.current;
      const end = offer.from + choice.insert.length;
      const next = value.slice(0, offer.from) + choice.insert + value.slice(selectionStart);
      setText(next);
      setOffer(NONE);
      field.current.value = next;
      field.current.focus();
      field.current.setSelectionRange(end, end);
    },
  };
}

/**
 * Acts on a key that is not for the text.
 * @param {KeyboardEvent} event
 * @param {ReturnType<typeof useChoices>} completion
 * @param {() => void} ask
 * @returns {boolean} whether it was one
 */
function onKey(event, { offer, hide, look, move, take }, ask) {
  const shown = offer.choices.length > 0;
  if (event.key === ' ' && event.ctrlKey) {
    look(0);
  } else if (shown && event.key === 'ArrowDown') {
    move(1);
  } else if (shown && event.key === 'ArrowUp') {
    move(-1);
  } else if (shown && event.key === 'Escape') {
    hide();
  } else if (shown && event.key === 'Tab' && !event.shiftKey) {
    take(offer.choices[Math.max(0, offer.at)]);
  } else if (shown && event.key === 'Enter' && offer.at >= 0) {
    take(offer.choices[offer.at]);
  } else if (event.key === 'Enter' && !event.shiftKey) {
    ask();
  } else {
    return false;
  }
  return true;
}

/** @param {{ value: string, onAsk: (query: string) => void, label?: string }} props */
export function PromQlField({ value, onAsk, label = 'PromQL' }) {
  const [text, setText] = useState(value);
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const copy = useRef(/** @type {HTMLElement | null} */ (null));
  const id = useId();
  const fault = useFault(text);
  const completion = useChoices(field, setText);
  const { offer, hide, look } = completion;
  // Before the field is drawn, so that it takes no letter away that was typed since.
  useLayoutEffect(() => setText(value), [value]);
  const ask = () => {
    hide();
    onAsk((field.current?.value ?? '').trim());
  };
  return h(
    'div',
    { class: 'promql' },
    h(
      'div',
      { class: 'coloured' },
      h(Coloured, { text, place: copy }),
      h('textarea', {
        ref: field,
        rows: Math.min(ROWS_MAX, text.split('\n').length),
        spellcheck: false,
        autocapitalize: 'off',
        autocomplete: 'off',
        placeholder: 'PromQL, such as sum by (job) (rate(requests_total[5m]))',
        role: 'combobox',
        'aria-label': label,
        'aria-autocomplete': 'list',
        'aria-expanded': String(offer.choices.length > 0),
        'aria-controls': `${id}-choices`,
        'aria-activedescendant': offer.at >= 0 ? `${id}-${offer.at}` : undefined,
        'aria-invalid': fault ? 'true' : undefined,
        value: text,
        onInput: (/** @type {FieldEvent} */ event) => {
          setText(event.currentTarget.value);
          look(QUIET_MS);
        },
        onKeyDown: (/** @type {KeyboardEvent} */ event) =>
          onKey(event, completion, ask) && event.preventDefault(),
        onScroll: () => copy.current?.scrollTo(0, field.current?.scrollTop ?? 0),
        onBlur: hide,
      }),
    ),
    h('button', { class: 'main ask', onClick: ask }, 'Run'),
    offer.choices.length > 0 && h(Choices, { id, offer, take: completion.take }),
    fault && h('p', { class: 'fault' }, fault),
  );
}

/**
 * The text in colours.
 * @param {{ text: string, place: import('preact').RefObject<HTMLElement> }} props
 */
function Coloured({ text, place }) {
  return h(
    'pre',
    { ref: place, class: 'colours', 'aria-hidden': 'true' },
    tokens(text).map(({ kind, text: token }) =>
      kind ? h('span', { class: `of-${kind}` }, token) : token,
    ),
    // Without it, a last line that is empty would not be as high as in the field.
    '\n',
  );
}

/** @param {{ id: string, offer: Offer, take: (choice: Choice) => void }} props */
function Choices({ id, offer, take }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(
    () => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    [offer.at],
  );
  return h(
    'ul',
    { class: 'choices', id: `${id}-choices`, role: 'listbox', 'aria-label': 'Choices', ref: list },
    offer.choices.map((choice, place) =>
      h(
        'li',
        {
          id: `${id}-${place}`,
          role: 'option',
          'aria-selected': String(place === offer.at),
          // Before the field loses the focus.
          onMouseDown: (/** @type {MouseEvent} */ event) => {
            event.preventDefault();
            take(choice);
          },
        },
        h('span', null, choice.text),
        h('small', null, choice.detail ? `${choice.kind} ${choice.detail}` : choice.kind),
      ),
    ),
  );
}
