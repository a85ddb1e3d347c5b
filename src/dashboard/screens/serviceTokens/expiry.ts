// How long a new service token works.

export const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never expires' },
];

/** Null: never. */
export function expiryOf(days: string, now = Date.now()): string | null {
  return days === '' ? null : new Date(now + Number(days) * 86_400_000).toISOString();
}
