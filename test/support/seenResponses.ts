// Collects over all worker processes which documented responses the tests have received.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { loadPublicDocument } from './publicDocument.ts';
import { responsesNotSeenYet } from './ratchets.ts';
import { documentedErrors } from './rootFields.ts';
import { adminSchema } from './adminSchema.ts';

/** The responses that this file's tests have recorded: each needs one line, and some tests receive 10,000 responses. */
const recorded = new Set<string>();

/** Records an operation of openapi.yaml with a status, or a root field of schema.graphql with an error code. */
export function recordResponse(operation: string, outcome: string | number): void {
  const response = `${operation} ${outcome}`;
  if (recorded.has(response)) return;
  recorded.add(response);
  appendFileSync(path.join(process.env['SEEN_RESPONSES_DIR']!, String(process.pid)), `${response}\n`);
}

/** Throws on a documented response that no test saw, and on an entry of the ratchet that a test did see. */
export async function assertEveryResponseSeen(folder: string): Promise<void> {
  const lines = readdirSync(folder).flatMap((name) => readFileSync(path.join(folder, name), 'utf8').trim().split('\n'));
  const seen = new Set(lines);
  const documented = [...(await publicResponses()), ...adminRefusals()];
  const missing = documented.filter((response) => !seen.has(response) && !responsesNotSeenYet.includes(response));
  const done = responsesNotSeenYet.filter((response) => seen.has(response));
  if (missing.length > 0) throw new Error(`documented responses that no test has seen: ${missing.join(', ')}`);
  if (done.length > 0) throw new Error(`take these out of responsesNotSeenYet, they are seen now: ${done.join(', ')}`);
}

async function publicResponses(): Promise<string[]> {
  const api = await loadPublicDocument();
  return api.router
    .getOperations()
    .flatMap(({ operationId, responses }) => Object.keys(responses ?? {}).map((status) => `${operationId} ${status}`));
}

/** All listed codes but `UNAUTHENTICATED`, whose error has no path: access.test.ts calls every field without a token. */
function adminRefusals(): string[] {
  const errors = documentedErrors(adminSchema());
  return [...errors].flatMap(([field, codes]) =>
    codes.filter((code) => code !== 'UNAUTHENTICATED').map((code) => `${field} ${code}`),
  );
}
