// The noun of entitlement events: which a change of a line makes, and in which order.
import { entitlementEvents, toldOf, type ToldChange } from '../../src/purchases/entitlementEvents.ts';
import type { Holder, Owner } from '../../src/purchases/lineHolders.ts';

const now = new Date('2026-09-10T00:00:00Z');
const later = (millis: number) => new Date(now.getTime() + millis);
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

type Line = ToldChange['after'];

/** Told active, in a period of 30 days that began ten days ago. */
const line: Line = {
  ...{ kind: 'AUTO_RENEWABLE', revokedAt: null, autoRenew: true, inBillingRetry: false, graceExpiresAt: null },
  ...{ purchasedAt: later(-10 * day), expiresAt: later(20 * day), lookedUpAt: later(-day), durationDays: null },
  ...{ owner: null, toldActive: true, transactionId: '1', beginsAt: null, ended: false },
};
const next = { purchasedAt: later(-minute), expiresAt: later(30 * day) };
const untold = { toldActive: false };
const ended = { ...untold, expiresAt: later(-day), lookedUpAt: later(-hour) };
const nobody: ToldChange['holders'] = { before: [], after: [] };

const [activated, renewed, expired, revoked, transferred] = [
  'ENTITLEMENT_ACTIVATED',
  'ENTITLEMENT_RENEWED',
  'ENTITLEMENT_EXPIRED',
  'ENTITLEMENT_REVOKED',
  'ENTITLEMENT_TRANSFERRED',
];

describe('the course of a line', () => {
  // What was stored before (null: a new line), what is stored after, the events.
  test.each<[string, Partial<Line> | null, Partial<Line>, string[]]>([
    ['first activation', null, untold, [activated]],
    ['a line first heard of after its end', null, ended, []],
    ['a line first heard of after its refund', null, { ...untold, revokedAt: now }, []],
    ['a purchase without an end', null, { ...untold, kind: 'NON_CONSUMABLE', expiresAt: null }, [activated]],
    ['the same once more', {}, {}, []],
    ['the same once more after the end', ended, ended, []],
    ['a renewal inside the period', {}, next, [renewed]],
    ['a renewal found late, before the end was told', { expiresAt: later(-minute) }, next, [renewed]],
    ['a renewal found late, after the end was told', ended, { ...next, ...untold }, [activated]],
    ['a purchase long after the end', { ...ended, expiresAt: later(-5 * day) }, { ...next, ...untold }, [activated]],
    ['an upgrade, which may end earlier', {}, { purchasedAt: later(-1), expiresAt: later(7 * day) }, [renewed]],
    ['an end that the store has moved away', {}, { expiresAt: later(25 * day) }, [renewed]],
    ['an end that the store has moved nearer', {}, { expiresAt: later(15 * day) }, []],
    ['auto-renew turned off', {}, { autoRenew: false }, []],
    [
      'grace begins',
      { expiresAt: later(-minute) },
      { expiresAt: later(-minute), inBillingRetry: true, graceExpiresAt: later(day), lookedUpAt: now },
      [],
    ],
    [
      'billing retry without grace',
      { expiresAt: later(-minute) },
      { expiresAt: later(-minute), inBillingRetry: true, lookedUpAt: now },
      [expired],
    ],
    [
      'billing retry after grace',
      { expiresAt: later(-day), inBillingRetry: true, graceExpiresAt: now },
      { expiresAt: later(-day), inBillingRetry: true, graceExpiresAt: now, lookedUpAt: now },
      [expired],
    ],
    [
      'the price is collected in billing retry',
      { ...ended, inBillingRetry: true },
      { ...next, ...untold },
      [activated],
    ],
    ['the price is collected in grace', { expiresAt: later(-minute), graceExpiresAt: later(day) }, next, [renewed]],
    ['expiry', { expiresAt: later(-1), autoRenew: false }, { expiresAt: later(-1), autoRenew: false }, [expired]],
    ['an end whose look-up is outstanding', { expiresAt: later(-minute) }, { expiresAt: later(-minute) }, []],
    ['so for an hour', { expiresAt: later(-hour), lookedUpAt: later(-day) }, { expiresAt: later(-hour) }, [expired]],
    [
      'a renewal that has ended too',
      { expiresAt: later(-9 * day) },
      { ...next, purchasedAt: later(-9 * day), expiresAt: later(-minute), lookedUpAt: now },
      [expired],
    ],
    [
      'another product in place of a renewal that was bought after it',
      { ...next, transactionId: '2' },
      { purchasedAt: later(-day), expiresAt: later(10 * day), transactionId: '3' },
      [renewed],
    ],
    ['revocation', {}, { revokedAt: now }, [revoked]],
    ['the same revocation with another date', { revokedAt: later(-1) }, { revokedAt: now, ...untold }, []],
    ['a renewal that was refunded', {}, { ...next, revokedAt: now }, [revoked]],
    ['revocation undone', { revokedAt: now }, untold, [activated]],
    ['revocation undone after the end', { ...ended, revokedAt: later(-hour) }, ended, []],
    ['a new purchase after a revocation', { revokedAt: later(-day) }, { ...next, ...untold }, [activated]],
    ['a refund after expiry', ended, { ...ended, revokedAt: now }, [revoked]],
    ['a later period after expiry, bought and refunded', ended, { ...next, ...untold, revokedAt: now }, []],
    [
      'a refund of an end that nobody has told',
      { expiresAt: later(-1) },
      { expiresAt: later(-1), revokedAt: now },
      [revoked],
    ],
  ])('%s', (_, ...[before, after, events]) => {
    const change = { before: before && { ...line, ...before }, after: { ...line, ...after }, holders: nobody };
    expect(entitlementEvents(change, now)).toEqual(events);
  });

  const pass = { kind: 'NON_RENEWING', purchasedAt: later(-10 * day), expiresAt: null } as const;
  test.each<[string, Partial<Line>, string[]]>([
    ['that lasts', { durationDays: 30 }, []],
    ['that an edit has ended', { durationDays: 10 }, [expired]],
    ['that an edit lets go on', { durationDays: 11, ...untold }, [activated]],
    ['that an edit lets go on for ever', { durationDays: null, ...untold }, [activated]],
    ['that has ended as before', { durationDays: 10, ...untold }, []],
  ])('a product with a duration, %s', (_, fields, events) => {
    const stored = { ...line, ...pass, ...fields };
    expect(entitlementEvents({ before: stored, after: stored, holders: nobody }, now)).toEqual(events);
  });
});

