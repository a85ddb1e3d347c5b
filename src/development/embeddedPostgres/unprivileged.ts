// Runs PostgreSQL's programs under the service's account, or under an ordinary one if that is root: PostgreSQL refuses root.
import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';

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
