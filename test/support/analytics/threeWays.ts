// A property test of one read: what was drawn is stored, and each engine gives the figures of the reference.
import fc from 'fast-check';
import type { AnalyticsEngine } from '../../../src/analytics/engine/engine.ts';
import { createTestDatabase, type TestDatabase } from '../testDatabase.ts';
import type { Drawn } from './drawn.ts';
import { drawn } from './drawnSessions.ts';
import { openEngines, type TestEngine } from './engines.ts';
import { storeDrawn } from './storeDrawn.ts';

export interface ThreeWays<Question extends { applicationId: string }, Result> {
  /** Draws a question about what was drawn; its application is known only once that is stored. */
  question(about: Drawn): fc.Arbitrary<Omit<Question, 'applicationId'>>;
  reference(about: Drawn, question: Question): Result;
  /** The read, with its result in the form of the reference. */
  read(engine: AnalyticsEngine, question: Question, about: Drawn): Promise<Result>;
}

const numRuns = Number(process.env['ANALYTICS_RUNS'] ?? 30);
/** A case takes 0.3 s on a machine with other work. A failure is reported before the test's own time is up, however short it has become. */
const timeoutMillis = Math.max(180_000, numRuns * 2_000);

/**
 * Most questions about few sessions have an empty response. Of as many drawn questions, the test asks the first that tells at
 * least half as much as the best.
 */
const candidates = 10;
const ofEach = new Set(['index', 'start', 'complete', 'presentProperties', 'isOther']);
const earliestInstant = 1e12;

/** How many different values a response has, without zeros, instants and what each response has. */
function tells(found: unknown, seen = new Set<unknown>()): number {
  if (typeof found !== 'object') {
    if (found !== 0 && !(typeof found === 'number' && found > earliestInstant)) seen.add(found);
  } else if (found !== null && !(found instanceof Date)) {
    for (const [name, each] of Object.entries(found)) if (!ofEach.has(name)) tells(each, seen);
  }
  return seen.size;
}

/** Registers the test. */
export function testThreeWays<Question extends { applicationId: string }, Result>(
  name: string,
  { question, reference, read }: ThreeWays<Question, Result>,
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
      const cases = drawn.chain((about) =>
        fc.array(question(about), { minLength: candidates, maxLength: candidates }).map((asked) => {
          const told = asked.map((each) => tells(reference(about, { ...each, applicationId: '' } as Question)));
          return { about, asked: asked[told.findIndex((each) => each >= Math.max(...told) / 2)]! };
        }),
      );
      const property = fc.asyncProperty(cases, async ({ about, asked }) => {
        const { applicationId } = await storeDrawn(database, about);
        const whole = { ...asked, applicationId } as Question;
        const expected = nearly(inReferenceForm(reference(about, whole)));
        for (const { name: on, engine, follow } of engines) {
          await follow();
          const response = inReferenceForm(await read(engine, whole, about));
          expect({ on, result: response }).toEqual({ on, result: expected });
        }
      });
      await fc.assert(property, { numRuns, interruptAfterTimeLimit: timeoutMillis / 2 });
    },
    timeoutMillis,
  );
}

/** A result in the form of the reference: instants as microseconds. */
export function inReferenceForm(found: unknown): unknown {
  if (found instanceof Date) return found.getTime() * 1_000;
  return eachOf(found, inReferenceForm) ?? found;
}

/** Equal to what has the same numbers, measured ones but for their last digits, in which sums of another order differ. */
export function nearly(found: unknown, name?: string): unknown {
  if (typeof found === 'number') return isMeasured(found, name) ? expect.closeTo(found, decimalsOf(found)) : found;
  return eachOf(found, nearly) ?? found;
}

/** Null where it is neither a list nor an object. */
function eachOf(found: unknown, change: (value: unknown, name?: string) => unknown): unknown {
  if (Array.isArray(found)) return found.map((each) => change(each));
  if (typeof found !== 'object' || found === null) return null;
  return Object.fromEntries(Object.entries(found).map(([field, value]) => [field, change(value, field)]));
}

const isMeasured = (found: number, name?: string): boolean =>
  !Number.isSafeInteger(found) || name === 'value' || name === 'total';

/** Twelve digits in all. A rounded number could not be compared: two that differ in the last digit may round apart. */
const decimalsOf = (found: number): number => 12 - Math.ceil(Math.log10(Math.max(Math.abs(found), 1e-12)));
