// The noun of owners: each policy as a table of sequences with the state after each step (schema.graphql, "Owners").
import {
  decideLine,
  firstDeviceOf,
  type Claim,
  type EntitlementPolicy,
  type LineFacts,
} from '../../src/purchases/lineHolders.ts';

const start = new Date('2026-09-10T00:00:00Z').getTime();

/** `phone1 as A`: an upload of the line by a device, under an external id or none. A minute passes before each. */
type Step = string;
/** The owner, and who holds the line: `A: phone1 as A, phone2 as A`; the owner is `-` for none. */
type State = string;

interface Terms extends Partial<Pick<LineFacts, 'accountToken' | 'ownership'>> {
  policy: EntitlementPolicy;
  /** How many of the steps come before the purchase. */
  early?: number;
  /** Other transactions that devices have named: `phone1 as A`. */
  elsewhere?: string[];
}

function read(step: Step): { deviceKey: string; externalId: string } {
  const [deviceKey, externalId = ''] = step.split(' as ');
  return { deviceKey: deviceKey!, externalId };
}

function claimsOf(steps: Step[], early: number): Claim[] {
  const claims = new Map<string, Claim>();
  for (const [index, step] of steps.entries()) {
    const at = new Date(start + (index + 1 - early) * 60_000 - 1);
    const { deviceKey, externalId } = read(step);
    const claim = claims.get(step) ?? {
      ...{ deviceKey, deviceId: deviceKey, externalId, arrivals: [] },
      purchasedAt: new Date(start),
    };
    claims.set(step, { ...claim, arrivals: [...claim.arrivals, at] });
  }
  return [...claims.values()];
}

function stateAfter(steps: Step[], { early = 0, elsewhere = [], ...terms }: Terms): State {
  const named = [...elsewhere, ...steps].map(read).filter(({ externalId }) => externalId !== '');
  const facts = { accountToken: null, ownership: 'PURCHASED' as const, ...terms, named };
  const claims = claimsOf(steps, early);
  const decision = decideLine({ ...facts, claims });
  // The order in which the database gives the claims says nothing.
  expect(decideLine({ ...facts, claims: claims.toReversed() })).toEqual(decision);
  const holders = decision.holders.map(({ deviceKey, externalId }) => deviceKey + (externalId && ` as ${externalId}`));
  return `${decision.owner?.externalId ?? '-'}: ${holders.join(', ')}`;
}

type Sequence = [string, Terms, [Step, State][]];

const token = '6F9619FF-8B86-D011-B42D-00C04FC964FF';
const buyer = token.toLowerCase();

