// Calls the admin API as a dashboard does: over HTTP, with a login of its own.
import { setTimeout as sleep } from 'node:timers/promises';

export interface Login {
  email: string;
  password: string;
}

export interface AdminApi {
  /** Retries while the service is away, so use it only for operations that may run twice. Throws for a refusal. */
  ask<Data>(query: string, variables?: Record<string, unknown>): Promise<Data>;
}

interface Response {
  data?: unknown;
  errors?: { message: string; path?: (string | number)[]; extensions: { code: string; reason?: string } }[];
}

export class AdminRefusal extends Error {
  readonly codes: string[];
  readonly errors: NonNullable<Response['errors']>;

  constructor(errors: NonNullable<Response['errors']>) {
    super(
      `The admin API refuses: ${errors.map(({ message, extensions }) => `${extensions.code} (${message})`).join(', ')}`,
    );
    this.errors = errors;
    this.codes = errors.map(({ extensions }) => extensions.code);
  }
}

const patienceMillis = 120_000;
const pauseMillis = 500;
const loginMutation = 'mutation Login($input: LoginInput!) { login(input: $input) { token } }';

export async function logIn(baseUrl: string, login: Login): Promise<AdminApi> {
  const url = `${baseUrl}/admin/graphql/`;
  const newToken = async (): Promise<string> => {
    const data = await askPatiently({ url, token: null }, { query: loginMutation, variables: { input: login } });
    return (data as { login: { token: string } }).login.token;
  };
  let token = await newToken();
  return {
    async ask<Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> {
      try {
        return (await askPatiently({ url, token }, { query, variables })) as Data;
      } catch (error) {
        // A token is valid for 90 minutes, and a long run takes longer.
        if (!(error instanceof AdminRefusal && error.codes.includes('UNAUTHENTICATED'))) throw error;
        token = await newToken();
        return (await askPatiently({ url, token }, { query, variables })) as Data;
      }
    },
  };
}

/** A service token is valid until somebody revokes it. */
export function askWithToken(baseUrl: string, token: string): AdminApi {
  const place = { url: `${baseUrl}/admin/graphql/`, token };
  return {
    async ask<Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> {
      return (await askPatiently(place, { query, variables })) as Data;
    },
  };
}

interface Place {
  url: string;
  token: string | null;
}

async function askPatiently(place: Place, operation: object): Promise<unknown> {
  for (const end = Date.now() + patienceMillis; ; await sleep(pauseMillis)) {
    const result = await askOnce(place, operation).catch(() => null);
    if (result?.errors && !result.errors.some(isOfTheService)) throw new AdminRefusal(result.errors);
    if (result && !result.errors) return result.data;
    if (Date.now() > end) throw new Error(`No response of the admin API for ${patienceMillis / 1_000} s. Giving up.`);
  }
}

async function askOnce({ url, token }: Place, operation: object): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token !== null && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify(operation),
    signal: AbortSignal.timeout(10_000),
  });
  return (await response.json()) as Response;
}

/** Whether the service itself failed. The next attempt may then succeed. */
function isOfTheService({ extensions }: NonNullable<Response['errors']>[number]): boolean {
  return extensions.code === 'INTERNAL_SERVER_ERROR';
}
