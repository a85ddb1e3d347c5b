// One request of the fuzzer with its expected response, as plain data, so that a found case can be kept in a file.

export interface Expected {
  statuses: readonly number[];
  /** The exact paths of a 422. */
  fields?: readonly string[];
  /** Every path of a 422 begins with this, or is "". */
  below?: string;
  /** The unit in the body of a 413. */
  unit?: string;
  limit?: number;
  /** The reason in the body of a 403. */
  reason?: string;
}

export interface PublicCase {
  operation: string;
  /** Describes the change to a valid request. */
  change: string;
  /** `{key}` stands for the application's public key. */
  headers: Record<string, string>;
  /** Empty, or begins with `?`. */
  query: string;
  /** Adds signature headers that `headers` does not contain. */
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
  /** The request before its change, in base64. Faults that it also has do not come from the change. */
  base?: string;
  expected: AdminExpected;
}

export interface AdminExpected {
  statuses: readonly number[];
  /** Every error has one of these codes; absent: any code that the schema lists. */
  codes?: readonly string[];
  /** Every fault that `base` does not have lies at this path, below it, or in a field that the contract ties to it. */
  near?: string;
}

export const keyPlace = '{key}';

export function base64(body: string | Buffer): string {
  return Buffer.from(body as string).toString('base64');
}
