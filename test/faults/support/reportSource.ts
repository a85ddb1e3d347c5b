// Uploads as devices make them: a few sessions each, some of them continued in the next upload, each with a newer state.
import type { RandomSource } from '../../tools/demo/simulation/randomSource.ts';
import { aDevice, anEvent, aReport, aSession, type Session, type SessionReport } from '../../support/uploads.ts';
import { uuidOf } from './seed.ts';

const devicesAtOnce = 24;
/** Then another device takes its place, so that a run meets devices that are new. */
const uploadsPerDevice = 20;

interface SimulatedDevice {
  id: string;
  uploads: number;
  session: Session | null;
}

export class ReportSource {
  readonly #random: RandomSource;
  readonly #campaignIds: string[];
  /** Their uploads may be under way together. */
  readonly #devices: SimulatedDevice[] = [];
  /** Their last upload is acknowledged. */
  readonly #idle: SimulatedDevice[] = [];

  constructor(random: RandomSource, campaignIds: string[] = []) {
    this.#random = random;
    this.#campaignIds = campaignIds;
  }

  /** An upload with `events` events, one to ten unless given. */
  next(events?: number): SessionReport {
    return this.#report(this.#device(), events);
  }

  /**
   * An upload of a device that has no other one under way, as an SDK sends them: exactly one state is right at the end. The
   * device sends no more until `acknowledged` is called.
   */
  nextInTurn(): { report: SessionReport; acknowledged: () => void } {
    const [known] = this.#idle.splice(this.#random.between(0, Math.max(0, this.#idle.length - 1)), 1);
    const device = known ?? this.#newDevice();
    const acknowledged = (): void => {
      if (device.uploads < uploadsPerDevice) this.#idle.push(device);
    };
    return { report: this.#report(device), acknowledged };
  }

  #report(device: SimulatedDevice, events = this.#random.between(1, 10)): SessionReport {
    device.uploads += 1;
    return aReport({
      user: { id: `user-${device.uploads}`, properties: [{ name: 'uploads', value: device.uploads }] },
      device: aDevice(device.id),
      sessions: [this.#session(device, events)],
    });
  }

  event() {
    const random = this.#random;
    const [campaignId] = random.shuffle(this.#campaignIds);
    const timestamp = 1_789_000_000 + random.between(0, 86_400);
    const fields = { id: uuidOf(random), timestamp, date: new Date(timestamp * 1_000).toISOString() };
    if (campaignId === undefined || random.chance(0.7)) return anEvent(fields);
    return anEvent({
      ...fields,
      type: 'system',
      ...(random.chance(0.5)
        ? { name: 'CampaignShown', params: [{ name: 'campaignId', value: campaignId }] }
        : { name: 'CampaignResolved', params: resolved(campaignId, random.pick(['Completed', 'Dismissed'])) }),
    });
  }

  #device(): SimulatedDevice {
    const position = this.#random.between(0, devicesAtOnce - 1);
    const known = this.#devices[position];
    if (known && known.uploads < uploadsPerDevice) return known;
    return (this.#devices[position] = this.#newDevice());
  }

  #newDevice(): SimulatedDevice {
    return { id: uuidOf(this.#random), uploads: 0, session: null };
  }

  #session(device: SimulatedDevice, events: number): Session {
    const goesOn = device.session !== null && this.#random.chance(0.5);
    const base = goesOn ? device.session! : aSession({ id: uuidOf(this.#random) });
    const finishDate = this.#random.chance(0.3) ? '2026-09-10T03:26:40+02:00' : null;
    device.session = finishDate === null ? base : null;
    return { ...base, finishDate, events: Array.from({ length: events }, () => this.event()) };
  }
}

function resolved(campaignId: string, result: string) {
  return [
    { name: 'campaignId', value: campaignId },
    { name: 'result', value: result },
  ];
}
