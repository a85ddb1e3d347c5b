// The told change of an object: only what has another value now.
import { changedFields } from '../../src/audit/auditEntry.ts';

interface Row {
  name: string;
  image: string | null;
}
const before: Row = { name: 'One', image: null };

interface Case {
  row: Row | null;
  edit: Partial<Row>;
  changes: object;
}

test.each<[string, Case]>([
  ['another value', { row: before, edit: { name: 'Two' }, changes: { name: { from: 'One', to: 'Two' } } }],
  ['the same value', { row: before, edit: { name: 'One', image: null }, changes: {} }],
  ['an absent field', { row: before, edit: {}, changes: {} }],
  ['undefined, which is absent', { row: before, edit: { name: undefined }, changes: {} }],
  [
    'a cleared field',
    { row: { ...before, image: 'i' }, edit: { image: null }, changes: { image: { from: 'i', to: null } } },
  ],
  ['an empty text, which is a value', { row: before, edit: { image: '' }, changes: { image: { from: null, to: '' } } }],
  ['a new object', { row: null, edit: { name: 'One', image: null }, changes: { name: { from: null, to: 'One' } } }],
])('%s', (_, { row, edit, changes }) => {
  expect(changedFields(row, edit)).toEqual(changes);
});
