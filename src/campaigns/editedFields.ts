// The fields of a campaign that an edit changed, named as in the input of campaignEdit, for the audit log.
import { isDeepStrictEqual } from 'node:util';
import type { CampaignEditInput } from '../../generated/graphql.ts';
import type { CampaignContent } from './campaignRecord.ts';

/** A new field of the input does not compile here and in fieldChanges.ts. */
export type Editable = Exclude<keyof CampaignEditInput, 'id' | 'applicationId' | 'expectedVersion'>;

const fields: Record<Editable, (content: CampaignContent) => unknown> = {
  name: ({ name }) => name,
  description: ({ description }) => description,
  priority: ({ priority }) => priority,
  trigger: ({ trigger }) => trigger,
  targeting: ({ targeting }) => targeting,
  frequency: ({ frequency }) => frequency,
  schedule: ({ startAt, endAt }) => [startAt, endAt],
  action: ({ action }) => action,
};

/** Compares two records from the database, where equal content has equal numbers. */
export function editedFields(before: CampaignContent, after: CampaignContent): string[] {
  return Object.entries(fields).flatMap(([name, valueOf]) =>
    isDeepStrictEqual(valueOf(before), valueOf(after)) ? [] : [name],
  );
}
