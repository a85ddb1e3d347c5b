// Plays the stories of all customers at once: phones report purchases, and later the store changes what it has sold.
import type { FakeStore } from '../fakeStore/fakeStore.ts';
import type { FakePurchase } from '../fakeStore/signedData.ts';
import type { Ledger } from '../simulation/ledger.ts';
import { SimulatedDevice, type World } from '../simulation/simulatedDevice.ts';
import type { Change, Story, Visit } from './story.ts';

export interface StoryParts {
  world: World;
  store: Pick<FakeStore, 'sell' | 'respondWith'>;
  /** The number of the first phone. The simulated devices have the numbers before it. */
  firstPhone: number;
  /** Resolves when the service has looked up these transactions, or when their periods are about to end. */
  lookedUp(ids: string[]): Promise<void>;
  /** Resolves when the service has taken the store's notification. */
  notify(purchase: FakePurchase, notice: NonNullable<Change['notice']>): Promise<void>;
}

export interface Lived {
  ledgers: Ledger[];
  visits: PhoneVisit[];
  /** How many changes the store made after the first look-ups. */
  changes: { notified: number; silent: number };
}

export type PhoneVisit = Omit<Visit, 'phone'> & { deviceId: string };

interface Cast {
  story: Story;
  phones: Map<string, SimulatedDevice>;
}

export async function liveStories(stories: Story[], parts: StoryParts): Promise<Lived> {
  const { store } = parts;
  for (const { sold, results: outcomes = {} } of stories) {
    store.sell(...sold);
    for (const [id, responses] of Object.entries(outcomes)) store.respondWith(id, responses);
  }
  const casts = castOf(stories, parts);
  await Promise.all(casts.map((cast) => live(cast, parts)));
  const changes = stories.flatMap(({ later }) => later?.changes ?? []);
  const notified = changes.filter(({ notice }) => notice !== undefined).length;
  return {
    changes: { notified, silent: changes.length - notified },
    ledgers: casts.flatMap(({ phones }) => [...phones.values()].map(({ ledger }) => ledger)),
    visits: casts.flatMap(({ story, phones }) =>
      visitsOf(story).map(({ phone, ...rest }) => ({ ...rest, deviceId: phones.get(phone)!.ledger.deviceId })),
    ),
  };
}

/** Numbers the phones in the order of the stories, so that a seed repeats them. */
function castOf(stories: Story[], { world, firstPhone }: StoryParts): Cast[] {
  let next = firstPhone;
  return stories.map((story) => {
    const names = new Set(visitsOf(story).map(({ phone }) => phone));
    return { story, phones: new Map([...names].map((name) => [name, new SimulatedDevice(next++, world)])) };
  });
}

function visitsOf({ visits, later }: Story): Visit[] {
  return [...visits, ...(later?.visits ?? [])];
}

async function live(cast: Cast, { store, lookedUp, notify }: StoryParts): Promise<void> {
  const { visits, later } = cast.story;
  await visit(cast, visits);
  if (!later) return;
  await lookedUp(visits.flatMap(({ ids }) => ids));
  for (const { sells, notice } of later.changes) {
    store.sell(...sells);
    if (notice) await notify(sells.at(-1)!, notice);
  }
  await visit(cast, later.visits ?? []);
}

/** One after the other: the first upload that names a user makes the owner. */
async function visit({ phones }: Cast, visits: Visit[]): Promise<void> {
  for (const { phone, externalId, ids } of visits) await useApp(phones.get(phone)!, { externalId, ids });
}

async function useApp(device: SimulatedDevice, { externalId, ids }: Pick<Visit, 'externalId' | 'ids'>): Promise<void> {
  device.launch();
  device.client.setUserId(externalId);
  for (const id of ids) device.client.reportTransaction(id);
  device.advance(10);
  device.client.close();
  device.endProcess();
  await device.drain();
}
