// The change that an audit entry records: only fields with a new value.
import { changedFields } from '../../src/audit/auditEntry.ts';

interface Row {
  name: string;
  image: string | null;
}
const before: Row = { name: 'One', image: null };

test.each<[string, { row?: Row | null; edit: Partial<Record<keyof Row, string | null | undefined>>; changes: object }]>(
  [
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
  ],
)('%s', (_, { row = before, edit, changes }) => {
  expect(changedFields<object>(row, edit)).toEqual(changes);
});
