// Which attribution reports others have superseded, in one walk over the reports of all devices (pure).

/** A report as the walk sees it: device by device, the last arrival first, of equal ones the smaller hash. */
export interface WalkedReport {
  deviceKey: string;
  /** In hexadecimal. */
  bodyHash: string;
  /** Its last arrival, and the first one: texts to the microsecond, which compare in the order of their times. */
  at: string;
  firstAt: string;
  /** The last arrival is older than reports are kept. */
  old: boolean;
  /** The payloads that it has. */
  payloads: string[];
}

/** Where the walk has come to. JSON keeps it between two batches. */
export interface WalkPosition {
  deviceKey: string;
  at: string;
  bodyHash: string;
  /** The device's latest report, which stays, and the first arrival that its row tells. */
  kept: { bodyHash: string; firstAt: string };
  /** The payloads of the device's reports so far: each has come later than those that follow. */
  seen: string[];
}

export interface WalkedBatch {
  superseded: WalkedReport[];
  /** The kept reports whose rows are to tell an earlier first arrival, that of a superseded report. */
  firsts: { deviceKey: string; bodyHash: string; firstAt: string }[];
  position: WalkPosition | null;
}

/**
 * A report is superseded when it is old and each of its payloads has come again later. The latest report of a device stays
 * whatever it has: it tells when the device was last seen.
 */
export function supersededReports(reports: readonly WalkedReport[], from: WalkPosition | null): WalkedBatch {
  const superseded: WalkedReport[] = [];
  const firsts = new Map<string, WalkedBatch['firsts'][number]>();
  let position = from;
  for (const report of reports) {
    const { deviceKey, at, bodyHash, firstAt, payloads } = report;
    const before = position?.deviceKey === deviceKey ? position : null;
    const kept = before?.kept ?? { bodyHash, firstAt };
    const goes = before !== null && report.old && payloads.every((payload) => before.seen.includes(payload));
    const seen = goes ? before.seen : [...new Set([...(before?.seen ?? []), ...payloads])];
    position = { deviceKey, at, bodyHash, kept, seen };
    if (!goes) continue;
    superseded.push(report);
    if (firstAt >= kept.firstAt) continue;
    position.kept = { ...kept, firstAt };
    firsts.set(deviceKey, { deviceKey, bodyHash: kept.bodyHash, firstAt });
  }
  return { superseded, firsts: [...firsts.values()], position };
}
