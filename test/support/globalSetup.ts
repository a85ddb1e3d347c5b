// Before all tests: a PostgreSQL with the migrated template, a seed, and empty records of what tests will have seen.
import { randomInt } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestPostgres } from './testPostgres.ts';

export default async function globalSetup(): Promise<void> {
  const server = await startTestPostgres();
  process.env['TEST_SERVER_URL'] = server.url;
  process.env['SEEN_ANSWERS_DIR'] = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-seen-'));
  process.env['FAULT_ROWS_DIR'] = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-faults-'));
  // One for all worker processes.
  process.env['SEED'] ||= String(randomInt(2 ** 31));
  process.stdout.write(`seed: SEED=${process.env['SEED']}\n`);
  Object.assign(globalThis, { stopTestPostgres: server.stop });
}
