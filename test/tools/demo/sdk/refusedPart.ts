// Reads a `path` of a 422: the part of the report that it takes out. openapi.yaml, "Take out what a 422 names".

export type RefusedPart =
  | { kind: 'everything' }
  | { kind: 'event'; session: number; event: number }
  | { kind: 'session'; session: number }
  | { kind: 'property'; index: number }
  | { kind: 'properties' }
  | { kind: 'transaction'; index: number }
  | { kind: 'optional'; path: OptionalField }
  /** A required field, or a path that this SDK does not know. */
  | { kind: 'required' };

const optionalFields = [
  'user.id',
  'user.lastSyncTS',
  'device.properties.adId',
  'device.properties.country',
  'device.external_id',
] as const;
export type OptionalField = (typeof optionalFields)[number];

export function partOf(path: string): RefusedPart {
  if (path === '') return { kind: 'everything' };
  if (path === 'user.properties') return { kind: 'properties' };
  const optional = optionalFields.find((field) => field === path);
  if (optional) return { kind: 'optional', path: optional };
  const [, session, event] = /^sessions\[(\d+)\](?:\.events\[(\d+)\])?/.exec(path) ?? [];
  if (event !== undefined) return { kind: 'event', session: Number(session), event: Number(event) };
  if (session !== undefined) return { kind: 'session', session: Number(session) };
  const [, list, index] = /^(user\.properties|transactions)\[(\d+)\]/.exec(path) ?? [];
  if (list === undefined) return { kind: 'required' };
  return { kind: list === 'transactions' ? 'transaction' : 'property', index: Number(index) };
}

export interface FieldError {
  path: string;
  message: string;
}

/** Empty when the body is not that of a 422, for example when a device on the network path has written it. */
export function fieldsOf(body: string): FieldError[] {
  try {
    const { fields } = JSON.parse(body) as { fields?: FieldError[] };
    return Array.isArray(fields) ? fields.filter(({ path }) => typeof path === 'string') : [];
  } catch {
    return [];
  }
}
