// The embedded PostgreSQL's cluster on disk: created once, in one step that an interruption cannot leave half done.
import { randomBytes, randomUUID } from 'node:crypto';
import { chown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../../platform/errors.ts';
import { run, type Runner } from './unprivileged.ts';

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
