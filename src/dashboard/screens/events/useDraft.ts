// The question while it is edited: it changes the URL once editing pauses, and follows a change of the URL.
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { noEvent } from '../../parts/events/selection.ts';
import { settled, type Definition } from './search.ts';

const pauseMs = 500;

export function useDraft(definition: Definition, show: (definition: Definition) => void) {
  const [draft, setDraft] = useState(() => withARow(definition));
  const asked = JSON.stringify(definition);
  const sent = useRef(asked);
  const send = useDebouncedCallback((next: Definition) => {
    const whole = settled(next);
    if (JSON.stringify(whole) === sent.current) return;
    sent.current = JSON.stringify(whole);
    show(whole);
  }, pauseMs);
  useEffect(() => {
    // Not the own change that comes back while somebody types on.
    if (asked === sent.current) return;
    sent.current = asked;
    setDraft(withARow(JSON.parse(asked) as Definition));
  }, [asked]);
  const change = (part: Partial<Definition>): void => {
    const next = { ...draft, ...part };
    setDraft(next);
    send(next);
  };
  return [draft, change] as const;
}

/** A new question begins with a row to fill. */
const withARow = (definition: Definition): Definition =>
  definition.events.length > 0 ? definition : { ...definition, events: [noEvent] };
