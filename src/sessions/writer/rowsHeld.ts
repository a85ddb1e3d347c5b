// The failure of a batch in which an upload has waited too long for a row on a node of a cluster.

/** Never thrown on plain PostgreSQL. */
export class RowsHeld extends Error {
  constructor(cause: unknown) {
    super('a row of the batch is held on a node', { cause });
  }
}
