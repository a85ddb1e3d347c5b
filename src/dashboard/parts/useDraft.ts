// What an editor changes before it is asked for: begins with what the URL names, and anew where the URL changes by itself.
import { useLayoutEffect, useRef, useState } from 'react';

interface DraftOptions<Value> {
  /** What the URL names. It is compared as JSON. */
  named: Value;
  /** Names another value in the URL. */
  show: (value: Value) => void;
  /** The draft of a named value: a new one may begin with a row to fill. */
  begin?: (named: Value) => Value;
}

interface Draft<Value> {
  draft: Value;
  change: (part: Partial<Value>) => void;
  /** The draft of the latest render, for a handler that has changed it. */
  latest: () => Value;
  /** Shows a value. When it comes back in the URL, the draft and the focus stay, also where somebody has typed on. */
  ask: (value: Value) => void;
  /** Another number once the draft has begun anew: a key for parts with a state of their own. */
  round: number;
}

export function useDraft<Value extends object>(options: DraftOptions<Value>): Draft<Value> {
  const { named, show, begin = (value) => value } = options;
  const [draft, setDraft] = useState(() => begin(named));
  const [seen, setSeen] = useState(named);
  const [asked, setAsked] = useState(named);
  const [round, setRound] = useState(0);
  const rendered = useRef(draft);
  useLayoutEffect(() => {
    rendered.current = draft;
  });
  if (!same(seen, named)) {
    setSeen(named);
    if (!same(asked, named)) {
      setAsked(named);
      setDraft(begin(named));
      setRound(round + 1);
    }
  }
  return {
    draft,
    change: (part) => setDraft((last) => ({ ...last, ...part })),
    latest: () => rendered.current,
    ask: (value) => {
      setAsked(value);
      show(value);
    },
    round,
  };
}

export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
