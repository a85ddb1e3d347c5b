// The fields below the root that are more than a member of their parent; one that is missing here does not compile.
import type { Resolvers, ResolversParentTypes } from '../../generated/graphql.ts';
import { organizationUsers } from '../accounts/organizationUsers.ts';
import { deviceAttribution } from '../attribution/deviceAttribution.ts';
import { campaignFields } from '../campaigns/campaignFields.ts';
import { devicePurchases } from '../purchases/devicePurchases.ts';
import { deviceSessionFields, deviceSessions } from '../sessions/read/deviceSessions.ts';
import { apiKeyFields, applicationFields, organizationFields, projectFields } from '../workspace/nestedFields.ts';

type FieldsOf<Type extends keyof Resolvers & keyof ResolversParentTypes> = Required<
  Omit<NonNullable<Resolvers[Type]>, keyof ResolversParentTypes[Type]>
>;

/** The types to which codegen.ts maps a record of ours. */
type Mapped = 'Organization' | 'Project' | 'Application' | 'ApiKey' | 'Campaign' | 'Device' | 'DeviceSession';

export const typeResolvers = {
  Organization: { ...organizationFields, users: organizationUsers },
  Project: projectFields,
  Application: applicationFields,
  ApiKey: apiKeyFields,
  Campaign: campaignFields,
  Device: { ...deviceSessions, ...deviceAttribution, ...devicePurchases },
  DeviceSession: deviceSessionFields,
} satisfies { [Type in Mapped]: FieldsOf<Type> & Resolvers[Type] };
