// Runs a fleet against a service that is away for a while, in ticks of simulated time, and counts what comes after its return.
import { randomSource } from '../../tools/demo/simulation/randomSource.ts';
import { SimulatedFleet, type FleetName } from './simulatedFleet.ts';
import { SimulatedService, type ServiceModel } from './simulatedService.ts';

export interface Outage {
  fleet: FleetName;
  devices: number;
  service: ServiceModel;
  awayMinutes: number;
  /** Who refuses meanwhile: the service, whose database is away, or nobody, because its processes are gone. */
  away: 'database' | 'processes';
}

export interface AfterReturn {
  /** The most requests a second, as a mean of ten seconds. */
  peakPerSecond: number;
  refused: number;
  /** Of the last minute of the simulation. */
  refusedAtTheEnd: number;
  /** The time until 99 % and all of the devices have delivered what they had recorded before the return; null for never. */
  seconds99: number | null;
  secondsAll: number | null;
}

const tickMillis = 20;
/** The devices' first minute, in which each has sent once. */
const beforeMillis = 60_000;
/** How long the simulation goes on after the return. */
const afterSeconds = 600;

export function simulateOutage({ devices, awayMinutes, away, ...outage }: Outage): AfterReturn {
  const random = randomSource(1, 'outage');
  let now = 0;
  const clock = { uptime: () => now, random: random.next };
  const fleet = new SimulatedFleet(devices, outage.fleet, clock);
  const service = new SimulatedService(outage.service, clock);
  const requests = calendar();
  /** A device learns of its failure after the service's delay: only then its wait begins. */
  const failures = calendar();
  const waits = new Uint16Array(devices);
  const returnsAt = beforeMillis + awayMinutes * 60_000;
  const count = countAfter(returnsAt, devices);
  const send = (device: number): void => {
    count.request(now);
    if (service.isAway && away === 'processes') return requests.add(device, fleet.failed(device, null));
    const told = service.receive(device);
    if (told === 'queued') return;
    count.refusal(now);
    waits[device] = told.retryAfterSeconds;
    failures.add(device, now + service.delaySeconds * 1_000);
  };
  for (let device = 0; device < devices; device++) requests.add(device, fleet.firstAt(device));
  for (; now < returnsAt + afterSeconds * 1_000; now += tickMillis) {
    service.isAway = now >= beforeMillis && now < returnsAt;
    for (const device of failures.take(now)) requests.add(device, fleet.failed(device, String(waits[device])));
    for (const device of requests.take(now)) send(device);
    for (const device of service.work(tickMillis / 1_000)) {
      count.storing(device, now);
      requests.add(device, fleet.stored(device));
    }
  }
  return count.result();
}

/** The devices that are due, by tick. */
function calendar() {
  const ticks: (number[] | undefined)[] = [];
  let taken = -1;
  return {
    add(device: number, at: number): void {
      const tick = Math.max(taken + 1, Math.ceil(at / tickMillis));
      (ticks[tick] ??= []).push(device);
    },
    take(now: number): number[] {
      taken = Math.round(now / tickMillis);
      const devices = ticks[taken] ?? [];
      ticks[taken] = undefined;
      return devices;
    },
  };
}

function countAfter(returnsAt: number, devices: number) {
  const perSecond = { requests: new Uint32Array(afterSeconds), refused: new Uint32Array(afterSeconds) };
  const hasDelivered = new Uint8Array(devices);
  const deliveredAfter: number[] = [];
  const note = (counts: Uint32Array, now: number): void => {
    if (now >= returnsAt) counts[Math.floor((now - returnsAt) / 1_000)]! += 1;
  };
  const sum = (counts: Uint32Array): number => counts.reduce((total, each) => total + each, 0);
  return {
    request: (now: number): void => note(perSecond.requests, now),
    refusal: (now: number): void => note(perSecond.refused, now),
    storing(device: number, now: number): void {
      if (now < returnsAt || hasDelivered[device]) return;
      hasDelivered[device] = 1;
      deliveredAfter.push((now - returnsAt) / 1_000);
    },
    result(): AfterReturn {
      const tens = Array.from({ length: afterSeconds - 9 }, (_, from) => perSecond.requests.subarray(from, from + 10));
      return {
        peakPerSecond: Math.max(...tens.map(sum)) / 10,
        refused: sum(perSecond.refused),
        refusedAtTheEnd: sum(perSecond.refused.subarray(-60)),
        seconds99: deliveredAfter[Math.ceil(devices * 0.99) - 1] ?? null,
        secondsAll: deliveredAfter[devices - 1] ?? null,
      };
    },
  };
}
