// Repeats a transaction that met another one, because the same transaction may succeed at once.
import { classifyDatabaseError } from './databaseErrors.ts';

/** Of a transaction that is retried at most twice, and only after a conflict (40001, 40P01). `run` gets 1, 2 and 3. */
export async function retryConflicts<Result>(run: (attempt: number) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(attempt);
    } catch (error) {
      if (attempt > 2 || classifyDatabaseError(error) !== 'conflict') throw error;
    }
  }
}
