// Who may change which field of a user, as a table, and the allowed changes of a status.
import { isActiveOwner, mayChange, statusMayBecome, type WantedChange } from '../../src/accounts/userChange.ts';
import { roles } from '../../src/workspace/caller.ts';

const user = {
  id: 'u',
  organizationId: 'o',
  email: 'ann@example.com',
  name: null,
  role: 'editor' as const,
  avatar: null,
};
const wanted: WantedChange = { own: false, rights: true, grantsOwner: false, of: 'editor' };

test.each<[string, Partial<WantedChange>, string[]]>([
  ['their own name', { own: true, rights: false }, ['viewer', 'editor', 'admin', 'owner']],
  ['their own role', { own: true }, ['admin', 'owner']],
  ["another's name", { rights: false }, ['admin', 'owner']],
  ["another's role", {}, ['admin', 'owner']],
  ['anything of an owner', { rights: false, of: 'owner' }, ['owner']],
  ['anybody into an owner', { grantsOwner: true }, ['owner']],
  ['somebody not yet looked up', { of: undefined }, ['admin', 'owner']],
])('%s is changed by', (_, change, by) => {
  expect(roles.filter((role) => mayChange(role, { ...wanted, ...change }))).toEqual(by);
});

test('the moves of a status that an edit can make', () => {
  const moves = [];
  for (const status of ['active', 'invited', 'disabled'] as const) {
    for (const accepted of [true, false]) {
      for (const next of ['active', 'invited', 'disabled'] as const) {
        const of = { status, id: accepted ? 'u' : null };
        if (statusMayBecome(of, next)) moves.push(`${status} ${accepted} ${next}`);
      }
    }
  }
  expect(moves).toEqual([
    ...['active true active', 'active true disabled', 'active false active', 'active false disabled'],
    ...['invited true invited', 'invited true disabled', 'invited false invited', 'invited false disabled'],
    ...['disabled true active', 'disabled true disabled', 'disabled false disabled'],
  ]);
});

test('an owner who is invited or disabled does not count', () => {
  const owner = { ...user, role: 'owner' as const };
  expect([isActiveOwner({ ...owner, status: 'active' }), isActiveOwner({ ...owner, status: 'invited' })]).toEqual([
    true,
    false,
  ]);
  expect(isActiveOwner({ ...user, status: 'active' })).toBe(false);
});
