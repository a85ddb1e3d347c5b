// The application of a question, with the calendar of its reports; what every read of schema.graphql, "Analytics", does first.
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { AnswerBudget } from '../platform/answerBudget.ts';
import { AppError } from '../platform/errors.ts';
import { reaches, type Caller } from '../workspace/caller.ts';
import { findOwnApplication } from '../workspace/workspaceStore.ts';
import type { AnalyticsEngine } from './engine/engine.ts';
import type { Report } from './questions.ts';
import type { Zoneless } from './reportInput.ts';

/** What every read of this room needs. */
export interface AnalyticsNeeds {
  caller: Caller;
  prisma: PrismaClient;
  budget: AnswerBudget;
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
  const application = reaches(caller, id) ? await findOwnApplication(prisma, { organizationId, id }) : null;
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