describe('who has it', () => {
  const [id, upper] = ['0a8f3d6e-7c1a-4b3e-9a51-2f0c6d1e4b90', '0A8F3D6E-7C1A-4B3E-9A51-2F0C6D1E4B90'];
  const owner = (externalId: string, deviceId: string | null = 'd'): Owner => ({ externalId, deviceId });
  const held = (...names: string[]): Holder[] =>
    names.map((name) => ({ deviceKey: name.split(' ')[0]!, externalId: name.split(' ')[1] ?? '' }));

  test.each<[string, Owner | null, Owner | null, Holder[], Holder[], string[]]>([
    ['a first owner', null, owner('A'), held('1'), held('1', '2 A'), [transferred]],
    ['another owner', owner('A'), owner('B'), held('1 A'), held('2 B'), [transferred]],
    ['no owner any more', owner('A'), null, held('1 A'), [], [transferred]],
    ['the same owner', owner('A'), owner('A'), held('1 A'), held('1 A'), []],
    ['another device of the owner', owner('A'), owner('A'), held('1 A'), held('1 A', '2 A'), []],
    ['somebody who shares it', owner('A'), owner('A'), held('1 A'), held('1 A', '2 B'), []],
    ['somebody who shares it no longer', owner('A'), owner('A'), held('1 A', '2 B'), held('1 A'), [transferred]],
    ['another device without an owner', null, null, held('1'), held('1', '2'), []],
    ['the first device of the account token', owner(id, null), owner(upper), [], held(`1 ${upper}`), []],
  ])('%s', (_, ...[before, after, holdersBefore, holdersAfter, events]) => {
    const change: ToldChange = {
      ...{ before: { ...line, owner: before }, after: { ...line, owner: after } },
      holders: { before: holdersBefore, after: holdersAfter },
    };
    expect(entitlementEvents(change, now)).toEqual(events);
  });

  test('of a new line nothing is transferred', () => {
    const after = { ...line, ...untold, owner: owner('A') };
    expect(entitlementEvents({ before: null, after, holders: { before: [], after: held('1 A') } }, now)).toEqual([
      activated,
    ]);
  });

  test('what became of it comes before whose it is', () => {
    const holders = { before: held('1 A'), after: held('2 B') };
    const before = { ...line, owner: owner('A') };
    const to = (fields: Partial<Line>) =>
      entitlementEvents({ before, after: { ...line, owner: owner('B'), ...fields }, holders }, now);
    expect(to(next)).toEqual([renewed, transferred]);
    expect(to({ revokedAt: now })).toEqual([revoked, transferred]);
    expect(to({ expiresAt: later(-hour), autoRenew: false })).toEqual([expired, transferred]);
  });
});

describe('after the events', () => {
  test.each<[string, Partial<Line>, boolean, Date | null]>([
    ['the end is told by the clock', {}, true, later(20 * day)],
    ['an hour later where the store is to be asked', { autoRenew: true }, true, later(20 * day + hour)],
    [
      'the end of grace',
      { expiresAt: later(-day), graceExpiresAt: later(day), inBillingRetry: true },
      true,
      later(day),
    ],
    ['nothing where it does not end', { expiresAt: null }, true, null],
    ['nothing of a line that has ended', { expiresAt: now }, false, null],
    ['nothing of a line that was revoked', { revokedAt: now }, false, null],
    ['the end of a duration', { kind: 'NON_RENEWING', expiresAt: null, durationDays: 30 }, true, later(20 * day)],
    ['a minute before the next begin', { beginsAt: later(day) }, true, later(day - minute)],
    ['an end before the next begin', { beginsAt: later(30 * day) }, true, later(20 * day)],
    ['the next begin after an end', { expiresAt: later(-1), beginsAt: later(day) }, false, later(day - minute)],
  ])('%s', (_, fields, ...[toldActive, tellAt]) => {
    expect(toldOf({ ...line, autoRenew: false, ...fields }, now)).toEqual({ toldActive, tellAt });
  });
});
