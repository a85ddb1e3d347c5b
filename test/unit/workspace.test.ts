// The applications in memory, when the database responds late or not at all.
import { jest } from '@jest/globals';
import { changedFields } from '../../src/audit/audit.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import {
  createApplicationDirectory,
  createKeyUses,
  type KeyedApplication,
  type KeyUse,
  newApiKey,
} from '../../src/workspace/applicationDirectory.ts';
import { isKnownTimeZone } from '../../src/workspace/timeZone.ts';

describe('applicationDirectory', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => void jest.useRealTimers());

  /** Look-ups that the test completes one by one. */
  function directory() {
    const lookUps: { response: (id: string | null) => void; fail: () => void }[] = [];
    const directory = createApplicationDirectory(
      () =>
        new Promise((resolve, reject) =>
          lookUps.push({
            response: (id) => resolve(id === null ? null : ({ id } as KeyedApplication)),
            fail: () => reject(new Error('away')),
          }),
        ),
    );
    const find = async (key = 'key') => (await directory.find(key))?.id ?? null;
    return { lookUps, find };
  }

  test('what is asked at once is looked up once, and remembered for half a second', async () => {
    const { lookUps, find } = directory();
    const responses = Promise.all([find(), find()]);
    lookUps[0]!.response('one');
    expect(await responses).toEqual(['one', 'one']);
    jest.advanceTimersByTime(450);
    expect(await find()).toBe('one');
    expect(lookUps.length).toBe(1);
    jest.advanceTimersByTime(100);
    void find();
    expect(lookUps.length).toBe(2);
  });

  test('a look-up that began more than half a second ago serves nobody who comes now, and is not remembered', async () => {
    const { lookUps, find } = directory();
    const early = find();
    jest.advanceTimersByTime(600);
    const late = find();
    lookUps[0]!.response('one');
    expect(await early).toBe('one');
    lookUps[1]!.response(null);
    expect(await late).toBe(null);
    expect(await find()).toBe(null);
    expect(lookUps.length).toBe(2);
  });

  test('a failed look-up is not remembered, and does not make a later one be forgotten', async () => {
    const { lookUps, find } = directory();
    const failing = find();
    jest.advanceTimersByTime(600);
    const late = find();
    lookUps[0]!.fail();
    await expect(failing).rejects.toThrow('away');
    lookUps[1]!.response('one');
    expect([await late, await find()]).toEqual(['one', 'one']);
    expect(lookUps.length).toBe(2);
    const other = find('other');
    lookUps[2]!.fail();
    await expect(other).rejects.toThrow('away');
    void find('other');
    expect(lookUps.length).toBe(4);
  });

  test('what is longer than any key is nobody, and not looked up', async () => {
    const { lookUps, find } = directory();
    expect(await find('x'.repeat(257))).toBe(null);
    expect(lookUps.length).toBe(0);
  });
});

// The form of API keys.
describe('apiKey', () => {
  test('a key has a prefix that scanners know and 32 base62 characters', () => {
    for (let i = 0; i < 200; i++) {
      const key = newApiKey();
      expect(key.public).toMatch(/^pub_[0-9A-Za-z]{32}$/);
      expect(key.secret).toMatch(/^sec_[0-9A-Za-z]{32}$/);
    }
  });

  test('keys do not repeat, the secret is not the public part, and every character is used', () => {
    const keys = Array.from({ length: 500 }, newApiKey);
    const parts = keys.flatMap((key) => [key.public.slice(4), key.secret.slice(4)]);
    expect(new Set(parts).size).toBe(1_000);
    expect(new Set(parts.join('')).size).toBe(62);
  });
});

