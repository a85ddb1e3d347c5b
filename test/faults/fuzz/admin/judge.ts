// Judges every response of the admin API: JSON, codes of the schema with their statuses, no internal error, and the same result when repeated.
import type { AdminCase } from '../cases.ts';
import type { Exchange, RawResponse } from '../exchange.ts';
import type { Sdl } from './sdl.ts';

export interface AdminTarget {
  exchange: Exchange;
  /** Null for nobody. */
  tokenOf(as: AdminCase['as']): Promise<string | null>;
  /** True if the last request's failure only means that there is no database. */
  reachedDatabase?(): boolean;
  /** False when the first request may change the result of the second. */
  twice: boolean;
}

interface AdminError {
  message: string;
  path?: (string | number)[];
  extensions: { code: string; fields?: { path: string; message: string }[]; limit?: number; reason?: string };
}

export type AdminJudge = (request: AdminCase) => Promise<void>;

/** Throws the fault of the responses to this request. */
export function adminJudge(sdl: Sdl, target: AdminTarget): AdminJudge {
  return async (request) => {
    const known = request.base === undefined ? [] : pathsOf(await ask(sdl, target, { ...request, body: request.base }));
    const first = await ask(sdl, target, request);
    assertExpected(request, first, known);
    const second = target.twice ? await ask(sdl, target, request) : first;
    if (JSON.stringify(verdictOf(first)) !== JSON.stringify(verdictOf(second)))
      fail('another verdict the second time', { first, second });
  };
}

interface Verdict {
  status: number;
  errors: AdminError[];
}

async function ask(sdl: Sdl, target: AdminTarget, request: AdminCase): Promise<Verdict> {
  const token = await target.tokenOf(request.as);
  const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const headers = { 'content-type': 'application/json', ...authorization, ...request.headers };
  const body = Buffer.from(request.body, 'base64');
  const response = await target.exchange({ method: 'POST', target: '/admin/graphql/', headers, body });
  const reached = target.reachedDatabase?.() ?? false;
  const { errors = [], data } = bodyOf(response);
  assertRules(sdl, { response, errors: errors.filter((error) => !(reached && isFailure(error))), data });
  return { status: response.status, errors: errors.filter((error) => !isFailure(error)) };
}

function bodyOf(response: RawResponse): { errors?: AdminError[]; data?: unknown } {
  if (!response.headers['content-type']?.startsWith('application/json')) fail('not JSON', response);
  return JSON.parse(response.text) as { errors?: AdminError[]; data?: unknown };
}

function isFailure({ extensions }: AdminError): boolean {
  return extensions.code === 'INTERNAL_SERVER_ERROR';
}

function assertRules(
  sdl: Sdl,
  { response, errors, data }: { response: RawResponse; errors: AdminError[]; data: unknown },
): void {
  const { status, headers } = response;
  if (status >= 500 || errors.some(isFailure)) fail('a failure', response);
  if (status !== 200 && (errors.length === 0 || data !== undefined))
    fail('a refusal has an error and no data', response);
  if (status === 401 && headers['www-authenticate'] !== 'Bearer') fail('no WWW-Authenticate', response);
  for (const { extensions } of errors) {
    const { code, fields } = extensions;
    if (!sdl.statuses.get(code)?.includes(status)) fail(`${code} is not documented with HTTP ${status}`, response);
    if (code === 'BAD_USER_INPUT' && !fields?.length) fail('a refusal without its path', response);
    if (
      fields &&
      (fields.length > 100 || !fields.every(({ path, message }) => typeof path === 'string' && message !== ''))
    )
      fail('no list of fields', response);
    if (code === 'CONFLICT' && !/^[a-z_]+$/.test(extensions.reason ?? ''))
      fail('a conflict without a reason', response);
    if (code === 'PAYLOAD_TOO_LARGE' && extensions.limit !== 100_000) fail('another limit', response);
  }
}

function verdictOf({ status, errors }: Verdict) {
  return {
    status,
    codes: errors.map(({ extensions }) => extensions.code).sort(),
    paths: pathsOf({ status, errors }).sort(),
  };
}

function pathsOf({ errors }: Verdict): string[] {
  return errors.flatMap(({ extensions }) => extensions.fields?.map(({ path }) => path) ?? []);
}

/**
 * Fields whose value decides the rules for the fields beside them, or for the stored campaign, as their descriptions
 * say.
 */
const tied =
  /\b(id|email|state|expectedVersion|type|op|min|max|isOther|startAt|endAt|blocking|newPassword|issuerId|keyId|privateKey|bundleId)$/;

function assertExpected({ expected }: AdminCase, verdict: Verdict, known: string[]): void {
  const { statuses, codes, near } = expected;
  if (!statuses.includes(verdict.status)) fail(`HTTP ${verdict.status} instead of ${statuses.join(' or ')}`, verdict);
  const other = verdict.errors.find(({ extensions }) => codes && !codes.includes(extensions.code));
  if (other) fail(`a code that is not listed here`, other);
  if (near === undefined) return;
  const parent = near.replace(/\.?[^.[]*$|\[\d+\]$/, '');
  const added = pathsOf(verdict).filter((path) => !known.includes(path));
  const far = added.find(
    (path) => !(path.startsWith(near) || near.startsWith(path) || (tied.test(near) && path.startsWith(parent))),
  );
  if (far !== undefined) fail(`a fault at ${far} after a change at ${near}`, verdict);
}

function fail(what: string, details: unknown): never {
  throw new Error(`${what}: ${JSON.stringify(details).slice(0, 2_000)}`);
}
