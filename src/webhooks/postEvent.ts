// What goes out to a receiver: the rules for its URL, the look-up of its name, the signature, and the request within a time limit.
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { createLimiter } from '../platform/concurrencyLimiter.ts';
import { withTimeout } from '../platform/outboundCalls.ts';

export interface PostOptions extends UrlRules {
  resolve: ResolveHost;
  timeLimitMillis: number;
}

interface SentEvent {
  organizationId: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** `word` is `WebhookDelivery.lastError`. */
export class PostFailure extends Error {
  readonly word: 'address' | 'timeout' | 'connection' | 'secret';

  constructor(word: PostFailure['word'], options?: ErrorOptions) {
    super(word, options);
    this.word = word;
  }
}

const mostResponseBytes = 65_536;

/** The status of the response. Throws `PostFailure`, or the reason of `signal`. */
export async function postEvent(event: SentEvent, options: PostOptions, signal: AbortSignal): Promise<number> {
  if (faultOfUrl(event.url, options) !== null) throw new PostFailure('address');
  try {
    return await withTimeout(signal, options.timeLimitMillis, (limit) => send(event, options, limit));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PostFailure) throw error;
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    throw new PostFailure(timedOut ? 'timeout' : 'connection', { cause: error });
  }
}

function send(
  { organizationId, url: text, headers, body }: SentEvent,
  options: PostOptions,
  signal: AbortSignal,
): Promise<number> {
  // The text may begin with `HTTPS:` or a space.
  const url = new URL(text);
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
      sent.destroy();
    };
    // No agent: a kept connection would go to an address of an earlier look-up.
    const lookup = checkedLookup(options, { organizationId, signal });
    const sent = request(url, { method: 'POST', headers, agent: false, lookup });
    signal.addEventListener('abort', abort, { once: true });
    sent.on('error', reject);
    sent.on('close', () => signal.removeEventListener('abort', abort));
    sent.on('response', (response) => void readToEnd(response).then(resolve, reject));
    // A 101 is no response to Node, which closes the connection without an error: the job never ended, and kept its slot.
    sent.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode!);
    });
    sent.end(body);
  });
}

/** The whole response counts: a connection that breaks before its end says nothing certain about the event. */
function readToEnd(response: http.IncomingMessage): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostResponseBytes) return;
      resolve(response.statusCode!);
      response.destroy();
    });
    response.on('end', () => resolve(response.statusCode!));
    response.on('error', reject);
    response.on('close', () => reject(new Error('the response was cut')));
  });
}

/**
 * The socket connects to the addresses that this function has checked: the name is not resolved a second time. One address
 * that is not public refuses the name, because the socket may take any of them.
 */
function checkedLookup(options: PostOptions, lookUp: LookUp): LookupFunction {
  return (host, { all }, done) => {
    options.resolve(host, lookUp).then(
      (found) => {
        const allowed = found.length > 0 && found.every(({ address }) => isAllowedAddress(address, options));
        if (!allowed) done(new PostFailure('address'), '');
        else if (all) done(null, found);
        else done(null, found[0]!.address, found[0]!.family);
      },
      (error: Error) => done(error, ''),
    );
  };
}

/** For a webhook's URL: held when it is stored, and again when an event is sent. */
export interface UrlRules {
  /** False in development: a receiver may then be `http:`, and on this machine. */
  production: boolean;
}

/** Null for an address that an event may go to, or what is wrong with it. */
export function faultOfUrl(text: string, rules: UrlRules): string | null {
  if (!URL.canParse(text)) return 'must be a URL';
  const { protocol, hostname, port, username, password, hash } = new URL(text);
  if (protocol !== 'https:' && (rules.production || protocol !== 'http:')) return 'must be an https:// URL';
  if (username || password || hash) return 'must have no user, password or fragment';
  if (port === '0') return 'must not have the port 0';
  // The parser has written every spelling of an address (`0x7f.1`, `2130706433`) in the usual one.
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 && !isAllowedAddress(host, rules) ? 'must be an address of the public internet' : null;
}

function isAllowedAddress(address: string, { production }: UrlRules): boolean {
  return isPublicAddress(address) || (!production && isLoopback(address));
}

