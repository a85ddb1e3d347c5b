// All stories of one run.
import { otherStories } from './otherStories.ts';
import type { Setting, Story } from './story.ts';
import { subscriberStories } from './subscriberStories.ts';

export function stories(setting: Setting): Story[] {
  const all = Object.entries({ ...subscriberStories, ...otherStories });
  return all.map(([name, tell]) => tell(`demo-${setting.runId}-${name}`, setting));
}
