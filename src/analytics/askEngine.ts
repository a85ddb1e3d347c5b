// Asks the engine, and turns its refusals into those of the admin API (schema.graphql, "Limits of analytics").
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { AppError } from '../platform/errors.ts';
import { jsonBytes } from '../platform/json/jsonBytes.ts';
import { type ResponseBudget, mostRows, type Room } from '../platform/responseBudget.ts';
import { type Caller, findOwnApplication, canAccess } from '../workspace/workspace.ts';
import { type AnalyticsEngine, AnalyticsUnavailable, questionBounds, QuestionTooLarge } from './engine/engine.ts';
import type { Report } from './questions.ts';
import type { Zoneless } from './reportInput.ts';

type Needs = Pick<AnalyticsNeeds, 'budget' | 'analytics' | 'signal'>;

/** A read may ask several questions: together they have the wait and the time of one. */
const mostMillis = questionBounds.patienceMillis + questionBounds.timeoutMillis;

/** Gives `ask` the engine, whose questions end with the request and after the time of the read. */
async function withinRequest<Found>(
  { analytics, signal }: Pick<Needs, 'analytics' | 'signal'>,
  ask: (engine: AnalyticsEngine) => Promise<Found>,
): Promise<Found> {
  const ending = new AbortController();
  const gone = (): void => ending.abort(new AnalyticsUnavailable({ reason: 'busy' }));
  if (signal.aborted) gone();
  signal.addEventListener('abort', gone);
  const timer = setTimeout(() => ending.abort(new QuestionTooLarge()), mostMillis);
  try {
    const { dialect } = analytics;
    return await ask({
      dialect,
      ask: (question) => analytics.ask(question, ending.signal),
      close: () => analytics.close(),
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', gone);
  }
}

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
  needs: Needs;
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
  const { needs, path, read, rowsOf, less } = asking;
  return needs.budget.read(
    async (room) => {
      const found = await refused(path, () => withinRequest(needs, (engine) => read(engine, room)));
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

// The application of a question, with the calendar of its reports; what every read of schema.graphql, "Analytics", does first.

/** What every read of this room needs. */
export interface AnalyticsNeeds {
  caller: Caller;
  prisma: PrismaClient;
  budget: ResponseBudget;
  analytics: AnalyticsEngine;
  /** Aborts when the client has gone before its response. */
  signal: AbortSignal;
  now(): Date;
}

export interface AskedApplication {
  id: string;
  timeZone: string;
}

/** Throws `not_found`: the caller has or reaches no such application. */
export async function findAskedApplication(
  { caller, prisma }: Pick<AnalyticsNeeds, 'caller' | 'prisma'>,
  id: string,
): Promise<AskedApplication> {
  const { organizationId } = caller;
  const application = canAccess(caller, id) ? await findOwnApplication(prisma, { organizationId, id }) : null;
  if (!application) throw new AppError('not_found', undefined);
  return { id, timeZone: application.timeZone };
}

/** The question in its time zone. Throws `not_found` (the application). */
export async function inItsZone<Question extends Report>(
  needs: Pick<AnalyticsNeeds, 'caller' | 'prisma'>,
  question: Zoneless<Question>,
): Promise<Question> {
  const { timeZone } = await findAskedApplication(needs, question.applicationId);
  // The compiler does not see that a zone is all that `Zoneless` lacks of a generic type.
  return { ...question, timeZone: question.timeZone ?? timeZone } as unknown as Question;
}
