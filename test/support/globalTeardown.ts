// After all tests: stops PostgreSQL, prints the table of faults, and, when everything ran, holds that each documented answer was seen.
import { rmSync } from 'node:fs';
import { printFaultTable } from '../faults/support/faultTable.ts';
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
    printFaultTable(process.env['FAULT_ROWS_DIR']!);
    if (everythingRan) await assertEveryAnswerSeen(folder);
  } finally {
    for (const each of [folder, process.env['FAULT_ROWS_DIR']!]) rmSync(each, { recursive: true, force: true });
  }
}
