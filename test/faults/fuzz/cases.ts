// One request of the fuzzer with what must come back: plain data, so that a found case can be kept in a file.

export interface Expected {
  statuses: readonly number[];
  /** Exactly the paths of a 422. */
  fields?: readonly string[];
  /** Every path of a 422 begins like this, or is "". */
  below?: string;
  /** What a 413 says. */
  unit?: string;
  limit?: number;
  /** What a 403 says. */
  reason?: string;
}

export interface PublicCase {
  operation: string;
  /** What has been done to a valid request. */
  change: string;
  /** `{key}` stands for the application's public key. */
  headers: Record<string, string>;
  /** Empty, or from `?` on. */
  query: string;
  /** Signs the request, where `headers` say nothing else. */
  signed: boolean;
  /** In base64. */
  body: string;
  expected: Expected;
}

export interface AdminCase {
  change: string;
  as: 'nobody' | 'viewer' | 'owner';
  headers: Record<string, string>;
  /** In base64. */
  body: string;
  /** The request before its change, in base64: its faults are not those of the change. */
  base?: string;
  expected: AdminExpected;
}

export interface AdminExpected {
  statuses: readonly number[];
  /** Every error's code is one of these; absent: any that the schema lists. */
  codes?: readonly string[];
  /** Faults that `base` has not lie at this path, below it, or where the contract ties them to it. */
  near?: string;
}

export const keyPlace = '{key}';

export function base64(body: string | Buffer): string {
  return Buffer.from(body as string).toString('base64');
}
