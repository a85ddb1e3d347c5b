// Re-encrypting a column: every row in its turn, whatever their number, and no erased secret.
import { randomUUID } from 'node:crypto';
import { resealColumn } from '../../src/platform/database/reseal.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { testKey } from '../support/keys.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

const old = createEncryption(testKey('old'));
const encryption = createEncryption(testKey('new'), testKey('old'));
const notes = { table: 'notes', id: 'id', column: 'sealed' };
let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase({ empty: true });
  await database.pool.query('CREATE TABLE notes (id uuid NOT NULL, sealed bytea NOT NULL)');
});
afterEach(() => database.drop());

async function insert(rows: { id: string; sealed: Buffer }[]): Promise<void> {
  const values = [rows.map(({ id }) => id), rows.map(({ sealed }) => sealed)];
  await database.pool.query('INSERT INTO notes SELECT * FROM unnest($1::uuid[], $2::bytea[])', values);
}

const sealed = (id: string) => ({ id, sealed: Buffer.from(old.encrypt('a secret', id)) });

test('rows that stand in no order are all sealed anew', async () => {
  await insert(Array.from({ length: 1_200 }, () => sealed(randomUUID())));
  expect(await resealColumn(database.pool, encryption, notes)).toEqual({ resealed: 1_200, unreadable: 0 });
  expect(await resealColumn(database.pool, encryption, notes)).toEqual({ resealed: 0, unreadable: 0 });
});

test('an erased secret stays erased, and is not one that cannot be read', async () => {
  await insert([sealed(randomUUID()), { id: randomUUID(), sealed: Buffer.alloc(0) }]);
  expect(await resealColumn(database.pool, encryption, notes)).toEqual({ resealed: 1, unreadable: 0 });
  const { rowCount } = await database.pool.query("SELECT FROM notes WHERE sealed = ''");
  expect(rowCount).toBe(1);
});

test('those that cannot be read are counted once each, and left as they are beside the others', async () => {
  const lost = createEncryption(testKey('lost'));
  const rows = Array.from({ length: 600 }, () => randomUUID()).map((id, index) =>
    index % 2 ? sealed(id) : { id, sealed: Buffer.from(lost.encrypt('a secret', id)) },
  );
  await insert(rows);
  expect(await resealColumn(database.pool, encryption, notes)).toEqual({ resealed: 300, unreadable: 300 });
  expect(await resealColumn(database.pool, encryption, notes)).toEqual({ resealed: 0, unreadable: 300 });
  const { rows: left } = await database.pool.query<{ id: string; sealed: Buffer }>('SELECT id, sealed FROM notes');
  for (const { id, sealed: text } of left)
    expect(rows.findIndex((row) => row.id === id) % 2 ? encryption.decrypt(text, id) : lost.decrypt(text, id)).toBe(
      'a secret',
    );
});
