// The oracle of device states in the fault tests: it allows exactly the states that openapi.yaml, "User and device state", leaves open.
import { jest } from '@jest/globals';
import { DeviceStates } from '../faults/support/deviceStates.ts';
import { aDevice, aReport } from '../support/uploads.ts';

const second = 1_789_000_000;
const device = aDevice('d');

/** Times are in seconds after `second`; without `acknowledged` no 200 came. */
interface Sent {
  signed: number;
  sent: number;
  acknowledged?: number;
}

/** Upload n is of user `n`. Answers the users that the oracle takes for right. */
function allowed(uploads: Sent[]): string[] {
  const states = new DeviceStates();
  const at = (seconds: number) => jest.setSystemTime((second + seconds) * 1_000);
  const moments = uploads.flatMap(({ signed, sent, acknowledged }, index) => {
    const user = { id: String(index) };
    const [timestamp, nonce] = [second + signed, String(index)];
    const ends = acknowledged === undefined ? [] : [{ time: acknowledged, act: () => states.acknowledged('d', nonce) }];
    return [{ time: sent, act: () => states.sent(aReport({ user, device }), { timestamp, nonce }) }, ...ends];
  });
  for (const { time, act } of moments.sort((a, b) => a.time - b.time)) {
    at(time);
    act();
  }
  const isRight = (stored: Map<string, { userId: string; uploads: null }>) => states.problems(stored).length === 0;
  const users = uploads.map((_, index) => String(index));
  return [
    ...users.filter((userId) => isRight(new Map([['d', { userId, uploads: null }]]))),
    ...(isRight(new Map()) ? ['nothing'] : []),
  ];
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test.each<[string, Sent[], string[]]>([
  [
    'an upload after the 200 of another',
    [
      { signed: 0, sent: 0.1, acknowledged: 0.2 },
      { signed: 0, sent: 0.2, acknowledged: 0.3 },
    ],
    ['1'],
  ],
  [
    'two that were under way together',
    [
      { signed: 0, sent: 0.1, acknowledged: 0.3 },
      { signed: 0, sent: 0.2, acknowledged: 0.4 },
    ],
    ['0', '1'],
  ],
  [
    'two of one second that both arrive after it',
    [
      { signed: 0, sent: 5, acknowledged: 6 },
      { signed: 0, sent: 6, acknowledged: 7 },
    ],
    ['1'],
  ],
  [
    'an earlier second that arrives later',
    [
      { signed: 9, sent: 9.1, acknowledged: 9.2 },
      { signed: 5, sent: 9.3, acknowledged: 9.4 },
    ],
    ['0'],
  ],
  [
    'a fast clock, then the right one',
    [
      { signed: 240, sent: 0.1, acknowledged: 0.2 },
      { signed: 0, sent: 0.3, acknowledged: 0.4 },
    ],
    ['1'],
  ],
  [
    'one without a response before another',
    [
      { signed: 0, sent: 0.1 },
      { signed: 0, sent: 0.3, acknowledged: 0.4 },
    ],
    ['0', '1'],
  ],
  [
    'one without a response of an earlier second',
    [
      { signed: 0, sent: 0.1 },
      { signed: 1, sent: 1.3, acknowledged: 1.4 },
    ],
    ['1'],
  ],
  [
    'one without a response after another',
    [
      { signed: 0, sent: 0.1, acknowledged: 0.2 },
      { signed: 0, sent: 0.3 },
    ],
    ['0', '1'],
  ],
  ['only one without a response', [{ signed: 0, sent: 0.1 }], ['0', 'nothing']],
])('%s', (_, uploads, users) => {
  expect(allowed(uploads)).toEqual(users);
});

test('a copy of one upload is not another one, and its first 200 counts', () => {
  const states = new DeviceStates();
  const [first, other] = ['a', 'b'].map((id) => aReport({ user: { id }, device }));
  const send = (report: typeof first, nonce: string, time: number) => {
    jest.setSystemTime((second + time) * 1_000);
    states.sent(report!, { timestamp: second, nonce });
    states.acknowledged('d', nonce);
  };
  send(first, '1', 0.1);
  send(other, '2', 0.2);
  send(first, '1', 0.3);
  expect(states.problems(new Map([['d', { userId: 'b', uploads: null }]]))).toEqual([]);
  expect(states.problems(new Map([['d', { userId: 'a', uploads: null }]]))).toHaveLength(1);
  expect(states.problems(new Map([['e', { userId: 'a', uploads: null }]]))).toHaveLength(2);
});
