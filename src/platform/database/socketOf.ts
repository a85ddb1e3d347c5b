// The socket of a connection to PostgreSQL, which the types of the driver hide.
import type { Socket } from 'node:net';
import type { ClientBase } from 'pg';

export const socketOf = (client: ClientBase): Pick<Socket, 'on' | 'off' | 'pause' | 'resume' | 'destroy'> =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;
