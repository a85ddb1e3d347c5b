// Lists where what is stored differs from what was sent.

export function differences(what: string, sent: Map<string, unknown>, stored: Map<string, unknown>): string[] {
  const names = new Set([...sent.keys(), ...stored.keys()]);
  return [...names].flatMap((name) =>
    sent.get(name) === stored.get(name)
      ? []
      : [`${what} ${name} is ${String(stored.get(name))} in the database and ${String(sent.get(name))} as sent`],
  );
}
