// Writes the file in the service's data folder that names this demo's fake store and its root certificate.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { processIsAlive } from '../../../../src/development/embeddedPostgres/postgresServer.ts';
import { readStandIn } from '../../../../src/development/storeStandIn.ts';
import type { FakeStore } from './fakeStore.ts';

/**
 * The file stays until this process ends or calls the returned function. Throws while another demo uses the file,
 * because the service asks only one store.
 */
export async function announce(file: string, { url, chain }: Pick<FakeStore, 'url' | 'chain'>): Promise<() => void> {
  await mkdir(path.dirname(file), { recursive: true });
  const other = await readStandIn(file);
  if (other && processIsAlive(other.pid)) {
    throw new Error(`Another demo (process ${other.pid}) runs against this service: ${file}`);
  }
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify({ url, rootPem: chain.rootPem, pid: process.pid }));
  renameSync(draft, file);
  const withdraw = (): void => rmSync(file, { force: true });
  process.once('exit', withdraw);
  return withdraw;
}
