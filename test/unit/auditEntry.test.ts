// The told change of an object: only what has another value now.
import { changedFields } from '../../src/audit/auditEntry.ts';

interface Row {
  name: string;
  image: string | null;
}
const before: Row = { name: 'One', image: null };

test.each<[string, Row | null, Partial<Row>, object]>([
  ['another value', before, { name: 'Two' }, { name: { from: 'One', to: 'Two' } }],
  ['the same value', before, { name: 'One', image: null }, {}],
  ['an absent field', before, {}, {}],
  ['undefined, which is absent', before, { name: undefined } as Partial<Row>, {}],
  ['a cleared field', { ...before, image: 'i' }, { image: null }, { image: { from: 'i', to: null } }],
  ['an empty text, which is a value', before, { image: '' }, { image: { from: null, to: '' } }],
  ['a new object', null, { name: 'One', image: null }, { name: { from: null, to: 'One' } }],
])('%s', (_, row, edit, changes) => {
  expect(changedFields(row, edit)).toEqual(changes);
});
