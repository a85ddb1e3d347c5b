// The embedded PostgreSQL's cluster on disk: created once, in one step that an interruption cannot leave half done.
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { chown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../../platform/errors.ts';

/** Absolute paths in a data folder, which several processes may share. */
export interface ClusterPlace {
  folder: string;
  cluster: string;
  password: string;
  log: string;
  lock: string;
}

export function placeIn(folder: string): ClusterPlace {
  // pg_ctl passes the path to a shell inside double quotes.
  if (/["$`\\\n]/.test(folder) && process.platform !== 'win32') {
    throw new Error(`The embedded PostgreSQL cannot use the folder ${folder}: no " $ \` \\ in its path, please.`);
  }
  const inside = (name: string): string => path.join(folder, name);
  return {
    folder,
    cluster: inside('postgres'),
    password: inside('postgres.password'),
    log: inside('postgres.log'),
    lock: inside('postgres.lock'),
  };
}

/** Creates the cluster unless it exists. Call it under the folder's lock. */
export async function ensureCluster(
  place: ClusterPlace,
  tools: { initdb: string; runner: Runner; sync: boolean },
): Promise<void> {
  await removeAbandoned(place);
  if (await exists(place.cluster)) return;
  const workshop = `${place.cluster}.init-${randomUUID()}`;
  const made = path.join(workshop, 'cluster');
  const password = await ensurePassword(place);
  await mkdir(workshop, { mode: 0o700 });
  // initdb runs under an account that may not read the service's own password file.
  await writeFile(path.join(workshop, 'password'), password, { mode: 0o600 });
  await giveTo(tools.runner, workshop, path.join(workshop, 'password'));
  const { exitCode, output } = await run(tools.runner, [
    tools.initdb,
    `--pgdata=${made}`,
    `--pwfile=${path.join(workshop, 'password')}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    // Texts sort by their bytes, as in the locale C, and lower() and \w know letters beyond ASCII.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(tools.sync ? [] : ['--no-sync']),
  ]);
  if (exitCode !== 0) {
    await rm(workshop, { recursive: true, force: true });
    throw new Error(`initdb could not make the database cluster in ${place.folder}:\n${output}`);
  }
  await rename(made, place.cluster);
  await syncFolder(place.folder);
  await rm(workshop, { recursive: true, force: true });
}

export async function readPassword(place: ClusterPlace): Promise<string> {
  try {
    return (await readFile(place.password, 'utf8')).trim();
  } catch (error) {
    const remedy = `restore it, or delete ${place.cluster} to begin with an empty database`;
    throw new Error(`The password of the database cluster cannot be read from ${place.password}: ${remedy}.`, {
      cause: error,
    });
  }
}

/** A copy made by root, or `chown -R`, makes root the owner, and PostgreSQL refuses root. */
export async function ensureOwner(place: ClusterPlace, runner: Runner): Promise<void> {
  const { uid } = await stat(place.cluster);
  if (runner.account === null) {
    if (process.getuid === undefined || uid === process.getuid()) return;
    throw new Error(
      `${place.cluster} belongs to user ${String(uid)}: start as that user, as root, or delete the folder.`,
    );
  }
  if (uid === runner.account.uid) return;
  const entries = await readdir(place.cluster, { recursive: true });
  await giveTo(runner, place.cluster, ...entries.map((entry) => path.join(place.cluster, entry)));
}

/** The password file is complete on disk before the cluster that needs it appears. */
async function ensurePassword(place: ClusterPlace): Promise<string> {
  if (await exists(place.password)) return await readPassword(place);
  const password = randomBytes(24).toString('base64url');
  const draft = `${place.password}.${randomUUID()}`;
  await writeFile(draft, `${password}\n`, { mode: 0o600, flush: true });
  await rename(draft, place.password);
  await syncFolder(place.folder);
  return password;
}

async function giveTo({ account }: Runner, ...paths: string[]): Promise<void> {
  if (account === null) return;
  for (const each of paths) await chown(each, account.uid, account.gid);
}

/** Removes folders of interrupted initdb runs. A run that still writes there is left to the next start. */
async function removeAbandoned(place: ClusterPlace): Promise<void> {
  const prefix = `${path.basename(place.cluster)}.init-`;
  const names = (await readdir(place.folder)).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    await rm(path.join(place.folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** A rename survives a power loss only when its folder is on disk. Windows cannot open folders, and does not need this. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

// Runs PostgreSQL's programs under the service's account, or under an ordinary one if that is root: PostgreSQL refuses root.

export interface Account {
  uid: number;
  gid: number;
}

/** `account` is null when the programs run under the service's own account. */
export interface Runner {
  account: Account | null;
  /** The words before the program on the command line. */
  prefix: string[];
}

export interface Outcome {
  /** Null when the program could not be started. */
  exitCode: number | null;
  output: string;
}

const nobody: Account = { uid: 65534, gid: 65534 };

/** With `outputFd` the output goes to that file, and a daemon that the program starts keeps the file open. */
export function run(runner: Runner, programAndWords: string[], outputFd?: number): Promise<Outcome> {
  const [command = '', ...rest] = [...runner.prefix, ...programAndWords];
  const sink = outputFd ?? 'pipe';
  const child = spawn(command, rest, {
    // setpriv changes the account itself: an earlier change would drop the capability that it passes on.
    ...(runner.prefix.length === 0 ? runner.account : null),
    cwd: '/',
    // Nothing inherited: PG… variables, LD_LIBRARY_PATH and the locale all change how these programs behave.
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', sink, sink],
  });
  return new Promise((resolve) => {
    let output = '';
    const collect = (chunk: Buffer): void => void (output += chunk.toString());
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.on('error', (error) => {
      resolve({ exitCode: null, output: error.message });
    });
    child.on('close', (exitCode) => {
      resolve({ exitCode, output: output.trim() });
    });
  });
}

/**
 * The first working way to run the programs that reaches `folder`; `initdb --show` checks everything that initdb needs.
 * An ordinary account cannot enter the folders above a folder below /root or in a `mktemp -d` of root. It then gets one
 * capability that enters them, where util-linux's setpriv exists. The weaker capability (reading only) is tried first.
 */
export async function chooseRunner(place: { folder: string; cluster: string; initdb: string }): Promise<Runner> {
  if (process.getuid?.() !== 0) return { account: null, prefix: [] };
  const account = await accountFor(place);
  const runners = [
    { account, prefix: [] },
    { account, prefix: setpriv(account, 'dac_read_search') },
    { account, prefix: setpriv(account, 'dac_override') },
  ];
  const reasons: string[] = [];
  for (const runner of runners) {
    const words = [
      '/bin/sh',
      '-c',
      'cd "$0" && exec "$1" --show --pgdata="$2"',
      place.folder,
      place.initdb,
      place.cluster,
    ];
    const { exitCode, output } = await run(runner, words);
    if (exitCode === 0) return runner;
    reasons.push(`  ${runner.prefix.at(-1) ?? 'plain'}: ${output}`);
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and user ${String(account.uid)} cannot use ${place.initdb} or ${place.folder}: ` +
      'move the project to a folder that every user can enter, run it as an ordinary user, install util-linux ' +
      `(for setpriv), or set DATABASE_URL.\n${reasons.join('\n')}`,
  );
}

function setpriv({ uid, gid }: Account, capability: string): string[] {
  const identity = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
  // The programs find each other by access(2), which ignores the capability without this bit.
  identity.push('--securebits', '+no_setuid_fixup');
  return ['setpriv', ...identity, '--inh-caps', `+${capability}`, '--ambient-caps', `+${capability}`];
}

/** The owner of an existing cluster (PostgreSQL insists), else of the data folder, else `postgres`, else `nobody`. */
async function accountFor(place: { folder: string; cluster: string }): Promise<Account> {
  const cluster = await stat(place.cluster).catch(() => null);
  if (cluster !== null && cluster.uid !== 0) return { uid: cluster.uid, gid: cluster.gid };
  const folder = await stat(place.folder);
  const users = await knownUsers();
  // initdb looks up its own user, so the owner of a mounted folder counts only when this machine knows the user.
  if (folder.uid !== 0 && users.some(({ uid }) => uid === folder.uid)) return { uid: folder.uid, gid: folder.gid };
  const { uid, gid } = users.find(({ name }) => name === 'postgres') ?? nobody;
  return { uid, gid };
}

async function knownUsers(): Promise<(Account & { name: string })[]> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  return lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}
