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
  as: 'nobody' | 'viewer' | 'admin';
  headers: Record<string, string>;
  /** In base64. */
  body: string;
  /** A mutation is not sent twice: the second one meets what the first has left. */
  repeatable: boolean;
  expected: AdminExpected;
}

export interface AdminExpected {
  statuses: readonly number[];
  /** Every error's code is one of these; absent: any that the schema lists, but for failures. */
  codes?: readonly string[];
  /** New fields of a BAD_USER_INPUT lie at this path, below it, or beside it in the same object. */
  near?: string;
  /** There must be an error. */
  refused?: boolean;
}

export const keyPlace = '{key}';

export function base64(body: string | Buffer): string {
  return Buffer.from(body as string).toString('base64');
}
