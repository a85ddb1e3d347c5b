// Two thousand connections that send what takes the most memory of a process: bodies at the limits, floods, slow and deaf clients.
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { aDevice, anEvent, aReport, aSession } from '../../support/uploads.ts';
import { worstDocuments } from '../ingest/targets/worstDocuments.ts';

interface Attacker {
  name: string;
  connections: number;
  /** What one connection sends next. */
  next(at: number): Buffer;
  /** Sends no more, and reads no response. */
  deaf?: boolean;
}

const marked = '5e55105e-0000-4000-8000-000000000000';
const wire = 2 * 1_048_576;
const inflated = 8 * 1_048_576;

/** A body of almost `bytes` that passes validation: sessions of 5,000 events at most, each with a text of 200 characters. */
function reportOf(bytes: number): string {
  const event = () => anEvent({ params: [{ name: 'text', value: 'x'.repeat(1_000) }] });
  const size = Buffer.byteLength(JSON.stringify(event())) + 1;
  let left = Math.floor((bytes - 4_096) / size);
  const sessions = [];
  for (; left > 0; left -= 5_000) {
    const events = Array.from({ length: Math.min(left, 5_000) }, event);
    sessions.push(aSession({ events }));
  }
  sessions[0]!.id = marked;
  return JSON.stringify(aReport({ device: aDevice(marked), sessions }));
}

function request(path: string, headers: Record<string, string>, body: Buffer): Buffer {
  const sent = { Host: 'x', 'Content-Type': 'application/json', 'Content-Length': String(body.length), ...headers };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}

/** Each copy is of a new device and session, so that all of it is stored. */
function renewed(template: Buffer): () => Buffer {
  const places: number[] = [];
  for (let at = template.indexOf(marked); at >= 0; at = template.indexOf(marked, at + 1)) places.push(at);
  return () => {
    const copy = Buffer.from(template);
    const id = randomUUID();
    for (const place of places) copy.write(id, place);
    return copy;
  };
}

/** By phase. */
export function attackersWith(key: string): Record<string, Attacker[]> {
  const sdk = { 'X-Api-Key': key };
  const upload = (body: string | Buffer, headers = {}) =>
    request('/api/v1/session', { ...sdk, ...headers }, Buffer.from(body));
  const zipped = upload(gzipSync(reportOf(inflated)), { 'Content-Encoding': 'gzip' });
  const unfinished = upload(reportOf(wire)).subarray(0, wire - 5_000);
  const fetch = `GET /api/v1/campaigns?platform=iOS HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`;
  const documents = Object.values(worstDocuments);
  const document = (at: number) =>
    request('/admin/graphql/', {}, Buffer.from(JSON.stringify(documents[at % documents.length]!(at))));
  const kinds = {
    largest: { name: 'bodies of 2 MiB', next: renewed(upload(reportOf(wire))) },
    zipped: { name: 'bodies of 8 MiB in gzip', next: () => zipped },
    small: { name: 'small uploads', next: renewed(upload(reportOf(7_500))) },
    unfinished: { name: 'bodies that never end', next: () => unfinished, deaf: true },
    deaf: { name: 'clients that read nothing', next: () => Buffer.from(fetch.repeat(16)), deaf: true },
    documents: { name: 'documents', next: document },
  };
  const of = (kind: keyof typeof kinds, connections: number): Attacker => ({ ...kinds[kind], connections });
  return {
    'bodies at the limits, 128 connections': [of('largest', 64), of('zipped', 64)],
    'slow clients and documents, 2,000 connections': [
      ...[of('unfinished', 1_000), of('deaf', 700)],
      of('documents', 300),
    ],
    'all together, 2,000 connections': [
      ...[of('largest', 200), of('zipped', 200), of('small', 900)],
      ...[of('unfinished', 300), of('deaf', 200), of('documents', 200)],
    ],
  };
}

/** Returns what ends them, and says how many responses each kind got, by status. */
export function attack(url: string, attackers: Attacker[]): () => Map<string, Map<string, number>> {
  const { hostname, port } = new URL(url);
  const seen = new Map<string, Map<string, number>>();
  const sockets = new Set<ReturnType<typeof connect>>();
  let over = false;
  let sent = 0;
  const open = (attacker: Attacker): void => {
    const { name, next, deaf } = attacker;
    if (over) return;
    const socket = connect(Number(port), hostname, () => void socket.write(next(sent++)));
    sockets.add(socket);
    const statuses = seen.get(name)!;
    socket.on('data', (piece: Buffer) => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(piece.toString('latin1', 0, 12))?.[1];
      if (status === undefined) return;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (!deaf && socket.writable) socket.write(next(sent++));
    });
    if (deaf) socket.pause();
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      setTimeout(() => open(attacker), 200);
    });
  };
  for (const attacker of attackers) {
    seen.set(attacker.name, new Map());
    for (let each = 0; each < attacker.connections; each += 1) open(attacker);
  }
  return () => {
    over = true;
    for (const socket of sockets) socket.destroy();
    return seen;
  };
}
