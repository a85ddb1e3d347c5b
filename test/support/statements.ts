// Watches which SQL statements a piece of work sends, over any connection, by hand-written SQL and by Prisma.
import pg from 'pg';

export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  await watchingStatements((text) => statements.push(text), work);
  return statements;
}

/** If `see` throws, the statement fails with that error and is not sent. */
export async function watchingStatements(see: (text: string) => void, work: () => Promise<unknown>): Promise<void> {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const original = prototype.query;
  prototype.query = function query(this: unknown, ...args: unknown[]) {
    const [first] = args;
    const text = typeof first === 'string' ? first : String((first as { text?: string }).text);
    // The heartbeat is sent four times a second and belongs to no work.
    if (!text.startsWith('/* notifications: heartbeat */')) see(text);
    return original.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = original;
  }
}

/** The number of statements: the least of ten runs, because the service's own upkeep falls into some of them. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const counts: number[] = [];
  for (let time = 0; time < 10; time += 1) counts.push((await statementsOf(work)).length);
  return Math.min(...counts);
}
