// Follows docs/operating/first-upload.md word for word: from an empty PostgreSQL to a signed upload, with what production installs.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { startDurablePostgres } from '../support/durablePostgres.ts';
import { installProduction } from '../support/productionInstall.ts';
import { unusedPort } from '../support/unusedPort.ts';

const folder = projectFile('dist', '.firstUpload');
const hasTools = spawnSync('bash', ['-c', 'command -v psql && command -v curl && command -v openssl']).status === 0;
const testWithTools = hasTools ? test : test.skip;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The blocks in their order, under their headings. */
function blocksOf(page: string): Map<string, string> {
  const sections = page.split(/^## /m).slice(1);
  return new Map(
    sections.flatMap((section) => {
      const block = /^```sh\n([\s\S]*?)^```$/m.exec(section)?.[1];
      return block === undefined ? [] : [[section.split('\n')[0]!, block] as const];
    }),
  );
}

const afterEachBlock = (heading: string): string => `\necho; echo '== after ${heading}'\n`;

testWithTools('every command works, the upload is acknowledged, and a stranger cannot sign up', async () => {
  installProduction(folder);
  const [port, opsPort, server] = [await unusedPort(), await unusedPort(), await startDurablePostgres()];
  const blocks = blocksOf(readFileSync(projectFile('docs/operating/first-upload.md'), 'utf8'));
  const { hostname, port: databasePort, username, password } = new URL(server.url);
  const own = [
    `DATABASE_HOST=${hostname} DATABASE_PORT=${databasePort} ADMIN_USER=${username} ADMIN_PASSWORD=${password}`,
    'DASHBOARD_URL=https://analytics.example.com/admin SMTP_URL=smtps://mail.example.com EMAIL=olga@example.com',
  ].join('\n');
  expect(own.match(/\w+(?==)/g)!.slice(0, 4)).toEqual(blocks.get('1. Your own values')!.match(/^\w+/gm)!.slice(0, 4));
  blocks.set('1. Your own values', own);
  // What is built is in the folder, and npm has no network in a test.
  expect(blocks.delete('3. Build')).toBe(true);
  const walk = [...blocks].map(([heading, block]) => block + afterEachBlock(heading)).join('');
  const script = `set -eu\ntrap 'kill $(jobs -p); wait' EXIT\n${walk}`
    .replaceAll(':8080', `:${port}`)
    .replaceAll(':8081', `:${opsPort}`);
  const env = { PATH: process.env['PATH'], PORT: String(port), OPS_PORT: String(opsPort) };
  const shell = spawn('bash', ['-c', script], { cwd: folder, env });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (output += text));
  const [code] = (await once(shell, 'close')) as [number];
  const log = path.join(folder, 'service.log');
  await server.stop();
  expect([code, existsSync(log) && readFileSync(log, 'utf8'), output]).toEqual([
    0,
    expect.stringContaining('"msg":"stopped"'),
    expect.stringMatching(/HTTP\/1\.1 200 OK[\s\S]*\{\}\n== after 8\. [\s\S]*"FORBIDDEN"[\s\S]*== after 9\. /),
  ]);
});
