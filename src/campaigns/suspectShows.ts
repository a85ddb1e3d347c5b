// How many shows of one device on one day are beyond what the frequency allows (pure).

export interface DeviceShows {
  shows: number;
  /** The smaller cap of a day and of all time; null without one. */
  most: number | null;
  perSession: number | null;
  /** A show arrived in a session of an earlier day, which counts as one more session. */
  continued: boolean;
}

/** `sessions` of the device have first arrived on the day. `addCampaignShows` does the same in SQL. */
export function suspectShows({ shows, most, perSession, continued }: DeviceShows, sessions: number): number {
  const bySession = perSession === null ? Infinity : perSession * (sessions + (continued ? 1 : 0));
  return Math.max(0, shows - Math.min(most ?? Infinity, bySession));
}
