// Takes a worker of a Citus cluster away from a test's database, and cuts commits between their phases, by a proxy before the worker.
import type { Pool } from 'pg';
import { withConnection } from '../faults/support/faultService.ts';
import { startTcpProxy, type TcpProxy } from '../faults/support/tcpProxy.ts';
import { citusWorkers, reachFirstWorkerThrough } from '../support/citusCluster.ts';

/** The coordinator then reaches the first worker through the proxy alone, for this database. */
export async function proxyBeforeWorker(pool: Pool): Promise<TcpProxy> {
  const proxy = await startTcpProxy(citusWorkers[0]!);
  await reachFirstWorkerThrough(pool, proxy.port);
  return proxy;
}

/** How often the coordinator ends by itself what a lost connection has left: never for '-1'. */
export async function recoverByItself(interval: string): Promise<void> {
  await withConnection(process.env['TEST_SERVER_URL']!, async (client) => {
    await client.query(`ALTER SYSTEM SET citus.recover_2pc_interval = '${interval}'`);
    await client.query('SELECT pg_reload_conf()');
  });
}
