// What an editor changes before it is asked for: begins with what the URL names, and anew where the URL changes by itself.
import { useState } from 'react';

interface DraftOptions<Named, Value> {
  /** What the URL names. It is compared as JSON. */
  named: Named;
  /** The draft of it: a new one may begin with a row to fill. */
  begin: (named: Named) => Value;
  /** Names another value in the URL. */
  show: (named: Named) => void;
}

interface Draft<Named, Value> {
  draft: Value;
  change: (part: Partial<Value>) => void;
  /** Shows a value. When it comes back in the URL, the draft and the focus stay, also where somebody has typed on. */
  ask: (named: Named) => void;
}

export function useDraft<Named, Value extends object>(options: DraftOptions<Named, Value>): Draft<Named, Value> {
  const { named, begin, show } = options;
  const [draft, setDraft] = useState(() => begin(named));
  const [seen, setSeen] = useState(named);
  const [asked, setAsked] = useState(named);
  if (!same(seen, named)) {
    setSeen(named);
    if (!same(asked, named)) {
      setAsked(named);
      setDraft(begin(named));
    }
  }
  return {
    draft,
    change: (part) => setDraft((last) => ({ ...last, ...part })),
    ask: (value) => {
      setAsked(value);
      show(value);
    },
  };
}

export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