/** The special blocks of IPv4 (RFC 6890 and the registry that it founded), multicast and 255.255.255.255. */
const special4 = blockList([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
]);
/**
 * Global unicast is 2000::/3. Everything else is refused with it: ::, ::1, fc00::/7, fe80::/10, IPv4-mapped addresses and
 * the NAT64 prefix 64:ff9b::/96, which hold an IPv4 address that nobody has checked.
 */
const unicast6 = blockList(['2000::/3']);
/** Inside 2000::/3: protocol assignments with Teredo, documentation, and 6to4, which holds an IPv4 address. */
const special6 = blockList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special4.check(address);
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  if (!isIPv6(address) || address.includes('%')) return false;
  return unicast6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

function isLoopback(address: string): boolean {
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}

function blockList(subnets: string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network, bits] = subnet.split('/');
    list.addSubnet(network!, Number(bits), isIPv4(network!) ? 'ipv4' : 'ipv6');
  }
  return list;
}

interface HostAddress {
  address: string;
  family: number;
}

interface LookUp {
  /** Look-ups that wait take turns by it. */
  organizationId: string;
  signal: AbortSignal;
}

/** Rejects when the name has no address, with a `TimeoutError` when no name server responds in time, or with the reason of `signal`. */
type ResolveHost = (host: string, lookUp: LookUp) => Promise<HostAddress[]>;

interface LookUpBounds {
  /** Look-ups at once. Each has a socket. */
  atOnce: number;
  ofOneOrganization: number;
  /** Of one look-up, and of the wait for a turn before it. */
  timeLimitMillis: number;
  /** `address:port`. Undefined: those of the machine. */
  nameServers?: string[];
}

const usual: LookUpBounds = { atOnce: 128, ofOneOrganization: 32, timeLimitMillis: 4_000 };

/** Two attempts, so that a second name server gets its turn within the time limit. */
const attempts = { timeout: 1_500, tries: 2 };

/**
 * `dns.lookup` runs in the few threads in which the process also looks up the database and the mail server: twenty names
 * whose name servers never responded kept the database away for ten minutes. A `Resolver` asks over sockets of its own.
 */
export function createHostResolver(given: Partial<LookUpBounds> = {}): ResolveHost {
  const { atOnce, ofOneOrganization, timeLimitMillis, nameServers } = { ...usual, ...given };
  const limiter = createLimiter({
    ...{ atOnce, ofOneLane: ofOneOrganization, longestQueue: 1_000, patienceMillis: timeLimitMillis },
    refusal: () => new DOMException('Too many look-ups are under way.', 'TimeoutError'),
  });
  return async (host, { organizationId, signal }) =>
    isThisMachine(host)
      ? thisMachine
      : limiter(
          () => withTimeout(signal, timeLimitMillis, (limit) => ask(host, { signal: limit, nameServers })),
          organizationId,
        );
}

/** No name server knows it (RFC 6761). */
function isThisMachine(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host);
}
const thisMachine: HostAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

async function ask(
  host: string,
  { signal, nameServers }: { signal: AbortSignal; nameServers: string[] | undefined },
): Promise<HostAddress[]> {
  const resolver = new Resolver(attempts);
  if (nameServers) resolver.setServers(nameServers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    signal.throwIfAborted();
    if (four.status === 'rejected' && six.status === 'rejected') throw noAddress(four.reason as NodeJS.ErrnoException);
    return [...found(four, 4), ...found(six, 6)];
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function found(looked: PromiseSettledResult<string[]>, family: number): HostAddress[] {
  return looked.status === 'fulfilled' ? looked.value.map((address) => ({ address, family })) : [];
}

function noAddress(error: NodeJS.ErrnoException): Error {
  return error.code === 'ETIMEOUT'
    ? Object.assign(new Error('No name server responded in time.', { cause: error }), { name: 'TimeoutError' })
    : error;
}

/** 256 random bits in the form of Standard Webhooks 1.0.0. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** `id` is the same at each attempt, so that a receiver recognizes an event that it has had. */
export function signedEventHeaders(
  secret: string,
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'campaign-analytics-backend',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}
