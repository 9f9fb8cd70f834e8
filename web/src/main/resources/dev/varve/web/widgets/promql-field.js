/**
 * A text field for PromQL. Enter asks, Shift+Enter breaks the line, Ctrl+Space completes; while
 * choices are shown, the arrows move among them, Tab or Enter takes one and Escape hides them. The
 * server's parser says what is wrong while one types.
 */
import { h } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { api } from '../api.js';
import { choices } from '../completion.js';

const QUIET_MS = 120;
const PARSE_MS = 400;
const NONE = { from: 0, choices: [], at: -1 };

/** @param {{ value: string, onAsk: (query: string) => void, label?: string }} props */
export function PromQlField({ value, onAsk, label = 'PromQL' }) {
  const [text, setText] = useState(value);
  const [offer, setOffer] = useState(NONE);
  const [fault, setFault] = useState('');
  const field = useRef(null);
  const timer = useRef(0);
  const id = useId();

  useEffect(() => setText(value), [value]);
  useEffect(() => {
    setFault('');
    if (!text.trim()) {
      return undefined;
    }
    const control = new AbortController();
    const wait = setTimeout(
      () =>
        api.parse(text, control.signal).catch((error) => {
          if (!control.signal.aborted) {
            setFault(error.message.replace(/^invalid parameter "query": /, ''));
          }
        }),
      PARSE_MS,
    );
    return () => {
      clearTimeout(wait);
      control.abort();
    };
  }, [text]);

  const complete = (wait) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(async () => {
      const { value: now, selectionStart: cursor } = field.current ?? {};
      if (now === undefined) {
        return;
      }
      try {
        const found = await choices(now, cursor);
        if (field.current?.value === now && document.activeElement === field.current) {
          setOffer({ ...found, at: -1 });
        }
      } catch {
        setOffer(NONE);
      }
    }, wait);
  };

  const take = (choice) => {
    const { value: now, selectionStart: cursor } = field.current;
    const next = now.slice(0, offer.from) + choice.insert + now.slice(cursor);
    setText(next);
    setOffer(NONE);
    field.current.value = next;
    field.current.focus();
    const end = offer.from + choice.insert.length;
    field.current.setSelectionRange(end, end);
  };

  const ask = () => {
    clearTimeout(timer.current);
    setOffer(NONE);
    onAsk(field.current.value.trim());
  };

  const onKeyDown = (event) => {
    const shown = offer.choices.length > 0;
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      complete(0);
    } else if (shown && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      const count = offer.choices.length;
      const at = offer.at < 0 && step < 0 ? count - 1 : (offer.at + step + count) % count;
      setOffer({ ...offer, at });
    } else if (shown && event.key === 'Tab' && !event.shiftKey) {
      event.preventDefault();
      take(offer.choices[Math.max(0, offer.at)]);
    } else if (shown && event.key === 'Escape') {
      event.preventDefault();
      setOffer(NONE);
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      if (shown && offer.at >= 0) {
        take(offer.choices[offer.at]);
      } else {
        ask();
      }
    }
  };

  return h(
    'div',
    { class: 'promql' },
    h('textarea', {
      ref: field,
      rows: Math.min(8, text.split('\n').length),
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
      onInput: (event) => {
        setText(event.target.value);
        complete(QUIET_MS);
      },
      onKeyDown,
      onBlur: () => setOffer(NONE),
    }),
    h('button', { class: 'main ask', onClick: ask }, 'Run'),
    offer.choices.length > 0 && h(Choices, { id, offer, take }),
    fault && h('p', { class: 'fault' }, fault),
  );
}

function Choices({ id, offer, take }) {
  const list = useRef(null);
  useEffect(
    () => list.current.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
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
          onMouseDown: (event) => {
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
