// The targeting of a campaign as conditions on devices, for the number of those that fit now.
import type {
  AudienceQueryVariables,
  CampaignTargetingInput,
} from '../../../../generated/screens/campaignEditor/graphql.ts';
import { versions } from './draftProblems.ts';

export type Filters = NonNullable<Exclude<AudienceQueryVariables['filters'], undefined>>;

/** schema.graphql, "Limits of analytics" and "Conditions". */
const [mostFilters, longestList] = [20, 100];

/** One list of conditions for each group of user properties. Null where the API cannot count so many conditions. */
export function audienceFilters(targeting: CampaignTargetingInput | null): Filters[] | null {
  const groups = targeting?.userProperties?.length ? targeting.userProperties : [[]];
  const ofDevice = deviceFilters(targeting ?? {});
  const lists = groups.map((group) => [
    ...ofDevice,
    ...group.map(({ name, op, value }) => ({ scope: 'USER' as const, property: name, op, value })),
  ]);
  const isLarge = (targeting?.countries?.length ?? 0) > longestList || lists.some((list) => list.length > mostFilters);
  return isLarge ? null : lists;
}

function deviceFilters(targeting: CampaignTargetingInput): Filters {
  const oneOf = (property: string, value: string[] | null | undefined): Filters =>
    value && value.length > 0 ? [{ scope: 'DEVICE', property, op: 'IN', value }] : [];
  return [
    ...oneOf('platform', targeting.platforms),
    ...oneOf('country', targeting.countries),
    ...versions.flatMap((property): Filters => {
      const { min, max } = targeting[property] ?? {};
      return [
        ...(typeof min === 'number' ? [{ scope: 'DEVICE' as const, property, op: 'GTE' as const, value: min }] : []),
        ...(typeof max === 'number' ? [{ scope: 'DEVICE' as const, property, op: 'LTE' as const, value: max }] : []),
      ];
    }),
  ];
}
