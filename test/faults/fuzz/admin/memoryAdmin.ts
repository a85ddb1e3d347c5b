// The admin API without a database: a request that passes every check reaches a stand-in, which reports that and checks its values.
import { readFile } from 'node:fs/promises';
import { createPasswordTokens } from '../../../../src/accounts/mailedTokens.ts';
import { createRefreshTokens } from '../../../../src/accounts/startLogin.ts';
import { createApp } from '../../../../src/app.ts';
import type { Deps } from '../../../../src/deps.ts';
import { createAdminApi } from '../../../../src/graphql/adminApi.ts';
import { createEncryption } from '../../../../src/platform/encryption.ts';
import { isStorableText } from '../../../../src/platform/inputRules.ts';
import type { Log } from '../../../../src/platform/observability/log.ts';
import { projectFile } from '../../../../src/platform/projectRoot.ts';
import { uncountedAttempts } from '../../../support/uncountedAttempts.ts';
import { inProcess } from '../exchange.ts';
import { memoryDeps } from '../memoryDeps.ts';
import { soundContract } from '../memoryService.ts';
import type { AdminTarget } from './judge.ts';

class DatabaseReached extends Error {}

const id = '0192f0c4-2222-7000-8000-000000000002';
const claims = { userId: id, sessionId: id, generation: 0 };
const user = { userId: id, organizationId: id, email: 'me@example.com' };

export async function memoryAdmin(): Promise<AdminTarget & { stop(): Promise<void> }> {
  let failures: unknown[] = [];
  const deps = adminDeps((error) => failures.push(error));
  const sdl = await readFile(projectFile('schema.graphql'), 'utf8');
  const strangerLimits = { requests: 1_000_000, windowSeconds: 60 };
  const admin = await createAdminApi({ sdl, production: false, deps, strangerLimits });
  const app = createApp({ contract: await soundContract(), admin }, deps);
  return {
    exchange: inProcess(app),
    tokenOf: async (as) => (as === 'nobody' ? null : as),
    reachedDatabase() {
      const reached = failures.length > 0 && failures.every((error) => error instanceof DatabaseReached);
      failures = [];
      return reached;
    },
    twice: true,
    stop: () => admin.stop(),
  };
}

/** Calls `note` with the cause of every failure. */
function adminDeps(note: (error: unknown) => void): Deps {
  const log: Log = {
    error: ({ err }: { err: unknown }) => note(err),
    warn: quiet,
    info: quiet,
    debug: quiet,
    child: () => log,
  } as unknown as Log;
  const key = Buffer.alloc(32, 7);
  return {
    ...memoryDeps(),
    log,
    adminPool: {
      query: async (query: Query) => answer(query),
      connect: async () => client,
      prisma: { $transaction: (work: (prisma: unknown) => unknown) => work(standIn()) },
      joining: (_connection: unknown, open: () => unknown) => open(),
    },
    prisma: standIn(),
    accessTokens: {
      read: async (role: string) => (roles.includes(role) ? { ...claims, sessionId: role } : null),
      issue: async () => '',
    },
    refreshTokens: createRefreshTokens(key),
    passwordTokens: createPasswordTokens(key),
    passwords: { hash: async () => '', matches: async () => false },
    encryption: createEncryption(key),
    attempts: uncountedAttempts,
    signup: 'open',
    webhookRules: { production: false },
  } as unknown as Deps;
}

const quiet = () => undefined;
const roles = ['viewer', 'owner'];

interface Query {
  name?: string;
  values?: unknown[];
}

function answer({ name, values = [] }: Query): { rows: unknown[] } {
  // No service token is known here.
  if (name === 'find_service_caller') return { rows: [] };
  if (name === 'find_live_caller')
    return { rows: [{ ...user, role: values[0], usedGeneration: 0, lastUsedAt: new Date() }] };
  return reached(values);
}

const client = {
  query: async (query: string | Query) => (typeof query === 'string' ? { rows: [] } : answer(query)),
  on: quiet,
  off: quiet,
  release: quiet,
};

function reached(given: unknown): never {
  assertStorable(given);
  throw new DatabaseReached();
}

/** Throws on the two kinds of value that PostgreSQL refuses or changes. */
function assertStorable(given: unknown): void {
  if (typeof given === 'string' && !isStorableText(given)) throw new Error('an unstorable text reached the database');
  if (given instanceof Date && Number.isNaN(given.getTime())) throw new Error('no date reached the database');
  if (typeof given !== 'object' || given === null || Buffer.isBuffer(given)) return;
  for (const [key, value] of Object.entries(given)) [key, value].forEach(assertStorable);
}

/** Stands for every model and every method of the Prisma client. */
function standIn(): unknown {
  const call = async (...given: unknown[]) => reached(given);
  const model = new Proxy({}, { get: () => call });
  const member = (name: string) => (name.startsWith('$') ? call : model);
  return new Proxy({}, { get: (_, name) => member(String(name)) });
}
