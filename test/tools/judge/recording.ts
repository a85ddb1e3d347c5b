// What the scripted server saw and did: the only thing that the rules read.
import type { components } from '../../../generated/openapi.ts';
import type { FieldError, SignatureRefusal } from '../../../src/platform/errors.ts';
import type { OperationId } from '../../../src/http/publicOperations.ts';

type Schemas = components['schemas'];
export type Session = Schemas['Session'];
export type SessionEvent = Schemas['SessionEvent'];
export type SessionReport = Schemas['SessionReport'];

/** How a response failed to arrive whole. `gone`: the client closed its connection before the response was sent. */
export type Loss = 'lost' | 'cut' | 'gone';

export interface Recorded {
  index: number;
  /** Milliseconds of a clock that nobody sets. */
  arrivedAt: number;
  endedAt: number;
  /** Unix milliseconds by the clock of the scripted server, which `Date` shows. */
  serverTime: number;
  scene: string;
  /** How often the harness had asked for its next step: requests of one flush have one number. */
  round: number;
  method: string;
  target: string;
  /** Null without a route. */
  operation: OperationId | null;
  /** As sent, in pairs. */
  headers: [string, string][];
  /** The bytes as sent, in base64. */
  body: string;
  /** Null when the body is missing or is not JSON. */
  json: unknown;
  signature: 'none' | 'good' | SignatureRefusal;
  /** The faults of the body or the query by openapi.yaml. What a scene refuses is not among them. */
  faults: FieldError[];
  response: { status: number; headers: Record<string, string>; body: unknown };
  loss: Loss | null;
  stored: boolean;
}

export interface Recording {
  publicKey: string;
  secretKey: string;
  /** Whether every scene was played. */
  complete: boolean;
  requests: Recorded[];
}

export function header(request: Recorded, name: string): string | undefined {
  return request.headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

export function fieldsOf({ response }: Recorded): FieldError[] {
  return (response.body as { fields?: FieldError[] } | null)?.fields ?? [];
}

/** The reason of a 403. */
export function reasonOf({ response }: Recorded): string | undefined {
  return response.status === 403 ? (response.body as { reason?: string }).reason : undefined;
}

/** The status that the client saw; null when it saw no whole response. */
export function seenStatus({ response, loss }: Recorded): number | null {
  return loss === null ? response.status : null;
}

/** A 5xx or a network failure: openapi.yaml, "Backoff". */
export function hasFailed(request: Recorded): boolean {
  return (seenStatus(request) ?? 500) >= 500;
}
