// Shared by the tests of campaignEdit's input: the paths that it refuses, and values at its limits.
import type { CampaignEditInput } from '../../generated/graphql.ts';
import { readCampaignInput } from '../../src/campaigns/campaignEdit.ts';
import { isAppError } from '../../src/platform/errors.ts';

export const id = '0192f0c4-1111-7000-8000-000000000001';

/** The paths that an edit with this input refuses. */
export function pathsOf(input: Partial<CampaignEditInput>): string[] {
  try {
    readCampaignInput({ id, ...input });
    return [];
  } catch (error) {
    if (!isAppError(error, 'validation_failed')) throw error;
    return error.details.fields.map(({ path }) => path);
  }
}

export const x = (length: number) => 'x'.repeat(length);
export const rockets = (length: number) => '\u{1f680}'.repeat(length);
export const list = <Item>(length: number, item: Item): Item[] => Array.from({ length }, () => item);
export const most = Number.MAX_SAFE_INTEGER;
