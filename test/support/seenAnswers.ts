// Which documented answers some test has really got, collected over all worker processes.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { loadPublicDocument } from './publicDocument.ts';
import { answersNotSeenYet } from './ratchets.ts';
import { documentedErrors } from './rootFields.ts';
import { adminSchema } from './adminSchema.ts';

/** By this file's tests: one line each is enough, and some of them get 10,000 answers. */
const recorded = new Set<string>();

/** An operation of openapi.yaml with a status, or a root field of schema.graphql with an error code. */
export function recordAnswer(operation: string, outcome: string | number): void {
  const answer = `${operation} ${outcome}`;
  if (recorded.has(answer)) return;
  recorded.add(answer);
  appendFileSync(path.join(process.env['SEEN_ANSWERS_DIR']!, String(process.pid)), `${answer}\n`);
}

/** Throws on a documented answer that no test saw, and on an entry of the ratchet that some test did see. */
export async function assertEveryAnswerSeen(folder: string): Promise<void> {
  const lines = readdirSync(folder).flatMap((name) => readFileSync(path.join(folder, name), 'utf8').trim().split('\n'));
  const seen = new Set(lines);
  const documented = [...(await publicAnswers()), ...adminRefusals()];
  const missing = documented.filter((answer) => !seen.has(answer) && !answersNotSeenYet.includes(answer));
  const done = answersNotSeenYet.filter((answer) => seen.has(answer));
  if (missing.length > 0) throw new Error(`documented answers that no test has seen: ${missing.join(', ')}`);
  if (done.length > 0) throw new Error(`take these out of answersNotSeenYet, they are seen now: ${done.join(', ')}`);
}

async function publicAnswers(): Promise<string[]> {
  const api = await loadPublicDocument();
  return api.router
    .getOperations()
    .flatMap(({ operationId, responses }) => Object.keys(responses ?? {}).map((status) => `${operationId} ${status}`));
}

/** But `UNAUTHENTICATED`, which is said of no field: access.test.ts asks each of them without a token. */
function adminRefusals(): string[] {
  const errors = documentedErrors(adminSchema());
  return [...errors].flatMap(([field, codes]) =>
    codes.filter((code) => code !== 'UNAUTHENTICATED').map((code) => `${field} ${code}`),
  );
}
