// A rule of openapi.yaml as a check: it resolves when a service keeps the rule, and otherwise throws the difference.
import { isDeepStrictEqual } from 'node:util';
import type { ContractResponse } from '../../support/documentedResponse.ts';
import type { ServiceUnderTest } from './service.ts';

export interface Rule {
  group: string;
  name: string;
  check(service: ServiceUnderTest): Promise<void>;
}

export interface Verdict {
  group: string;
  name: string;
  /** Null when the service keeps the rule. */
  problem: string | null;
}

/** Throws unless the response has this status and, in its body, these members. */
export function expectResponse(
  response: ContractResponse,
  status: number,
  members: Record<string, unknown> = {},
): void {
  const body = response.body as Record<string, unknown>;
  const got = Object.fromEntries(Object.keys(members).map((name) => [name, body[name]]));
  if (response.status === status && isDeepStrictEqual(got, members)) return;
  const wanted = `${status} ${JSON.stringify(members)}`;
  throw new Error(`expected ${wanted}, got ${response.status} ${JSON.stringify(response.body).slice(0, 300)}`);
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
