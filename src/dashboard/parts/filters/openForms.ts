// Lets the button that shows a report take along the filter forms that are still open in its editor.
import { createContext, useContext, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';

/** Adds the form's filter where the form is filled. False: the form shows an error instead. */
type Settle = () => boolean;

export type OpenForms = Set<RefObject<Settle>>;

/** Null: no button takes open forms along, so a filter counts only after “Add”. */
export const OpenFormsContext = createContext<OpenForms | null>(null);

/** `settle` adds the filters of all open forms, and is false where one of them shows an error. */
export function useOpenForms(): { forms: OpenForms; settle: Settle } {
  const [forms] = useState<OpenForms>(() => new Set());
  const settle = (): boolean => {
    let right = true;
    for (const form of [...forms]) {
      // Each form adds to the draft that the form before it has left.
      flushSync(() => {
        right = form.current() && right;
      });
    }
    return right;
  };
  return { forms, settle };
}

/** Enters a form while it is on the page. Returns whether a button takes it along. */
export function useOpenForm(settle: Settle): boolean {
  const forms = useContext(OpenFormsContext);
  const latest = useRef(settle);
  useLayoutEffect(() => {
    latest.current = settle;
  });
  useLayoutEffect(() => {
    forms?.add(latest);
    return () => void forms?.delete(latest);
  }, [forms]);
  return forms !== null;
}
