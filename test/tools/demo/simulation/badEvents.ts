// Damages an event after the SDK has recorded it, past its check of the input, as a fault of a device's storage does.
import type { SessionEvent } from '../sdk/wire.ts';
import type { RandomSource } from './randomSource.ts';

/** Each leads to a 422 at another path below the event. */
const damages: [(event: SessionEvent) => void, ...((event: SessionEvent) => void)[]] = [
  (event) => void (event.name = ' '),
  (event) => void (event.date = 'yesterday'),
  (event) => void event.params.push({ name: '', value: 1 }),
  (event) => void event.params.push({ name: 'colour', value: null as unknown as string }),
  (event) => {
    event.name = '';
    event.date = '';
  },
];

export function damage(event: SessionEvent, random: RandomSource): void {
  random.pick(damages)(event);
}
