// A name server on loopback for tests: it knows the given names, and never responds to a question about any other.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer extends AsyncDisposable {
  /** For `createHostResolver`. */
  nameServers: string[];
  /** The names that were asked for, once for each question. */
  asked: string[];
}

/** `known`: the IPv4 addresses of each name; an empty list means that there is no such name. */
export async function startNameServer(known: Record<string, string[]> = {}): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, { address, port }) => {
    const { name, type, end } = readQuestion(question);
    asked.push(name);
    const addresses = known[name];
    if (addresses)
      socket.send(responseTo(question.subarray(0, end), type === typeA ? addresses : [], addresses), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    nameServers: [`127.0.0.1:${socket.address().port}`],
    asked,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

const typeA = 1;
const headerBytes = 12;

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** RFC 1035, 4.1: the question comes back, with a record for each address, or NXDOMAIN where the name has none at all. */
function responseTo(question: Buffer, addresses: string[], ofName: string[]): Buffer {
  const header = Buffer.from(question.subarray(0, headerBytes));
  header.writeUInt16BE(ofName.length > 0 ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    Buffer.concat([Buffer.from('c00c00010001000000050004', 'hex'), Buffer.from(address.split('.').map(Number))]),
  );
  return Buffer.concat([header, question.subarray(headerBytes), ...records]);
}
