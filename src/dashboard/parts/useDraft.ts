// What an editor changes before it is asked for: begins with what the URL names, and anew where the URL changes by itself.
import { useLayoutEffect, useRef, useState } from 'react';

interface Draft<Value> {
  draft: Value;
  change: (part: Partial<Value>) => void;
  /** The draft of the latest render, for a handler that has changed it. */
  latest: () => Value;
  /** Another number once the draft has begun anew: a key for parts with a state of their own. */
  round: number;
}

/** `named` is compared as JSON. The own change that comes back in the URL leaves the draft, and the focus, as they are. */
export function useDraft<Value extends object>(named: Value): Draft<Value> {
  const [draft, setDraft] = useState(named);
  const [seen, setSeen] = useState(named);
  const [round, setRound] = useState(0);
  const rendered = useRef(draft);
  useLayoutEffect(() => {
    rendered.current = draft;
  });
  if (!same(seen, named)) {
    setSeen(named);
    if (!same(draft, named)) {
      setDraft(named);
      setRound(round + 1);
    }
  }
  return {
    draft,
    change: (part) => setDraft((last) => ({ ...last, ...part })),
    latest: () => rendered.current,
    round,
  };
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
