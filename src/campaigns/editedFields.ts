// Which fields of a campaign an edit gave another value, in the words of campaignEdit's input, for the audit log.
import { isDeepStrictEqual } from 'node:util';
import type { CampaignContent } from './campaignRecord.ts';

const fields = {
  name: ({ name }: CampaignContent) => name,
  description: ({ description }: CampaignContent) => description,
  priority: ({ priority }: CampaignContent) => priority,
  trigger: ({ trigger }: CampaignContent) => trigger,
  targeting: ({ targeting }: CampaignContent) => targeting,
  frequency: ({ frequency }: CampaignContent) => frequency,
  schedule: ({ startAt, endAt }: CampaignContent) => [startAt, endAt],
  action: ({ action }: CampaignContent) => action,
};

/** Both as the database gave them: then equal content has equal numbers. */
export function editedFields(before: CampaignContent, after: CampaignContent): string[] {
  return Object.entries(fields).flatMap(([name, valueOf]) =>
    isDeepStrictEqual(valueOf(before), valueOf(after)) ? [] : [name],
  );
}