test.each<Sequence>([
  [
    'KEEP: A buys, B restores, A restores on a second phone',
    { policy: 'KEEP' },
    [
      ['a1 as A', 'A: a1 as A'],
      ['b1 as B', 'A: a1 as A'],
      ['a2 as A', 'A: a1 as A, a2 as A'],
      ['b1 as B', 'A: a1 as A, a2 as A'],
    ],
  ],
  [
    'TRANSFER: A buys, B restores, A restores',
    { policy: 'TRANSFER' },
    [
      ['a1 as A', 'A: a1 as A'],
      ['b1 as B', 'B: b1 as B'],
      ['a1 as A', 'A: a1 as A'],
      ['a2 as A', 'A: a1 as A, a2 as A'],
      ['b1 as B', 'B: b1 as B'],
    ],
  ],
  [
    'SHARE: A buys, B restores, A restores',
    { policy: 'SHARE' },
    [
      ['a1 as A', 'A: a1 as A'],
      ['b1 as B', 'A: a1 as A, b1 as B'],
      ['a1 as A', 'A: a1 as A, b1 as B'],
    ],
  ],
  [
    'without external ids every device that named it holds it, under every policy',
    { policy: 'TRANSFER' },
    [
      ['x1', '-: x1'],
      ['x2', '-: x1, x2'],
    ],
  ],
  [
    'KEEP: who held it before it had an owner keeps it; who names it later without an id does not hold it',
    { policy: 'KEEP' },
    [
      ['x1', '-: x1'],
      ['a1 as A', 'A: a1 as A, x1'],
      ['x2', 'A: a1 as A, x1'],
      ['b1 as B', 'A: a1 as A, x1'],
    ],
  ],
  [
    'SHARE: likewise, and other ids hold it',
    { policy: 'SHARE' },
    [
      ['x1', '-: x1'],
      ['a1 as A', 'A: a1 as A, x1'],
      ['x2', 'A: a1 as A, x1'],
      ['b1 as B', 'A: a1 as A, b1 as B, x1'],
    ],
  ],
  [
    'TRANSFER: who held it before it had an owner loses it',
    { policy: 'TRANSFER' },
    [
      ['x1', '-: x1'],
      ['a1 as A', 'A: a1 as A'],
    ],
  ],
  [
    'an upload without an id is the owner’s from a device that the owner has used',
    { policy: 'KEEP', elsewhere: ['a2 as A', 'b1 as B'] },
    [
      ['a1 as A', 'A: a1 as A'],
      ['a1', 'A: a1, a1 as A'],
      ['a2', 'A: a1, a1 as A, a2'],
      ['b1', 'A: a1, a1 as A, a2'],
    ],
  ],
  [
    'one phone that A and B use',
    { policy: 'KEEP' },
    [
      ['phone as A', 'A: phone as A'],
      ['phone as B', 'A: phone as A'],
    ],
  ],
  [
    'the account token proves the owner, whoever uploaded first, without case',
    { policy: 'KEEP', accountToken: token },
    [
      ['b1 as B', `${token}: `],
      ['x1', `${token}: `],
      [`a1 as ${buyer}`, `${buyer}: a1 as ${buyer}`],
      ['b1 as B', `${buyer}: a1 as ${buyer}`],
    ],
  ],
  [
    'nobody takes it from the owner that the token proves, under TRANSFER',
    { policy: 'TRANSFER', accountToken: token },
    [
      [`a1 as ${buyer}`, `${buyer}: a1 as ${buyer}`],
      ['b1 as B', `${buyer}: a1 as ${buyer}`],
    ],
  ],
  [
    'under SHARE others hold it beside the owner that the token proves',
    { policy: 'SHARE', accountToken: token },
    [
      ['b1 as B', `${token}: b1 as B`],
      [`a1 as ${buyer}`, `${buyer}: a1 as ${buyer}, b1 as B`],
    ],
  ],
  [
    'a token that is no UUID is compared with case',
    { policy: 'KEEP', accountToken: 'Ann' },
    [
      ['a1 as ann', 'Ann: '],
      ['a2 as Ann', 'Ann: a2 as Ann'],
    ],
  ],
  [
    'an upload before the purchase does not bring it',
    { policy: 'KEEP', early: 2 },
    [
      ['thief as T', '-: '],
      ['thief', '-: '],
      ['a1 as A', 'A: a1 as A'],
      ['thief as T', 'A: a1 as A'],
    ],
  ],
  [
    'what is shared in a family does not move',
    { policy: 'TRANSFER', ownership: 'FAMILY_SHARED' },
    [
      ['a1 as A', 'A: a1 as A'],
      ['b1 as B', 'A: a1 as A'],
    ],
  ],
])('%s', (_, terms, sequence) => {
  const steps = sequence.map(([step]) => step);
  const states = steps.map((_step, index) => stateAfter(steps.slice(0, index + 1), terms));
  expect(states).toEqual(sequence.map(([, state]) => state));
});

test('the owner’s device is the one that first brought the line for him', () => {
  const claims = claimsOf(['x1', 'a1 as A', 'a2 as A', 'a1 as A'], 0);
  const facts = { claims, accountToken: null, ownership: 'PURCHASED' as const, named: [] };
  for (const policy of ['KEEP', 'TRANSFER', 'SHARE'] as const) {
    expect(decideLine({ ...facts, policy }).owner).toEqual({ externalId: 'A', deviceId: 'a1' });
  }
});

test('a change of the policy decides over all uploads anew', () => {
  const steps = ['a1 as A', 'b1 as B'];
  expect(stateAfter(steps, { policy: 'TRANSFER' })).toBe('B: b1 as B');
  expect(stateAfter(steps, { policy: 'SHARE' })).toBe('A: a1 as A, b1 as B');
  expect(stateAfter(steps, { policy: 'KEEP' })).toBe('A: a1 as A');
});

test('the device that first brought a line is known without an owner, and an upload before the purchase brings nothing', () => {
  const steps = ['phone1', 'phone2', 'phone1 as A'];
  expect(firstDeviceOf(claimsOf(steps, 0))).toBe('phone1');
  expect(firstDeviceOf(claimsOf(steps, 1))).toBe('phone2');
  expect(firstDeviceOf([])).toBeNull();
});
