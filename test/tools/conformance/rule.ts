// A rule of the contract as a check: run against a service, it resolves or says what came instead.
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../../support/documentedAnswer.ts';
import type { ServiceUnderTest } from './service.ts';

export interface Rule {
  group: string;
  name: string;
  check(service: ServiceUnderTest): Promise<void>;
}

export interface Verdict {
  group: string;
  name: string;
  /** Null where the rule is kept. */
  problem: string | null;
}

/** Throws unless status and, where given, members of the body are those. */
export function expectAnswer(answer: Answer, status: number, members: Record<string, unknown> = {}): void {
  const body = answer.body as Record<string, unknown>;
  const got = Object.fromEntries(Object.keys(members).map((name) => [name, body[name]]));
  if (answer.status === status && isDeepStrictEqual(got, members)) return;
  const wanted = `${status} ${JSON.stringify(members)}`;
  throw new Error(`expected ${wanted}, got ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
}

export async function judge(rules: Rule[], service: ServiceUnderTest): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const { group, name, check } of rules) {
    const problem = await check(service).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    verdicts.push({ group, name, problem });
  }
  return verdicts;
}
