// Which uploaded transactions are looked up, and in which line they wait (pure): openapi.yaml, "Look-up in the store".

/** A stored transaction that an upload names. */
export interface NamedTransaction {
  id: string;
  /** This upload has stored it. */
  isNew: boolean;
  /** No upload of this device has named it before. */
  isNewToDevice: boolean;
  state: string;
  reason: string | null;
  behind: boolean;
  /** It waits in front for this device. */
  takesRoom: boolean;
  lastLookedUpAt: Date | null;
}

export interface Line {
  /** A proven device's transactions come before those of the others. */
  proven: boolean;
  /** For a proven device, how many of its transactions may wait in front; for the others, how many more may wait at all. */
  places: number;
  /** How many more of a proven device may wait behind. */
  further?: number;
  now: Date;
}

export interface Placed {
  id: string;
  /** Null: stored without a job until a place is free. */
  behind: boolean | null;
  /** A look-up is asked for now. Without, the transaction moves forward for the look-up that comes anyway. */
  asks: boolean;
}

/** A look-up so long ago is repeated when the id is uploaded again. */
const againAfterMillis = 60_000;

/** The transactions whose look-up begins now or whose place changes, in the order given. The others stay as they are. */
export function lineUp(named: NamedTransaction[], { proven, places, further = 0, now }: Line): Placed[] {
  let free = proven ? places - named.filter(({ takesRoom }) => takesRoom).length : places;
  let freeBehind = further;
  return named.flatMap((one): Placed[] => {
    const { id, isNew } = one;
    const asks = isAsked(one, { proven, now });
    const forward = proven && one.behind && one.state === 'PENDING';
    if (!asks && !forward) return [];
    const inTime = free > 0;
    if (inTime) free -= 1;
    if (!asks) return inTime ? [{ id, behind: false, asks: one.reason === null && one.lastLookedUpAt === null }] : [];
    // Nobody can move back what waits in front already.
    const inFront = !isNew && one.state === 'PENDING' && !one.behind;
    if (inFront || (proven && inTime)) return [{ id, behind: false, asks }];
    if (inTime || (proven && freeBehind-- > 0)) return [{ id, behind: true, asks }];
    return isNew ? [{ id, behind: null, asks: false }] : [];
  });
}

function isAsked(
  { isNew, isNewToDevice, state, reason, lastLookedUpAt }: NamedTransaction,
  { proven, now }: Pick<Line, 'proven' | 'now'>,
): boolean {
  if (isNew || reason === 'waiting_in_line') return true;
  if (lastLookedUpAt === null) return state !== 'PENDING';
  // An id that somebody named before it was sold is its buyer's at his upload.
  if (proven && isNewToDevice && (reason === 'not_known_yet' || state === 'NOT_FOUND')) return true;
  return now.getTime() - lastLookedUpAt.getTime() > againAfterMillis;
}
