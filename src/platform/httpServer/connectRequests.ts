// CONNECT, which Node takes for the beginning of a tunnel: a request as any other, and the last one of its connection.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { LastRequests } from './lastRequests.ts';

/** Gives the connections on which one has come: `server.closeAllConnections` knows nothing of them any more. */
export function answerConnect(server: Server, last: LastRequests): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  server.on('connect', (request, stream) => {
    const socket = stream as Socket;
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    // Node has taken its own listener away, and an error that nobody hears would end the process.
    socket.on('error', () => socket.destroy());
    last.handOver(request, socket);
    // Whatever follows was meant for the tunnel.
    socket.resume();
  });
  return connections;
}
