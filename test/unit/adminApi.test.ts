// The places of requests in the admin API: which request begins, which waits, which is refused, and when a place is free again.
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { GraphQLRequestContextWillSendResponse } from '@apollo/server';
import express, { type Request, type Response as Answer } from 'express';
import {
  buildSchema,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getVariableValues,
  GraphQLError,
  type GraphQLResolveInfo,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import {
  type AdminContext,
  createPlaces,
  defaultPlaces,
  type PlaceBounds,
  takePlaces,
  untilTurn,
} from '../../src/graphql/context.ts';
import { responseLimits } from '../../src/graphql/adminApi.ts';
import { scalars } from '../../src/graphql/resolvers.ts';
import { selectedRootFields, selects } from '../../src/graphql/authorization.ts';
import { withoutValues } from '../../src/graphql/errors.ts';
import { listen, type Listener } from '../../src/platform/httpServer/httpServer.ts';
import { currentLane } from '../../src/platform/concurrencyLimiter.ts';

describe('places', () => {
  const listeners: Listener[] = [];
  const clients: Socket[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await Promise.all(listeners.splice(0).map((listener) => listener.drain(0)));
  });

  interface Begun {
    request: Request;
    response: Answer;
    lane: string;
  }

  /**
   * A server whose requests end when the test ends them. The path names a request, its first letter the organization, and its
   * first two the user. Users run any number at once unless `callers` says otherwise.
   */
  async function serve(
    changed: Partial<PlaceBounds['requests']> = {},
    large: Partial<PlaceBounds['large']> = {},
    callers: Partial<PlaceBounds['callers']> = {},
    userOf = (name: string): string => name.slice(0, 2),
  ) {
    const bounds = {
      callers: { ...defaultPlaces.callers, ofOneLane: Infinity, ...callers },
      requests: { ...defaultPlaces.requests, patienceMillis: 60_000, ...changed },
      large: { ...defaultPlaces.large, ofOneLane: defaultPlaces.large.atOnce, ...large },
    };
    const places = createPlaces(bounds);
    const begun = new Map<string, Begun>();
    const errors: string[] = [];
    let arrived = 0;
    const app = express().use(
      ({ url }, response, next) => {
        arrived += 1;
        const organization = url[1]!;
        const authenticate = () => {
          if (organization === '!') return Promise.reject(new Error('the database is away'));
          const userId = userOf(url.slice(1));
          return Promise.resolve(organization === '-' ? null : { userId, organizationId: organization });
        };
        const metrics = { adminError: (code: string) => void errors.push(code) };
        response.locals['context'] = { address: '203.0.113.7', authenticate, metrics };
        next();
      },
      takePlaces(places),
      (request, response) => void begun.set(request.url.slice(1), { request, response, lane: currentLane() }),
    );
    const listener = await listen(app, { port: 0, host: '127.0.0.1' });
    listeners.push(listener);
    const url = new URL(listener.url);
    /** One connection, and its requests, one behind the other. */
    const connect = async (...names: string[]): Promise<Socket> => {
      const client = createConnection(Number(url.port), url.hostname).on('error', () => undefined);
      clients.push(client);
      const all = arrived + names.length;
      client.write(names.map((name) => `GET /${name} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
      while (arrived < all) await pause(1);
      await settle();
      return client;
    };
    const names = (): string[] => [...begun.keys()];
    const end = async (name: string): Promise<void> => {
      const { response } = begun.get(name)!;
      response.end();
      if (!response.closed) await once(response, 'close');
      await settle();
    };
    const get = (name: string) => fetch(new URL(name, url));
    return { places, begun, names, errors, connect, end, get };
  }

  /** Whatever can begin has begun. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  }

  const numbered = (organization: string, count: number) => Array.from({ length: count }, (_, at) => organization + at);

  test('one organization with more than 16 requests under way does not hold another one up', async () => {
    const { names, connect, end } = await serve();
    for (const name of numbered('a', 20)) await connect(name);
    expect(names()).toEqual(numbered('a', 16));
    for (const name of numbered('b', 20)) await connect(name);
    expect(names()).toEqual([...numbered('a', 16), ...numbered('b', 16)]);
    await connect('c0');
    expect(names()).toHaveLength(32);
    // Those of a and of b came first, and then it is the turn of c.
    for (const name of ['a0', 'b0', 'a1']) await end(name);
    expect(names().slice(32)).toEqual(['a16', 'b16', 'c0']);
  });

  test('one user runs six at once and another of the same organization goes on; the 101st that waits is refused', async () => {
    const { names, connect, end, get } = await serve({}, {}, { ofOneLane: 6 });
    for (const name of numbered('aa', 8)) await connect(name);
    for (const name of numbered('ab', 2)) await connect(name);
    expect(names()).toEqual([...numbered('aa', 6), 'ab0', 'ab1']);
    for (const name of numbered('aa', 106).slice(8)) await connect(name);
    const refused = await get('aa106');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    await connect('ab2');
    await end('aa0');
    expect(names().slice(8)).toEqual(['ab2', 'aa6']);
  });

  test('a user of many organizations has one lane at a time', async () => {
    const { begun, connect, end } = await serve({}, {}, {}, () => 'one user');
    for (const name of ['a0', 'b0', 'c0']) await connect(name);
    const lanes = () => [...begun.values()].map(({ lane }) => lane);
    expect(lanes()).toEqual(['a', 'a', 'a']);
    for (const name of ['a0', 'b0', 'c0']) await end(name);
    await connect('d0');
    expect(lanes().at(-1)).toBe('d');
  });

  test('a stranger waits in the turns of the network, and so does a caller whose organization cannot be looked up', async () => {
    const { names, begun, connect, end } = await serve({ atOnce: 1, ofOneLane: 1 });
    for (const name of ['-0', '-1', '!2', 'a0']) await connect(name);
    for (const name of ['-0', '-1', 'a0']) await end(name);
    expect(names()).toEqual(['-0', '-1', 'a0', '!2']);
    expect([...begun.values()].map(({ lane }) => lane)).toEqual(['203.0.113.7', '203.0.113.7', 'a', '203.0.113.7']);
  });

  const refusal = {
    errors: [
      {
        message: 'The service cannot take this request now. Try again later.',
        extensions: { code: 'UNAVAILABLE', retryAfterSeconds: 1 },
      },
    ],
  };

  test.each([
    ['waits too long', { atOnce: 1, patienceMillis: 50 }],
    ['comes when all places to wait are taken', { atOnce: 1, longestQueue: 0 }],
  ])('a request that %s is HTTP 503 with Retry-After and UNAVAILABLE, and never begins', async (_, bounds) => {
    const { names, errors, connect, end, get } = await serve(bounds);
    await connect('a0');
    const response = await get('b0');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toEqual(refusal);
    expect(errors).toEqual(['UNAVAILABLE']);
    await end('a0');
    await connect('b1');
    expect(names()).toEqual(['a0', 'b1']);
  });

  test('a request of another organization takes the place to wait of the latest of the one that waits with most', async () => {
    const { names, connect, end, get } = await serve({ atOnce: 1, longestQueue: 3 });
    for (const name of ['a0', 'a1', 'a2']) await connect(name);
    const latest = get('a3');
    await pause(50);
    await connect('b0');
    expect((await latest).status).toBe(503);
    for (const name of ['a0', 'a1', 'b0']) await end(name);
    expect(names()).toEqual(['a0', 'a1', 'b0', 'a2']);
  });

  test('a client that goes away while it runs gives its place back', async () => {
    const { names, connect } = await serve({ atOnce: 1 });
    const client = await connect('a0');
    await connect('b0');
    client.destroy();
    while (names().length < 2) await pause(1);
    expect(names()).toEqual(['a0', 'b0']);
  });

  test('a request whose client goes away while it waits never begins', async () => {
    const { names, connect, end } = await serve({ atOnce: 1 });
    await connect('a0');
    (await connect('a1')).destroy();
    await connect('a2');
    await pause(50);
    await end('a0');
    expect(names()).toEqual(['a0', 'a2']);
  });

  test('requests behind others on one connection give their places back, too, when their client goes', async () => {
    const { names, connect } = await serve({ atOnce: 3 });
    const client = await connect('a0', 'a1', 'a2', 'a3');
    expect(names()).toEqual(['a0', 'a1', 'a2']);
    for (const name of numbered('b', 3)) await connect(name);
    client.destroy();
    while (names().length < 6) await pause(1);
    expect(names()).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2']);
  });

  test('a place is kept until the response has been taken', async () => {
    const { names, begun, connect } = await serve({ atOnce: 1 });
    const client = (await connect('a0')).pause();
    await connect('b0');
    const { response } = begun.get('a0')!;
    response.end(Buffer.alloc(32 * 1024 * 1024));
    await pause(50);
    expect([response.writableEnded, names()]).toEqual([true, ['a0']]);
    client.resume();
    await once(response, 'close');
    await settle();
    expect(names()).toEqual(['a0', 'b0']);
  });

  test('large requests wait for the end of others, beside their places', async () => {
    const { names, places, begun, connect, end } = await serve({}, { atOnce: 1 });
    for (const name of ['a0', 'a1', 'b0']) await connect(name);
    const large: string[] = [];
    const becomesLarge = async (name: string): Promise<void> => {
      await untilTurn(places.large, begun.get(name)!.request);
      large.push(name);
    };
    const all = [becomesLarge('a0'), becomesLarge('a1'), becomesLarge('b0')];
    await settle();
    expect(large).toEqual(['a0']);
    await connect('c0');
    expect(names()).toContain('c0');
    for (const name of ['a0', 'a1', 'b0']) await end(name);
    await Promise.all(all);
    expect(large).toEqual(['a0', 'a1', 'b0']);
  });

  test('a large request that waits too long is refused, and one whose client has gone keeps no turn', async () => {
    const { places, begun, connect, end } = await serve({}, { atOnce: 1, patienceMillis: 50 });
    const client = await connect('a0', 'a1');
    for (const name of ['b0', 'b1']) await connect(name);
    const turn = (name: string) => untilTurn(places.large, begun.get(name)!.request);
    await turn('b0');
    await expect(turn('b1')).rejects.toMatchObject({ code: 'unavailable' });
    client.destroy();
    await once(begun.get('a1')!.response, 'close');
    await end('b0');
    for (const name of ['a1', 'a0', 'b1']) await turn(name);
  });
});

// The scalars of the admin API: which texts are a DateTime, and which instant each of them is.
describe('scalars', () => {
  const read = (text: unknown): string => (scalars.DateTime.parseValue(text) as Date).toISOString();

  test.each([
    ['2026-03-01T09:30:00Z', '2026-03-01T09:30:00.000Z'],
    ['2026-03-01T09:30Z', '2026-03-01T09:30:00.000Z'],
    ['2026-03-01T09:30+01:00', '2026-03-01T08:30:00.000Z'],
    ['2026-03-01T09:30:00+0100', '2026-03-01T08:30:00.000Z'],
    ['2026-03-01T09:30:00-01', '2026-03-01T10:30:00.000Z'],
    ['2026-03-01t09:30:00z', '2026-03-01T09:30:00.000Z'],
    ['2026-03-01T09:30:00.9999999Z', '2026-03-01T09:30:00.999Z'],
    ['2026-03-01T09:30:00.29Z', '2026-03-01T09:30:00.290Z'],
    ['1969-12-31T23:59:59.001Z', '1969-12-31T23:59:59.001Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z'],
  ])('the DateTime %s is %s', (text, instant) => expect(read(text)).toBe(instant));

  test.each([
    '2026-03-01T09:30',
    '2026-03-01T09:30:00',
    '2026-03-01',
    '2026-02-30T09:30:00Z',
    '2026-03-01T24:00:00Z',
    '2026-03-01T09:30.5Z',
    '2026-03-01T09:30:00.Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '',
    1_772_357_400,
  ])('%j is no DateTime, and the message does not repeat it', (value) => {
    expect(() => read(value)).toThrow('It must be a date and time with an offset, in the years 0001 to 9999.');
  });
});

// The fields that a request selects, and the cost of finding them.
describe('selectedFields', () => {
  const rootFieldsOf = (document: DocumentNode) =>
    selectedRootFields(document, document.definitions[0] as OperationDefinitionNode);

  /** Counts how often the fragment's selections are read. */
  function countReads({ selectionSet }: FragmentDefinitionNode): () => number {
    const { selections } = selectionSet;
    let reads = 0;
    Object.defineProperty(selectionSet, 'selections', { get: () => ((reads += 1), selections) });
    return () => reads;
  }

  test('fields are found through fragments, inline ones and aliases, each once', () => {
    const document = parse(`{ ...A ... { other: id } id } fragment A on Query { me { name } ...B } 
    fragment B on Query { projects { id } }`);
    expect([...rootFieldsOf(document)].sort()).toEqual(['id', 'me', 'projects']);
  });

  test('fragments that double one another are each read once', () => {
    const chain = Array.from({ length: 12 }, (_, at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`);
    const document = parse(`{ ...F0 } ${chain.join(' ')} fragment F12 on Query { id }`);
    const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
    const reads = fragments.map(countReads);
    expect([...rootFieldsOf(document)]).toEqual(['id']);
    expect(reads.map((count) => count())).toEqual(reads.map(() => 1));
  });

  /** The info that the resolver of the first root field receives. */
  function infoOf(document: DocumentNode): GraphQLResolveInfo {
    const [operation, ...fragments] = document.definitions as [OperationDefinitionNode, ...FragmentDefinitionNode[]];
    return {
      fieldNodes: operation.selectionSet.selections as FieldNode[],
      fragments: Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment])),
    } as unknown as GraphQLResolveInfo;
  }

  test.each([
    ['{ list { action { payload } } }', true],
    ['{ list { action { type } } }', false],
    ['{ list { action { type } other: action { p: payload } } }', true],
    ['{ list { ...A } } fragment A on C { action { ...B } } fragment B on D { ... on D { payload } }', true],
    ['{ list { payload other { payload } } }', false],
  ])('%s asks for action.payload: %s', (query, expected) => {
    expect(selects(infoOf(parse(query)), 'action.payload')).toBe(expected);
  });
});

