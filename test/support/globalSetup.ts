// Before all tests: a PostgreSQL with the migrated template, and an empty record of the answers that tests have seen.
import { randomInt } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestPostgres } from './testPostgres.ts';

export default async function globalSetup(): Promise<void> {
  const server = await startTestPostgres();
  process.env['TEST_SERVER_URL'] = server.url;
  process.env['SEEN_ANSWERS_DIR'] = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-seen-'));
  // One for all worker processes; a test that draws from it prints it.
  process.env['SEED'] ??= String(randomInt(2 ** 31));
  Object.assign(globalThis, { stopTestPostgres: server.stop });
}
