// `npm run dev`: restarts the service and reloads the dashboard at each save, while the database keeps running.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { locateServer } from '../compose/prepareDatabase.ts';
import { createLog } from '../platform/observability/log.ts';
import { projectFile, projectRoot } from '../platform/projectRoot.ts';
import { runProgram, type Program } from './runProgram.ts';

/** The output of the compiler, and the files that the service reads at its start. */
const watched = ['dist/src', 'dist/generated', 'openapi.yaml', 'schema.graphql'];

function node(...words: string[]): ChildProcess {
  return spawn(process.execPath, words, { cwd: projectRoot, stdio: 'inherit' });
}

/**
 * Without types, so that the service restarts within a second or two of a save. An editor and `npm run types` report
 * type errors.
 */
function startCompiler(): ChildProcess {
  const tsc = projectFile('node_modules', 'typescript', 'bin', 'tsc');
  return node(tsc, '-p', 'tsconfig.tools.json', '--watch', '--preserveWatchOutput');
}

function startService(): ChildProcess {
  const paths = watched.map((path) => `--watch-path=${path}`);
  return node('--watch', ...paths, '--watch-preserve-output', '--enable-source-maps', 'dist/src/main.js');
}

/** It proxies requests of the admin API to the service, whose PORT it reads too, and reloads the page at each save. */
const startDashboard = (): ChildProcess => node(projectFile('node_modules', 'vite', 'bin', 'vite.js'));

const usage = `Usage: npm run dev

Runs the service and the dashboard, restarts the service and reloads the page at each save. For development only.
`;

const work: Program['work'] = async (config) => {
  if (config.production) throw new Error('npm run dev is for development, and NODE_ENV says production.');
  // The embedded PostgreSQL stops when no process is connected: without this connection, it would stop at each restart
  // of the service.
  const server = await locateServer(config, createLog('warn'));
  const children = [startCompiler(), startService(), startDashboard()];
  // A terminal sends Ctrl-C to every process by itself; a second signal does no harm.
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => children.forEach((child) => child.kill(signal)));
  await Promise.all(children.map((child) => once(child, 'exit')));
  await server.stop();
  return 'Stopped.';
};

await runProgram({ usage, work });
