// Waiting for what happens on its own time.

/** Polls until the look is one that the test waits for; fails with the last look after 25 seconds. */
export async function eventually<Value>(look: () => Promise<Value>, wanted: (value: Value) => boolean): Promise<Value> {
  const end = Date.now() + 25_000;
  for (;;) {
    const value = await look();
    if (wanted(value)) return value;
    if (Date.now() > end) throw new Error(`waited in vain; last seen: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