// The end of a long response: what is too long is refused before the reports see it.
describe('responseLimits', () => {
  type Finished = GraphQLRequestContextWillSendResponse<AdminContext>;

  const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ at, text: 'x'.repeat(1_000) }));

  /** What the plugins after it see, which Apollo calls in the same turn. */
  async function end(data: unknown) {
    const body = { kind: 'single', singleResult: { data } };
    const finished = { response: { body } } as unknown as Finished;
    const listener = (await responseLimits().requestDidStart!(finished)) as {
      willSendResponse(finished: Finished): Promise<void>;
    };
    const done = listener.willSendResponse(finished);
    const seen = body.singleResult as { data: unknown; errors?: { message: string }[] };
    await done;
    return seen;
  }

  test('ten megabytes go out as they are', async () => {
    const data = { rows: rows(10_000) };
    expect(await end(data)).toEqual({ data });
  });

  test('the reports see the refusal of a response that is too long', async () => {
    const { data, errors } = await end({ rows: rows(17_000) });
    expect(data).toBeNull();
    expect(errors).toHaveLength(1);
  });
});

// No message of the GraphQL library may repeat a value of the request, wherever the wrong value is.
describe('withoutValues', () => {
  const schema = buildSchema(`
  enum Color { RED }
  input I { email: String! password: String! color: Color count: Int list: [I!] }
  type Query { f(i: I): Int g(t: String, n: Int, b: Boolean, c: Color, id: ID): Int }
`);

  function ofVariables(value: unknown): readonly GraphQLError[] {
    const operation = parse('query ($i: I!) { f(i: $i) }').definitions[0] as OperationDefinitionNode;
    return getVariableValues(schema, operation.variableDefinitions!, { i: value }).errors ?? [];
  }

  /** The message sent for an error about a variable: the library keeps the original fault beside the message. */
  const told = ({ message, originalError }: GraphQLError) => withoutValues(message, originalError?.message);

  test.each<[string, unknown]>([
    ['an unknown field', { email: 'a', password: 'CANARY', extra: 1 }],
    ['a missing field', { password: 'CANARY' }],
    ['a wrong type', { email: 'a', password: ['CANARY'] }],
    ['a wrong number', { email: 'a', password: 'x', count: 'CANARY' }],
    ['a wrong enum', { email: 'a', password: 'x', color: 'CANARY' }],
    ['a text that imitates the message', { email: ' at "CANARY"; CANARY', password: 1 }],
    ['a text that ends as a value does', { email: 'a', password: ['x; CANARY'] }],
    ['a number that ends so', { email: 'a', password: 'x', count: 'x" at "CANARY"; CANARY' }],
    ['an enum that ends so', { email: 'a', password: 'x', color: '"; CANARY" does not exist in "CANARY" enum.' }],
    ['a key that ends so', { email: 'a', password: { '" at "i.CANARY"; CANARY': 1 } }],
    ['a nested one', { email: 'a', password: 'x', list: [{ email: 'CANARY' }] }],
    ['no object', 'CANARY'],
  ])('%s in a variable', (_name, value) => {
    const errors = ofVariables(value);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) {
      const { message } = error;
      expect(message).toContain(value === 'CANARY' || message.includes('CANARY') ? 'CANARY' : 'Variable');
      expect(told(error)).not.toContain('CANARY');
      expect(told(error)).toContain('Variable "$i" is not valid');
    }
  });

  test('of a literal that a scalar refuses with a reason, only the reason', () => {
    const scalar = buildSchema('scalar J type Query { f(j: J): Int }');
    const refuse = (): never => {
      throw new TypeError('It must be short.');
    };
    Object.assign(scalar.getType('J')!, { parseLiteral: refuse });
    const [error] = validate(scalar, parse('{ f(j: { k: "; CANARY" }) }'));
    expect(error!.message).toContain('CANARY');
    expect(told(error!)).toBe('Expected value of type "J": It must be short.');
  });

  test('the place and the reason stay', () => {
    const [error] = ofVariables({ email: 'a', password: ['CANARY'] });
    expect(told(error!)).toBe(
      'Variable "$i" is not valid at "i.password": String cannot represent a non string value.',
    );
  });

  test.each(['t: CANARY', 't: ["CANARY"]', 'n: "CANARY"', 'b: "CANARY"', 'c: CANARY', 'c: "CANARY"', 'id: CANARY'])(
    'a literal %s',
    (argument) => {
      const errors = validate(schema, parse(`{ g(${argument}) }`));
      expect(errors).toHaveLength(1);
      expect(errors[0]!.message).toContain('CANARY');
      expect(withoutValues(errors[0]!.message)).not.toContain('CANARY');
    },
  );

  test.each(['{ g "CANARY" }', '{ """CANARY""" g }', '{ g(n: 1 "CANARY\\" x") }', '{ g 123 }'])(
    'a document %s',
    (text) => {
      let message = '';
      try {
        parse(text);
      } catch (error) {
        message = (error as GraphQLError).message;
      }
      expect(message).toMatch(/CANARY|123/);
      expect(withoutValues(message)).toMatch(/^Syntax Error: .*(String|Int)\.$/);
    },
  );

  test('other messages stay as they are', () => {
    const message = 'Cannot query field "nothing" on type "Query".';
    expect(withoutValues(message)).toBe(message);
  });
});
