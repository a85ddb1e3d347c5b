// Runs a benchmark and takes away all that it has started, also when it fails or is interrupted.

/** `closing` is filled by `work` as it opens things, and emptied from its end. */
export async function untilSignal(work: (closing: (() => Promise<void>)[]) => Promise<void>): Promise<void> {
  const closing: (() => Promise<void>)[] = [];
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Error(`interrupted by ${signal}`)));
    }
    // As when what reads them, `head` for one, has had enough.
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
