// How the demo's app presents actions, and what the person makes of them: drawn from the seed.
import type { Presenters } from '../sdk/campaigns/campaignRunner.ts';
import type { Presenter } from '../sdk/campaigns/presentation.ts';
import type { RandomSource } from './randomSource.ts';

interface AppParts {
  random: RandomSource;
  after(millis: number, work: () => void): () => void;
  appVersion: number;
}

/** No version of the app can show a `guided_tour`, and only newer ones a `survey`. */
export function appPresenters({ random, after, appVersion }: AppParts): Presenters {
  const blocking: Presenter = (_action, done) => {
    const chance = random.next();
    if (chance < 0.45) after(random.between(2, 20) * 1_000, () => done('Completed'));
    else if (chance < 0.7) after(random.between(1, 10) * 1_000, () => done('Dismissed'));
    else if (chance < 0.78) after(random.between(0, 2) * 1_000, () => done('Unavailable'));
    else if (chance < 0.86) throw new Error('the demo app cannot draw this');
    // Else nothing comes, until the deadline.
  };
  const passing: Presenter = () => {};
  const known = { paywall: blocking, message: passing, tooltip: passing };
  return appVersion >= 2_014_000 ? { ...known, survey: blocking } : known;
}
