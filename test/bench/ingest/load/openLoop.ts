// An open loop: like independent devices, it sends each upload when it is due, whether or not earlier ones have a response.
import { setTimeout as pause } from 'node:timers/promises';
import { openConnection, type Connection } from './connection.ts';
import type { LoadPlan, LoadResult } from './plan.ts';
import type { PreparedUpload } from './requests.ts';
import { lastResponsesMillis, resultOf, sendCounted, startTally } from './tally.ts';

/** Connections opened before the clock starts, so that the first moment is not spent on connecting. */
const firstConnections = 128;
const tickMillis = 2;

/**
 * An upload that finds no free connection waits for one; its latency counts from its due time. When the prepared
 * uploads run out, no more are sent: `sent` is then less than `due`.
 */
export async function openLoop(plan: LoadPlan & { perSecond: number }, uploads: PreparedUpload[]): Promise<LoadResult> {
  const pool = connectionPool(plan);
  await Promise.all(
    Array.from({ length: Math.min(plan.firstConnections ?? firstConnections, plan.connections) }, pool.open),
  );
  const stock = restocked(uploads);
  const tally = startTally();
  const dueTimes = Array.from({ length: Math.ceil(plan.seconds * plan.perSecond) }, (_, index) => {
    return tally.start + (index / plan.perSecond) * 1_000;
  });
  let underWay = 0;
  const sendOn = async (connection: Connection, upload: PreparedUpload, dueAt: number): Promise<void> => {
    underWay += 1;
    const status = await sendCounted(connection, { upload, dueAt }, tally);
    underWay -= 1;
    if (status === 503) stock.putBack(upload);
    if (status === 0) pool.giveUp(connection);
    else pool.giveBack(connection);
    sendDue();
  };
  const over = () => performance.now() >= tally.start + plan.seconds * 1_000;
  const sendDue = (): void => {
    for (const now = performance.now(); !over() && stock.has() && dueTimes[tally.sent]! <= now; tally.sent++) {
      const connection = pool.take();
      if (!connection) return openMore(now);
      void sendOn(connection, stock.take(), dueTimes[tally.sent]!);
    }
  };
  let opening = 0;
  const openMore = (now: number): void => {
    const late = Math.ceil(((now - dueTimes[tally.sent]!) / 1_000) * plan.perSecond);
    for (; opening < late && !pool.isComplete(); opening++) {
      void pool.open().then(() => ((opening -= 1), sendDue()));
    }
  };
  for (; !over(); await pause(tickMillis)) sendDue();
  for (const end = performance.now() + lastResponsesMillis; underWay > 0 && performance.now() < end;) await pause(5);
  const result = resultOf(tally, plan);
  pool.close();
  return { ...result, due: dueTimes.length };
}

function connectionPool({ urls, connections: most }: LoadPlan) {
  const all = new Set<Connection>();
  const free: Connection[] = [];
  let opened = 0;
  let standing = 0;
  const giveUp = (connection: Connection): void => {
    connection.close();
    if (all.delete(connection)) standing -= 1;
  };
  return {
    isComplete: () => standing >= most,
    async open(): Promise<void> {
      standing += 1;
      const connection = await openConnection(urls[opened++ % urls.length]!);
      all.add(connection);
      free.push(connection);
    },
    take(): Connection | undefined {
      for (let connection = free.pop(); connection; connection = free.pop()) {
        if (connection.isUsable()) return connection;
        giveUp(connection);
      }
      return undefined;
    },
    giveBack: (connection: Connection) => void free.push(connection),
    giveUp,
    close: () => all.forEach((connection) => connection.close()),
  };
}

/** Refused uploads are sent again, as an SDK does, after all new ones. */
function restocked(uploads: PreparedUpload[]) {
  let next = [...uploads].reverse();
  let refused: PreparedUpload[] = [];
  return {
    has: () => next.length + refused.length > 0,
    take(): PreparedUpload {
      if (next.length === 0) [next, refused] = [refused.reverse(), []];
      return next.pop()!;
    },
    putBack: (upload: PreparedUpload) => void refused.push(upload),
  };
}
