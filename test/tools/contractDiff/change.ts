// One difference between a released contract and the present one, and whether it breaks clients of the released one.

export interface Change {
  /** The place in the contract, for people: `POST /api/v1/session request device.id`. */
  at: string;
  what: string;
  breaking: boolean;
}

/** One part of a contract, as released (`was`) and at present (`is`). */
export interface Sides<T> {
  at: string;
  was: T;
  is: T;
}

export const breaking = (at: string, what: string): Change => ({ at, what, breaking: true });
export const compatible = (at: string, what: string): Change => ({ at, what, breaking: false });

/** Pairs the entries of both sides by name. An entry of one side only has undefined for the other side. */
export function paired<T>(
  { at, was = {}, is = {} }: Sides<Record<string, T> | undefined>,
  place = (name: string) => `${at} ${name}`,
): (Sides<T | undefined> & { name: string })[] {
  const names = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...names].map((name) => ({ name, at: place(name), was: was[name], is: is[name] }));
}

export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
