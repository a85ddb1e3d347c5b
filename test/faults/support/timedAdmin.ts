// The admin API as a flood and its neighbours meet it: each response with its time, and how many there are of each status.
import { postAdmin, type AdminRequest } from '../../support/adminClient.ts';

export interface TimedResponse {
  status: number;
  millis: number;
  retryAfter: string | null;
  text: string;
}

/** Until the last byte. */
export async function askTimed(baseUrl: string, request: AdminRequest): Promise<TimedResponse> {
  const begun = performance.now();
  const response = await postAdmin(baseUrl, request);
  const text = await response.text();
  const { status, headers } = response;
  return { status, millis: performance.now() - begun, retryAfter: headers.get('retry-after'), text };
}

export const sortedMillis = (responses: readonly TimedResponse[]): number[] =>
  responses.map(({ millis }) => millis).sort((one, other) => one - other);

export function countsOfStatuses(responses: readonly TimedResponse[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
