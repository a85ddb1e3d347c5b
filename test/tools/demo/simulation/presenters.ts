// The presenters of the demo's app: random numbers from the seed decide how each blocking action ends.
import type { Presenters } from '../sdk/campaigns/campaignRunner.ts';
import type { Presenter } from '../sdk/campaigns/presentation.ts';
import type { RandomSource } from './randomSource.ts';

interface AppParts {
  random: RandomSource;
  after(millis: number, work: () => void): () => void;
  appVersion: number;
}

/** No version of the app can show a `guided_tour`. Only versions from 2.14.0 on can show a `survey`. */
export function appPresenters({ random, after, appVersion }: AppParts): Presenters {
  const blocking: Presenter = (_action, done) => {
    const chance = random.next();
    if (chance < 0.45) after(random.between(2, 20) * 1_000, () => done('Completed'));
    else if (chance < 0.7) after(random.between(1, 10) * 1_000, () => done('Dismissed'));
    else if (chance < 0.78) after(random.between(0, 2) * 1_000, () => done('Unavailable'));
    else if (chance < 0.86) throw new Error('the demo app cannot draw this');
    // Otherwise the presenter reports nothing, and the deadline ends the action.
  };
  const passing: Presenter = () => {};
  const known = { paywall: blocking, message: passing, tooltip: passing };
  return appVersion >= 2_014_000 ? { ...known, survey: blocking } : known;
}
