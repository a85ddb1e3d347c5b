// One difference between a released contract and the present one, and whether who uses the released one must know of it.

export interface Change {
  /** Where in the contract, for people: `POST /api/v1/session request device.id`. */
  at: string;
  what: string;
  breaking: boolean;
}

/** The two versions of one thing. */
export interface Sides<T> {
  at: string;
  was: T;
  is: T;
}

export const breaking = (at: string, what: string): Change => ({ at, what, breaking: true });
export const compatible = (at: string, what: string): Change => ({ at, what, breaking: false });

/** What has one name on both sides, below a place; what stands on one side only comes with undefined for the other. */
export function paired<T>(
  { at, was = {}, is = {} }: Sides<Record<string, T> | undefined>,
  place = (name: string) => `${at} ${name}`,
): (Sides<T | undefined> & { name: string })[] {
  const names = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...names].map((name) => ({ name, at: place(name), was: was[name], is: is[name] }));
}

export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
