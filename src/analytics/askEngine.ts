// Asks the engine, and turns its refusals into those of the admin API (schema.graphql, "Limits of analytics").
import { jsonBytes } from '../platform/json/jsonBytes.ts';
import { AppError } from '../platform/errors.ts';
import { mostRows, type AnswerBudget, type Room } from '../platform/answerBudget.ts';
import { AnalyticsUnavailable, QuestionTooLarge, type AnalyticsEngine } from './engine/engine.ts';

/** Throws `analytics_unavailable`, and `validation_failed` at `path` for a question that takes too long. */
async function refused<Found>(path: string, ask: () => Promise<Found>): Promise<Found> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AnalyticsUnavailable)
      throw new AppError('analytics_unavailable', error.details, { cause: error });
    if (!(error instanceof QuestionTooLarge)) throw error;
    const message = 'takes too long: ask for less, for example for fewer days';
    throw new AppError('validation_failed', { fields: [{ path, message }] }, { cause: error });
  }
}

export interface Asking<Found> {
  budget: AnswerBudget;
  analytics: AnalyticsEngine;
  /** Where a question that takes too long is refused: `input`, or `applicationId` of a list. */
  path: string;
  read(engine: AnalyticsEngine, room: Room): Promise<Found>;
  /** The objects of the response that are in a list. */
  rowsOf(found: Found): number;
  /** What to ask less of where one response may have more of them than a whole operation. */
  less?: string;
}

/** The response of a read, which counts for the limits of the whole response (schema.graphql, "Responses"). */
export function askEngine<Found>(asking: Asking<Found>): Promise<Found> {
  const { budget, analytics, path, read, rowsOf, less } = asking;
  return budget.read(
    async (room) => {
      const found = await refused(path, () => read(analytics, room));
      if (less !== undefined && rowsOf(found) > mostRows) throw tooManyPoints(path, less);
      return found;
    },
    (found) => ({ rows: rowsOf(found), bytes: jsonBytes(found) }),
  );
}

function tooManyPoints(path: string, less: string): AppError<'validation_failed'> {
  const message = `has more than ${mostRows} points: ask for ${less}`;
  return new AppError('validation_failed', { fields: [{ path, message }] });
}
