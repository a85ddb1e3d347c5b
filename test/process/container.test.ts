// Runs the Dockerfile's health probe as a container engine does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { variableNames } from '../../src/config.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';

const dockerfile = readFileSync(projectFile('Dockerfile'), 'utf8').replaceAll(/\\\n\s*/g, ' ');

describe('the image', () => {
  test('its probe asks the private listener, and tells a living process from another', async () => {
    const [, command] = /^HEALTHCHECK .*?CMD (\[.*\])$/m.exec(dockerfile)!;
    const [program, ...words] = JSON.parse(command!) as string[];
    expect(program).toBe('node');
    const asked: string[] = [];
    const listener = createServer((request, response) => {
      asked.push(request.url!);
      response.writeHead(asked.length > 1 ? 503 : 200).end();
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const env = { PATH: process.env['PATH'], OPS_PORT: String((listener.address() as AddressInfo).port) };
    const probe = () => new Promise((resolve) => spawn(process.execPath, words, { env }).on('exit', resolve));
    expect([await probe(), await probe()]).toEqual([0, 1]);
    listener.close();
    await once(listener, 'close');
    expect([await probe(), asked]).toEqual([1, ['/livez', '/livez']]);
    expect(variableNames).toContain('OPS_PORT');
  });
});
