// Runs a benchmark and removes everything that it started, also after a failure or an interrupt.

/** `work` adds to `closing` each thing that it opens; the last entry is closed first. */
export async function untilSignal(work: (closing: (() => Promise<void>)[]) => Promise<void>): Promise<void> {
  const closing: (() => Promise<void>)[] = [];
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Error(`interrupted by ${signal}`)));
    }
    // The output closes when its reader, such as `head`, ends.
    for (const output of [process.stdout, process.stderr]) output.on('error', reject);
  });
  try {
    await Promise.race([work(closing), interrupted]);
  } finally {
    for (let close = closing.pop(); close; close = closing.pop()) {
      await close().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    }
  }
}