// The last uses of API keys, collected between the requests and the database: the latest use counts, and a failure loses none.
describe('keyUses', () => {
  const log = createLog('silent');
  const at = (second: number) => new Date(1_789_000_000_000 + second * 1_000);
  const use = (publicKey: string, second: number): KeyUse => ({ publicKey, at: at(second) });

  test('of each key the latest use is written, once', async () => {
    const written: KeyUse[][] = [];
    const uses = createKeyUses({ save: async (batch) => void written.push(batch), log });
    for (const [key, second] of [
      ['a', 2],
      ['b', 1],
      ['a', 3],
      ['a', 1],
    ] as const)
      uses.note(use(key, second));
    await uses.stop();
    await uses.stop();
    expect(written).toEqual([[use('a', 3), use('b', 1)]]);
  });

  test('what could not be written is written with what came since', async () => {
    const written: KeyUse[][] = [];
    let away = true;
    let tried = (): void => undefined;
    const failed = new Promise<void>((resolve) => (tried = resolve));
    const save = async (batch: KeyUse[]): Promise<void> => {
      if (away) {
        tried();
        throw new Error('away');
      }
      written.push(batch);
    };
    const uses = createKeyUses({ save, log, everyMillis: 5 });
    uses.note(use('a', 1));
    uses.note(use('b', 1));
    await failed;
    uses.note(use('a', 2));
    away = false;
    await uses.stop();
    expect(written).toEqual([[use('a', 2), use('b', 1)]]);
  });

  test('a writing under way is waited for, and what came meanwhile follows it', async () => {
    const order: string[] = [];
    let finish = (): void => undefined;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const save = async ([first]: KeyUse[]): Promise<void> => {
      order.push(`begin ${first!.publicKey}`);
      begin();
      if (first!.publicKey === 'a') await slow;
      order.push(`end ${first!.publicKey}`);
    };
    const uses = createKeyUses({ save, log, everyMillis: 5 });
    uses.note(use('a', 1));
    await begun;
    uses.note(use('b', 1));
    const stopped = uses.stop();
    expect(order).toEqual(['begin a']);
    finish();
    await stopped;
    expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b']);
  });

  test('without being told how often, what is noted is written every 20 seconds', async () => {
    jest.useFakeTimers();
    const written: KeyUse[][] = [];
    const uses = createKeyUses({ save: async (batch) => void written.push(batch), log });
    for (const second of [1, 2]) {
      uses.note(use('a', second));
      await jest.advanceTimersByTimeAsync(20_000);
      expect(written).toHaveLength(second);
    }
    await uses.stop();
    jest.useRealTimers();
  });
});

// The names of time zones that the process knows.
describe('timeZone', () => {
  test.each(['UTC', 'Europe/Berlin', 'europe/berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+1', 'Asia/Calcutta'])(
    '%s is known',
    (name) => {
      expect(isKnownTimeZone(name)).toBe(true);
    },
  );

  test.each(['', ' UTC', '+01:00', 'Europe', 'Europe/Nowhere', 'GMT+1', 'UTC\0', `UTC${'x'.repeat(64)}`])(
    '"%s" is refused',
    (name) => {
      expect(isKnownTimeZone(name)).toBe(false);
    },
  );
});

// The change that an audit entry records: only fields with a new value.
describe('auditEntry', () => {
  interface Row {
    name: string;
    image: string | null;
  }
  const before: Row = { name: 'One', image: null };

  test.each<
    [string, { row?: Row | null; edit: Partial<Record<keyof Row, string | null | undefined>>; changes: object }]
  >([
    ['another value', { edit: { name: 'Two' }, changes: { name: { from: 'One', to: 'Two' } } }],
    ['the same value', { edit: { name: 'One', image: null }, changes: {} }],
    ['an absent field', { edit: {}, changes: {} }],
    ['undefined, which is absent', { edit: { name: undefined }, changes: {} }],
    [
      'a cleared field',
      { row: { ...before, image: 'i' }, edit: { image: null }, changes: { image: { from: 'i', to: null } } },
    ],
    ['an empty text, which is a value', { edit: { image: '' }, changes: { image: { from: null, to: '' } } }],
    ['a new object', { row: null, edit: { name: 'One', image: null }, changes: { name: { from: null, to: 'One' } } }],
  ])('%s', (_, { row = before, edit, changes }) => {
    expect(changedFields<object>(row, edit)).toEqual(changes);
  });
});
