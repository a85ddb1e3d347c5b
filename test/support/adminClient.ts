// The test client of the admin API: it checks every response against the rules for errors in schema.graphql before a test sees it.
import { parse, visit, type GraphQLEnumType } from 'graphql';
import { documentedErrors, documentedReasons } from './rootFields.ts';
import { recordResponse } from './seenResponses.ts';
import { adminSchema } from './adminSchema.ts';

export interface AdminError {
  message: string;
  path?: (string | number)[];
  extensions: { code: string; [name: string]: unknown };
}

export interface AdminResponse {
  status: number;
  headers: Headers;
  text: string;
  data: Record<string, unknown> | null | undefined;
  errors: AdminError[];
  codes: string[];
}

export interface AdminRequest {
  query: string;
  variables?: Record<string, unknown>;
  operationName?: string;
  token?: string | null;
  headers?: Record<string, string>;
}

const schema = adminSchema();
const errorCodes = (schema.getType('ErrorCode') as GraphQLEnumType).getValues().map(({ name }) => name);
const errorsByField = documentedErrors(schema);
const reasonsByField = documentedReasons(schema);
const neverExecuted = [
  'UNAUTHENTICATED',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_REQUEST',
  'PAYLOAD_TOO_LARGE',
];

/** The response as it arrives, without any check: for measuring its latency. */
export function postAdmin(
  baseUrl: string,
  { token, headers, ...operation }: AdminRequest,
  signal: AbortSignal | null = null,
): Promise<Response> {
  return fetch(`${baseUrl}/admin/graphql/`, {
    method: 'POST',
    signal,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }), ...headers },
    body: JSON.stringify(operation),
  });
}

export async function askAdmin(baseUrl: string, request: AdminRequest): Promise<AdminResponse> {
  const response = await postAdmin(baseUrl, request);
  const text = await response.text();
  const body = JSON.parse(text) as { data?: AdminResponse['data']; errors?: AdminError[] };
  const errors = body.errors ?? [];
  const codes = errors.map(({ extensions }) => extensions.code);
  const result = { status: response.status, headers: response.headers, text, data: body.data, errors, codes };
  assertRules(result);
  for (const error of errors) {
    assertFields(error);
    assertListed(request.query, error);
  }
  return result;
}

/** Fails on a refused argument that is not named. */
function assertFields({ message, extensions: { code, fields } }: AdminError): void {
  const named = Array.isArray(fields) && fields.length > 0 && fields.length <= 100;
  if (fields === undefined ? code === 'BAD_USER_INPUT' : !named) throw new Error(`no field is named: ${message}`);
}

/** Fails on an error code that the root field does not list, and records that a test saw the code. */
function assertListed(query: string, { path = [], extensions }: AdminError): void {
  const { code } = extensions;
  const [key, ...below] = path;
  if (key === undefined || code === 'INTERNAL_SERVER_ERROR') return;
  const field = fieldOf(query, String(key));
  const listed = [
    ...errorsByField.get(field)!,
    ...(below.length > 0 ? ['FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED'] : []),
  ];
  if (!listed.includes(code) && !canComeFromAll(extensions)) throw new Error(`${field} does not list ${code}`);
  if (code === 'CONFLICT') assertReason(field, extensions);
  // The root field lists the refused arguments of the fields below it, too.
  if (below.length === 0 || code === 'BAD_USER_INPUT') recordResponse(field, code);
}

/** Fails on a conflict without a reason that its field lists, and on a version beside another reason. */
function assertReason(field: string, { reason, currentVersion }: AdminError['extensions']): void {
  if (!reasonsByField.get(field)!.includes(String(reason))) throw new Error(`${field} does not list ${String(reason)}`);
  if ((typeof currentVersion === 'number') !== (reason === 'version'))
    throw new Error(`currentVersion goes with version alone, not with ${String(reason)}`);
}

/** The name of the field that has this key in the response. */
function fieldOf(query: string, key: string): string {
  let found = key;
  visit(parse(query), {
    Field: ({ alias, name }) => {
      if (alias?.value === key) found = name.value;
    },
  });
  return found;
}

/**
 * Two errors that no field lists: a response over its limit (schema.graphql, "Limits"), and a variable of the right
 * type that its place refuses (`BAD_USER_INPUT`).
 */
function canComeFromAll(extensions: AdminError['extensions']): boolean {
  const [fault] = (extensions['fields'] ?? []) as { path: string; message: string }[];
  return fault?.path === '' || fault?.message === 'is not a value of its type';
}

function assertRules({ status, headers, text, data, codes }: AdminResponse): void {
  const fail = (rule: string) => {
    throw new Error(`${rule}: ${status} ${text.slice(0, 500)}`);
  };
  if (!headers.get('content-type')?.startsWith('application/json')) fail('not JSON');
  if (codes.some((code) => !errorCodes.includes(code))) fail('a code is not in ErrorCode');
  if (codes.includes('UNAUTHENTICATED') !== (status === 401)) fail('401 and UNAUTHENTICATED go together');
  if (status === 401 && headers.get('www-authenticate') !== 'Bearer') fail('401 needs WWW-Authenticate');
  if (status === 200 && codes.some((code) => neverExecuted.includes(code))) fail('this code is never HTTP 200');
  if (status !== 200 && codes.length === 0) fail('a refusal needs an error');
  if (status !== 200 && data !== undefined) fail('what was not executed has no data');
}
