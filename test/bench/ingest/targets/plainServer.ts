// (H) The least work of a Node server on an upload: node:http, JSON.parse, `{}`.
import { listen } from '../../../../src/platform/httpServer/httpServer.ts';
import { announce } from './forkedTarget.ts';

const listener = await listen(
  (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString());
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 2 }).end('{}');
    });
  },
  { port: 0, host: '127.0.0.1' },
);
announce(listener.url);
