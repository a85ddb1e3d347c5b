// Waits for a state that the service reaches in its own time.

const patienceMillis = 120_000;

/** Polls until the value is the wanted one. Fails with the last value when that has stayed the same for two minutes. */
export async function eventually<Value>(look: () => Promise<Value>, wanted: (value: Value) => boolean): Promise<Value> {
  for (let [last, since] = ['', 0]; ;) {
    const value = await look();
    if (wanted(value)) return value;
    const seen = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
    if (seen !== last) [last, since] = [seen, Date.now()];
    if (Date.now() - since > patienceMillis) throw new Error(`waited in vain; last seen: ${seen}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
