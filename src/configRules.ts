// Rules of the environment beyond the form of one variable: what production needs and refuses, and the forms of keys and addresses (pure).

/** `api` is the former name of ingest and admin in one process. */
export const roles = ['all', 'ingest', 'admin', 'worker', 'api'] as const;
export type Role = (typeof roles)[number];

/** The parts of the service that a process with this role runs (docs/operating/processes.md). */
export function servedBy(role: Role): Record<'publicApi' | 'adminApi' | 'jobs', boolean> {
  const both = role === 'all' || role === 'api';
  return {
    publicApi: both || role === 'ingest',
    adminApi: both || role === 'admin',
    jobs: role === 'all' || role === 'worker',
  };
}

/** Public on purpose: a checkout starts without set-up, and production refuses to start with these keys. */
export const developmentKeys = {
  ENCRYPTION_KEY: Buffer.from('development-encryption-key-32-by').toString('base64'),
  TOKEN_KEY: Buffer.from('development-token-signing-key-32').toString('base64'),
};

/** Not part of the schema, which stops at the first kind of problem: a malformed port would hide these. */
export function problemsInProduction(given: Given, names: readonly string[]): string[] {
  if (given['NODE_ENV'] !== 'production') return [];
  const { jobs, adminApi } = servedBy(roles.find((role) => role === given['ROLE']) ?? 'all');
  const forJobs = jobs ? ['DASHBOARD_URL', 'SMTP_URL'] : []; // Jobs send the mails.
  const forUsers = adminApi ? ['SIGNUP'] : [];
  const missing = ['DATABASE_URL', 'ENCRYPTION_KEY', 'TOKEN_KEY', ...forUsers, ...forJobs].filter(
    (name) => names.includes(name) && given[name] === undefined,
  );
  return [
    ...missing.map((name) => `${name}: is required in production${explained[name] ?? ''}`),
    ...weakKeys(given),
    ...['DATABASE_URL', 'SMTP_URL'].filter((name) => hasGuessedPassword(given[name])).map(guessedPassword),
    ...(given['STORE_API_URL'] === undefined ? [] : ['STORE_API_URL: is for tests and refused in production']),
  ];
}

export type Given = Record<string, string | undefined>;

const explained: Given = {
  SIGNUP:
    ' (open: everybody may sign up; first: the first user alone; closed: nobody, npm run user:create makes owners)',
};

function weakKeys(given: Given): string[] {
  const names = ['ENCRYPTION_KEY', 'TOKEN_KEY'] as const;
  const problems = names.flatMap((name) => {
    const weak = readKeys(given[name] ?? '').map((key) => weaknessOf(key, readKeys(developmentKeys[name])));
    return weak.filter((problem) => problem !== null).map((problem) => `${name}: ${problem}`);
  });
  const [sealing, signing] = names.map((name) => readKeys(given[name] ?? ''));
  const shared = sealing!.some((key) => signing!.some((other) => other.equals(key)));
  return [...new Set(problems), ...(shared ? ['TOKEN_KEY: must be another key than ENCRYPTION_KEY'] : [])];
}

/** Fewer than one random key of 32 bytes or more in 10^14 has fewer than 16 different bytes, or only printable ones. */
function weaknessOf(key: Buffer, published: Buffer[]): string | null {
  if (published.some((known) => known.equals(key))) return 'is the public development key';
  if (key.length < 32) return null;
  if (new Set(key).size < 16) return 'repeats itself and is not random (openssl rand -base64 32)';
  return key.every((byte) => byte >= 32 && byte < 127) ? 'is a text and not random (openssl rand -base64 32)' : null;
}

/** The password of the examples in .env.example, or the user's name. A URL without a password may be right. */
function hasGuessedPassword(url: string | undefined): boolean {
  const { username, password } = URL.canParse(url ?? '') ? new URL(url!) : { username: '', password: '' };
  return password !== '' && (password === 'password' || password === username);
}

const guessedPassword = (name: string): string => `${name}: its password is that of the examples, or the user's name`;

/** No honest application meets the first two; the third is two million uploads of ten events (openapi.yaml, "Quotas"). */
const quotasOfProduction = {
  QUOTA_MIB_PER_HOUR: 1_024,
  QUOTA_NEW_DEVICES_PER_HOUR: 100_000,
  QUOTA_SIGNED_MIB_PER_HOUR: 10_240,
};

type QuotaVariables = Partial<Record<keyof typeof quotasOfProduction, number | 'off' | undefined>>;

/** Null: no quota. Without a setting there is one in production alone. */
export function quotaOf(
  given: QuotaVariables,
  production: boolean,
): Record<'bytes' | 'devices' | 'signedBytes', number | null> {
  const of = (name: keyof typeof quotasOfProduction): number | null => {
    const value = given[name] ?? (production ? quotasOfProduction[name] : 'off');
    return value === 'off' ? null : value;
  };
  const bytesOf = (mib: number | null): number | null => (mib === null ? null : mib * 1_048_576);
  return {
    bytes: bytesOf(of('QUOTA_MIB_PER_HOUR')),
    devices: of('QUOTA_NEW_DEVICES_PER_HOUR'),
    signedBytes: bytesOf(of('QUOTA_SIGNED_MIB_PER_HOUR')),
  };
}

/** In a browser's own spelling: lower case, no default port, no path, not `*` and not `null`. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

export function isMailServer(text: string): boolean {
  try {
    const { protocol, hostname, username, password } = new URL(text);
    decodeURIComponent(username + password); // The mail library decodes both when it sends, and throws then.
    return /^smtps?:$/.test(protocol) && hostname !== '';
  } catch {
    return false;
  }
}

/** Buffer.from skips characters that are not base64. */
export function isBase64(text: string): boolean {
  return text.split(',').every((key) => /^[A-Za-z0-9+/]*={0,2}$/.test(key.trim()));
}

/** As bytes, because base64 can spell one key in several ways. */
export function readKeys(text: string): Buffer[] {
  return text.split(',').flatMap((key) => (key.trim() ? Buffer.from(key, 'base64') : []));
}
