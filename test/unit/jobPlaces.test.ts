// The places of jobs: each kind has its own, an owner gets a part of them, and those that hang share a part.
import { setTimeout as pause } from 'node:timers/promises';
import { createPlaces, usualPlaces, type StartedJob } from '../../src/jobs/places.ts';
import { jobFlags, kindOf, type JobOwner } from '../../src/platform/jobQueue/jobKinds.ts';

let number = 0;
function job(task: string, owner: JobOwner): StartedJob {
  const flags = Object.fromEntries(jobFlags(kindOf(task), owner).map((flag) => [flag, true as const]));
  return { id: String((number += 1)), task_identifier: task, flags };
}

/** Whether the queue would skip it. */
const skips = (forbidden: string[], { flags }: StartedJob) => forbidden.some((flag) => flags![flag]);

test('a kind that has all its places leaves those of the others', () => {
  const places = createPlaces();
  for (let n = 0; n < usualPlaces.mail.places; n += 1) places.begin(job('sendPasswordMail', { owner: `${n}` }));
  expect(skips(places.forbidden(), job('sendEmailMail', { owner: 'another' }))).toBe(true);
  for (const task of ['deliverWebhooks', 'resolveTransactions', 'resolveTransactionsBehind', 'removeApplication']) {
    expect(skips(places.forbidden(), job(task, { owner: 'another' }))).toBe(false);
  }
});

test('an application has one place for its look-ups in front, and one behind, and gives it back', () => {
  const places = createPlaces();
  const first = job('resolveTransactions', { owner: 'a' });
  places.begin(first);
  const next = job('resolveTransactions', { owner: 'a' });
  expect(skips(places.forbidden(), next)).toBe(true);
  expect(skips(places.forbidden(), job('resolveTransactions', { owner: 'b' }))).toBe(false);
  expect(skips(places.forbidden(), job('resolveTransactionsBehind', { owner: 'a' }))).toBe(false);
  places.end(first);
  expect(skips(places.forbidden(), next)).toBe(false);
});

test('an organization has half of the places for webhooks, however many applications it makes', () => {
  const places = createPlaces();
  const { places: all, ofGroup } = usualPlaces.webhooks;
  expect(ofGroup).toBe(all / 2);
  for (let n = 0; n < ofGroup; n += 1) places.begin(job('deliverWebhooks', { owner: `${n}`, group: 'a' }));
  expect(skips(places.forbidden(), job('deliverWebhooks', { owner: 'new', group: 'a' }))).toBe(true);
  expect(skips(places.forbidden(), job('deliverWebhooks', { owner: 'other', group: 'b' }))).toBe(false);
});

test('ten that hang leave places, and afterwards share a part with all that hang', async () => {
  const places = createPlaces();
  const hung = Array.from({ length: 10 }, (_, n) => job('resolveTransactions', { owner: `hung ${n}` }));
  for (const one of hung) places.begin(one);
  expect(skips(places.forbidden(), job('resolveTransactions', { owner: 'honest' }))).toBe(false);
  await pause(3_100);
  for (const one of hung) places.end(one);
  const { ofSlow } = usualPlaces.look_ups;
  const again = hung.map((one) => ({ ...one, id: `again ${one.id}` }));
  for (const one of again.slice(0, ofSlow)) {
    expect(skips(places.forbidden(), one)).toBe(false);
    places.begin(one);
  }
  expect(skips(places.forbidden(), again[ofSlow]!)).toBe(true);
  expect(skips(places.forbidden(), job('resolveTransactions', { owner: 'honest' }))).toBe(false);
});

test('jobs of an earlier version have no flags, and are counted by their kind', () => {
  const places = createPlaces();
  for (let n = 0; n < usualPlaces.webhooks.places; n += 1) {
    places.begin({ ...job('deliverWebhooks', { owner: '' }), flags: null });
  }
  expect(places.forbidden()).toEqual(['webhooks']);
});
