// The fields below the root that are more than a member of their parent; one that is missing here does not compile.
import { organizationUsers } from '../accounts/organizationUsers.ts';
import type { Resolvers, ResolversParentTypes } from '../../generated/graphql.ts';
import { apiKeyFields, applicationFields, organizationFields, projectFields } from '../workspace/nestedFields.ts';

type FieldsOf<Type extends keyof Resolvers & keyof ResolversParentTypes> = Required<
  Omit<NonNullable<Resolvers[Type]>, keyof ResolversParentTypes[Type]>
>;

export const typeResolvers = {
  Organization: { ...organizationFields, users: organizationUsers },
  Project: projectFields,
  Application: applicationFields,
  ApiKey: apiKeyFields,
} satisfies { [Type in 'Organization' | 'Project' | 'Application' | 'ApiKey']: FieldsOf<Type> };
