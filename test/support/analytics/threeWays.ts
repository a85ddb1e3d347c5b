// A property test of one read: what was drawn is stored, and each engine gives the figures of the reference.
import fc from 'fast-check';
import type { AnalyticsEngine } from '../../../src/analytics/engine/engine.ts';
import { createTestDatabase, type TestDatabase } from '../testDatabase.ts';
import type { Drawn } from './drawn.ts';
import { drawn } from './drawnSessions.ts';
import { openEngines, type TestEngine } from './engines.ts';
import { storeDrawn } from './storeDrawn.ts';

export interface ThreeWays<Question extends { applicationId: string }, Answer> {
  /** Draws a question about what was drawn; its application is known only once that is stored. */
  question(about: Drawn): fc.Arbitrary<Omit<Question, 'applicationId'>>;
  reference(about: Drawn, question: Question): Answer;
  /** The read, with its result in the form of the reference. */
  read(engine: AnalyticsEngine, question: Question, about: Drawn): Promise<Answer>;
}

const numRuns = Number(process.env['ANALYTICS_RUNS'] ?? 60);
/** A case takes 0.3 s on a machine with other work. A failure is reported before the test's own time is up, however short it has become. */
const timeoutMillis = Math.max(180_000, numRuns * 2_000);

/** Registers the test. */
export function testThreeWays<Question extends { applicationId: string }, Answer>(
  name: string,
  { question, reference, read }: ThreeWays<Question, Answer>,
): void {
  let database: TestDatabase;
  let engines: TestEngine[];
  beforeAll(async () => {
    database = await createTestDatabase();
    engines = openEngines(database);
  });
  afterAll(async () => {
    for (const { engine } of engines) await engine.close();
    await database.drop();
  });

  test(
    `${name}: every engine gives what the definitions say`,
    async () => {
      const cases = drawn.chain((about) => question(about).map((asked) => ({ about, asked })));
      const property = fc.asyncProperty(cases, async ({ about, asked }) => {
        const { applicationId } = await storeDrawn(database, about);
        const whole = { ...asked, applicationId } as Question;
        const expected = inReferenceForm(reference(about, whole));
        for (const { name: on, engine, follow } of engines) {
          await follow();
          const answer = inReferenceForm(await read(engine, whole, about));
          expect({ on, answer }).toEqual({ on, answer: expected });
        }
      });
      await fc.assert(property, { numRuns, interruptAfterTimeLimit: timeoutMillis / 2 });
    },
    timeoutMillis,
  );
}

/**
 * A result in the form of the reference: instants as microseconds, and fractions and measures without the last digits, in
 * which sums of another order differ.
 */
export function inReferenceForm(found: unknown, name?: string): unknown {
  if (found instanceof Date) return found.getTime() * 1_000;
  if (typeof found === 'number') return isMeasured(found, name) ? Number(found.toPrecision(12)) : found;
  if (Array.isArray(found)) return found.map((each) => inReferenceForm(each));
  if (typeof found !== 'object' || found === null) return found;
  return Object.fromEntries(Object.entries(found).map(([field, value]) => [field, inReferenceForm(value, field)]));
}

const isMeasured = (found: number, name?: string): boolean =>
  !Number.isSafeInteger(found) || name === 'value' || name === 'total';
