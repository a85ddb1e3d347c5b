// Treats CONNECT, where Node expects a tunnel, as an ordinary request and the last one of its connection.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { LastRequests } from './lastRequests.ts';

/** Gives the connections with a CONNECT request: `server.closeAllConnections` does not close them. */
export function answerConnect(server: Server, last: LastRequests): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  server.on('connect', (request, stream) => {
    const socket = stream as Socket;
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    // Node has removed its own listener. An unheard error would end the process.
    socket.on('error', () => socket.destroy());
    last.handOver(request, socket);
    // Further bytes were meant for the tunnel.
    socket.resume();
  });
  return connections;
}
