// Loading the public contract: a rule that the edge would not enforce is refused at the start, with the operation's name.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { OpenAPIV3 } from 'openapi-types';
import { lastSegment, loadPublicContract } from '../../src/http/contract.ts';

type Parameter = Omit<OpenAPIV3.ParameterObject, 'schema'>;

const folder = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-contract-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A contract of one operation, getServerTime. */
function load(
  parameters: Parameter[],
  { route = '/api/v1/time', handlers = ['getServerTime'], type = 'integer' } = {},
) {
  const schema = { type };
  const operation = {
    operationId: 'getServerTime',
    parameters: parameters.map((each) => ({ ...each, schema })),
    responses: { 200: { description: 'The time.' } },
  };
  const file = path.join(folder, 'openapi.yaml');
  const info = { title: 'One operation', version: '1' };
  writeFileSync(file, JSON.stringify({ openapi: '3.0.3', info, paths: { [route]: { get: operation } } }));
  return loadPublicContract(file, handlers);
}

const named = expect.stringContaining('getServerTime') as string;

test('an operation without a handler', async () => {
  await expect(load([], { handlers: ['getCampaigns'] })).rejects.toMatchObject({ message: named });
});

test('a parameter in the path, but for its last segment', async () => {
  const zone = { name: 'zone', in: 'path', required: true };
  const route = '/api/v1/{zone}/time';
  await expect(load([zone], { route })).rejects.toMatchObject({ message: named });
  await expect(load([zone], { route })).rejects.toThrow(route);
  await expect(load([zone], { route: '/api/v1/times/{zone}{day}' })).rejects.toMatchObject({ message: named });
  const { match } = await load([zone], { route: '/api/v1/times/{zone}' });
  expect(match('GET', '/api/v1/times/UTC?a=/b')).toBeDefined();
  expect(lastSegment('/api/v1/times/UTC?a=/b')).toBe('UTC');
  for (const path of ['/api/v1/times', '/api/v1/times/', '/api/v1/times/UTC/', '/api/v1/times/a/b', '/UTC'])
    expect(match('GET', path)).toBeUndefined();
});

test.each(['header', 'cookie'])('a required parameter in a %s', async (place) => {
  const asked = { name: 'X-Zone', in: place, required: true };
  await expect(load([asked])).rejects.toMatchObject({ message: named });
  await expect(load([asked])).rejects.toThrow(`${place} parameter X-Zone`);
});

test('a header that is not required, or that the edge reads, is none of it', async () => {
  const zone = { name: 'X-Zone', in: 'header' };
  const signed = ['X-Timestamp', 'X-NONCE', 'X-Signature'].map((name) => ({ name, in: 'header', required: true }));
  const contract = await load([zone, ...signed]);
  expect(contract.match('GET', '/api/v1/time')?.id).toBe('getServerTime');
});

test('a required parameter of the query is missed, and another one is not', async () => {
  const query = [
    { name: 'zone', in: 'query', required: true },
    { name: 'day', in: 'query' },
  ];
  const { readQuery } = (await load(query)).match('GET', '/api/v1/time')!;
  expect(readQuery('/api/v1/time')).toEqual({ query: {}, fields: [{ path: 'zone', message: 'is required' }] });
  expect(readQuery('/api/v1/time?zone=2')).toEqual({ query: { zone: 2 }, fields: [] });
});

test.each(['boolean', 'number', 'array'])('a parameter of the query whose type is %s', async (type) => {
  const day = { name: 'day', in: 'query' };
  await expect(load([day], { type })).rejects.toMatchObject({ message: named });
  await expect(load([day], { type })).rejects.toThrow('query parameter day');
  await expect(load([day], { type: 'string' })).resolves.toBeDefined();
});
