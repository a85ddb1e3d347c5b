// How an event reaches a URL in an unusual spelling.
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { postEvent } from '../../src/webhooks/postEvent.ts';
import { createHostResolver } from '../../src/webhooks/resolveHost.ts';

test.each(['HTTPS', ' https', 'hTTps'])('an event for %s:// goes out over TLS', async (scheme) => {
  const first: number[] = [];
  const server = net.createServer((socket) => {
    socket.once('data', ([byte]) => {
      first.push(byte!);
      socket.destroy();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const options = { production: false, resolve: createHostResolver(), timeLimitMillis: 5_000 };
  const sent = postEvent({ organizationId: 'a', url, headers: {}, body: '{}' }, options, new AbortController().signal);
  await expect(sent).rejects.toMatchObject({ word: 'connection' });
  server.close();
  // The type of a handshake record.
  expect(first).toEqual([22]);
});
