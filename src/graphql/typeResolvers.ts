// Resolvers of fields below the root that are not plain members of their parent. A missing one does not compile.
import type { Resolvers, ResolversParentTypes } from '../../generated/graphql.ts';
import { organizationUsers } from '../accounts/organizationUsers.ts';
import { deviceAttribution } from '../attribution/deviceAttribution.ts';
import { campaignFields } from '../campaigns/campaignFields.ts';
import { devicePurchases } from '../purchases/devicePurchases.ts';
import { applicationQuotas } from '../quotas/applicationQuotas.ts';
import { deviceSessionFields, deviceSessions } from '../sessions/read/deviceSessions.ts';
import { apiKeyFields, applicationFields, organizationFields, projectFields } from '../workspace/nestedFields.ts';

type FieldsOf<Type extends keyof Resolvers & keyof ResolversParentTypes> = Required<
  Omit<NonNullable<Resolvers[Type]>, keyof ResolversParentTypes[Type]>
>;

/** The types for which codegen.ts names a record of a feature. */
type Mapped = 'Organization' | 'Project' | 'Application' | 'ApiKey' | 'Campaign' | 'Device' | 'DeviceSession';

export const typeResolvers = {
  Organization: { ...organizationFields, users: organizationUsers },
  Project: projectFields,
  Application: { ...applicationFields, ...applicationQuotas },
  ApiKey: apiKeyFields,
  Campaign: campaignFields,
  Device: { ...deviceSessions, ...deviceAttribution, ...devicePurchases },
  DeviceSession: deviceSessionFields,
} satisfies { [Type in Mapped]: FieldsOf<Type> & Resolvers[Type] };
