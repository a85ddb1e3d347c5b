// A TCP proxy before PostgreSQL or the API that delays, silences or cuts the connections.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** The same address with the proxy in place of the server. */
  through(url: string): string;
  /** Delays each piece of data by this time in both directions. */
  delay(millis: number): void;
  /**
   * Accepts and swallows data without a reset. Connections opened meanwhile stay silent for ever, as behind a router
   * that has forgotten its connections: neither side hears that the other has gone.
   */
  fallSilent(): void;
  /** Does not deliver the next replies that contain `text`, and cuts their connections on both sides. */
  loseReplies(text: string, times: number): void;
  /** The same with what the client sends. */
  loseRequests(text: string, times: number): void;
  /** Cuts all connections, and each new one at once, as if no server listened. */
  refuse(): void;
  /** Forwards again without a delay, and loses nothing further. */
  restore(): void;
  /** Replies and requests lost since the start. */
  lost(): number;
  close(): Promise<void>;
}

interface Weather {
  delayMillis: number;
  silent: boolean;
  refusing: boolean;
  losing: { from: 'client' | 'server'; text: Buffer; times: number } | null;
  lost: number;
}

export async function startTcpProxy(server: string): Promise<TcpProxy> {
  const weather: Weather = { delayMillis: 0, silent: false, refusing: false, losing: null, lost: 0 };
  const lose = (from: 'client' | 'server', text: string, times: number): void => {
    weather.losing = { from, text: Buffer.from(text, 'latin1'), times };
  };
  const links = new Set<Link>();
  const listener = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const link = join(client, new URL(server), weather);
    links.add(link);
    client.on('close', () => link.silenced || links.delete(link));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    through: (url) => url.replace(new URL(url).host, `127.0.0.1:${port}`),
    delay: (millis) => void (weather.delayMillis = millis),
    fallSilent() {
      weather.silent = true;
      for (const link of links) link.silenced = true;
    },
    loseReplies: (text, times) => lose('server', text, times),
    loseRequests: (text, times) => lose('client', text, times),
    refuse() {
      weather.refusing = true;
      for (const link of links) link.cut();
    },
    restore: () => void Object.assign(weather, { delayMillis: 0, silent: false, refusing: false, losing: null }),
    lost: () => weather.lost,
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      for (const link of links) link.cut();
      await closed;
    },
  };
}

interface Link {
  silenced: boolean;
  cut(): void;
}

function join(client: Socket, address: URL, weather: Weather): Link {
  // A close follows the error and is passed to the other side.
  client.on('error', () => undefined).resume();
  if (weather.silent) return { silenced: true, cut: () => void client.destroy() };
  if (weather.refusing) client.destroy();
  const server = connect({ host: address.hostname, port: Number(address.port), noDelay: true, allowHalfOpen: true }).on(
    'error',
    () => undefined,
  );
  const link: Link = { silenced: false, cut: () => [client, server].forEach((socket) => socket.destroy()) };
  carry(client, server, { link, weather, isLost: watch(weather, 'client') });
  carry(server, client, { link, weather, isLost: watch(weather, 'server') });
  return link;
}

interface Road {
  link: Link;
  weather: Weather;
  isLost: (chunk: Buffer) => boolean;
}

/** Keeps the order, also when the delay becomes shorter; the end of a connection is delayed like data. */
function carry(from: Socket, to: Socket, { link, weather, isLost }: Road): void {
  const onTheWay: (() => void)[] = [];
  const send = (deliver: () => void): void => {
    if (link.silenced) return;
    onTheWay.push(deliver);
    const arrive = () => link.silenced || onTheWay.shift()?.();
    if (weather.delayMillis === 0 && onTheWay.length === 1) arrive();
    else setTimeout(arrive, weather.delayMillis);
  };
  from.on('data', (chunk: Buffer) => {
    if (!link.silenced && isLost(chunk)) link.cut();
    else send(() => to.write(chunk));
  });
  from.on('end', () => send(() => to.end()));
  from.on('close', (broken) => send(() => (broken ? to.destroy() : to.end())));
}

/** The text may span two pieces. */
function watch(weather: Weather, from: 'client' | 'server'): (chunk: Buffer) => boolean {
  let seen = Buffer.alloc(0);
  return (chunk) => {
    const losing = weather.losing?.from === from ? weather.losing : null;
    const text = Buffer.concat([seen, chunk]);
    seen = losing ? Buffer.from(text.subarray(Math.max(0, text.length - losing.text.length + 1))) : Buffer.alloc(0);
    if (!losing || losing.times === 0 || !text.includes(losing.text)) return false;
    losing.times -= 1;
    weather.lost += 1;
    return true;
  };
}
