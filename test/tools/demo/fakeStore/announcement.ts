// Tells the service, by a file in its data folder, where this demo's stand-in for the store is and what it signs with.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { processIsAlive } from '../../../../src/development/embeddedPostgres/processes.ts';
import { readStandIn } from '../../../../src/development/storeStandIn.ts';
import type { FakeStore } from './fakeStore.ts';

/** Until this process ends or takes it back. Throws while another demo uses the file: the service asks one store only. */
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
