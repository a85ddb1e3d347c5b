// Simulates how a person uses the device for some days: launches, screens, purchases, offline times, killed processes.
import type { Properties } from '../sdk/wire.ts';
import type { Ledger } from './ledger.ts';
import { randomSource, type RandomSource } from './randomSource.ts';
import { SimulatedDevice, type World } from './simulatedDevice.ts';

const hour = 3_600;

/** Simulates all days, then sends the remaining data. Resolves when everything is acknowledged, or refused. */
export async function live(index: number, world: World): Promise<Ledger> {
  const device = new SimulatedDevice(index, world);
  const random = randomSource(world.seed, `device ${index} life`);
  for (let day = 0; day < world.days; day++) {
    const midnight = world.startedAt - (world.days - day) * 24 * hour * 1_000;
    device.time.advanceTo(midnight + random.between(6 * hour, 8 * hour) * 1_000);
    const offlineAllDay = random.chance(0.15) || (device.persona.marathon && day === 0);
    const launches = random.between(1, 3);
    for (let launch = 0; launch < launches; launch++) {
      await useApp(device, random, { offlineAllDay, marathon: device.persona.marathon && day + launch === 0 });
      device.advance(random.between(600, hour));
      world.pause.noteLived(1 / launches / world.days);
    }
  }
  await device.drain();
  world.tally.devicesDone += 1;
  return device.ledger;
}

/** One process of the app, from its cold start to its end, with one to three stays in the foreground. */
async function useApp(
  device: SimulatedDevice,
  random: RandomSource,
  { offlineAllDay, marathon }: { offlineAllDay: boolean; marathon: boolean },
): Promise<void> {
  if (random.chance(0.05)) device.updateApp();
  device.launch();
  device.reportAttribution();
  if (random.chance(0.3)) device.client.setUserId(`user-${random.between(1, 9)}`);
  if (marathon) recordMarathon(device, random);
  const stays = random.between(1, 3);
  for (let stay = 0; stay < stays; stay++) {
    device.network.online = !offlineAllDay && !random.chance(0.1);
    await stayInForeground(device, random);
    device.advance(random.between(120, 5_400));
  }
  await leaveApp(device, random);
}

async function stayInForeground(device: SimulatedDevice, random: RandomSource): Promise<void> {
  device.client.enterForeground();
  await device.client.fetchConfiguration();
  // A person sets the clock. The server refuses the next upload of a fast clock, and any response corrects the clock.
  if (random.chance(0.05)) device.clockErrorMillis += random.pick([7 * 60_000, -7 * 60_000]);
  const actions = random.between(2, 12);
  for (let action = 0; action < actions; action++) {
    act(device, random);
    if (random.chance(0.004)) device.damageLastEvent(random);
    device.advance(random.between(1, 50));
    // The session is still open, so it is sent with `finishDate` null.
    if (random.chance(0.08)) await device.flush();
  }
  device.client.enterBackground();
  if (random.chance(0.8)) await device.flush();
}

async function leaveApp(device: SimulatedDevice, random: RandomSource): Promise<void> {
  const killed = random.chance(0.4);
  if (!killed) device.client.close();
  if (random.chance(0.1)) await device.flushAndForget();
  else if (!killed) await device.client.flush();
  device.endProcess();
}

function act(device: SimulatedDevice, random: RandomSource): void {
  const { client } = device;
  if (random.chance(0.12))
    client.setCustomProperty(random.pick(propertyNames), random.pick(['free', 'pro', 7, 2.5, true]));
  else if (random.chance(0.05)) client.removeCustomProperty(random.pick(propertyNames));
  else if (random.chance(0.01)) client.clearCustomProperties();
  else if (random.chance(0.006)) device.buy();
  else if (random.chance(0.003)) device.restorePurchases();
  else {
    const [name, properties] = random.pick(trackable)(random);
    // Seven of ten calls have a continuation, which runs at the end of a blocking action.
    client.track(name, properties, random.chance(0.7) ? () => {} : null);
  }
}

function recordMarathon(device: SimulatedDevice, random: RandomSource): void {
  for (let count = 0; count < 2_600; count++) {
    device.client.track('SensorRead', { value: random.next(), channel: count % 8 });
    // More than the 100 that one 422 names, so the SDK has to repeat.
    if (count % 13 === 0) device.damageLastEvent(random);
    device.advance(1);
  }
}

const propertyNames = ['plan', 'level', 'newsletter', 'favourite_category'] as const;

type Tracked = (random: RandomSource) => [name: string, properties: Properties];

const trackable: [Tracked, ...Tracked[]] = [
  () => ['AppOpened', {}],
  (random) => [
    'ScreenViewed',
    { screen: random.pick(['home', 'search', 'cart', 'profile']), depth: random.between(1, 9) },
  ],
  (random) => [
    'ProductAdded',
    { sku: `sku-${random.between(100, 999)}`, price: random.between(100, 9_999) / 100, gift: random.chance(0.2) },
  ],
  (random) => [
    'LevelCompleted',
    { level: random.between(1, 60), seconds: random.next() * 300, perfect: random.chance(0.3) },
  ],
  (random) => ['Gesucht – 検索 🔎', { query: random.pick(['Größe', '東京', 'naïve café', '"quoted\\"']) }],
];
