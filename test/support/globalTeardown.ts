// After all tests: stops PostgreSQL and, when everything ran, holds that each documented answer was seen by some test.
import { rmSync } from 'node:fs';
import { assertEveryAnswerSeen } from './seenAnswers.ts';

interface JestConfig {
  testPathPatterns: { patterns: string[] };
  testNamePattern?: string;
}

export default async function globalTeardown(config: JestConfig): Promise<void> {
  const { stopTestPostgres } = globalThis as unknown as { stopTestPostgres: () => Promise<void> };
  await stopTestPostgres();
  const folder = process.env['SEEN_ANSWERS_DIR']!;
  const everythingRan = config.testPathPatterns.patterns.length === 0 && !config.testNamePattern;
  try {
    if (everythingRan) await assertEveryAnswerSeen(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
