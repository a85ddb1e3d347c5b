// Tells the shell that the service has refused something for the user's role, which somebody may have changed meanwhile.

const target = new EventTarget();
const kind = 'forbidden';

export const tellForbidden = (): void => void target.dispatchEvent(new Event(kind));

export function onForbidden(listener: () => void): () => void {
  target.addEventListener(kind, listener);
  return () => target.removeEventListener(kind, listener);
}
