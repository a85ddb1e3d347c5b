// The bytes that an upload of transaction ids adds to the tables, as quotas count them (pure; openapi.yaml, "Quotas").

/** Of a transaction with its job, and of a claim with the device's row: columns, keys and the fixed part of each row. */
const fixed = { transaction: 900, claim: 500 };
/** How often an id stands in rows and keys. */
const copies = { transaction: 5, claim: 4, device: 2 };

export interface AddedRows {
  /** Ids that no upload has named before. */
  transactions: readonly string[];
  /** Ids that this device has not named before under this external id. */
  claims: readonly string[];
}

export function reportBytes(
  { transactions, claims }: AddedRows,
  { deviceId, externalId }: { deviceId: string; externalId: string | null },
): number {
  const ofDevice = copies.device * (Buffer.byteLength(deviceId) + Buffer.byteLength(externalId ?? ''));
  return (
    bytesOf(transactions) * copies.transaction +
    transactions.length * fixed.transaction +
    bytesOf(claims) * copies.claim +
    claims.length * (fixed.claim + ofDevice)
  );
}

function bytesOf(ids: readonly string[]): number {
  return ids.reduce((sum, id) => sum + Buffer.byteLength(id), 0);
}
