// The resolver list: one line for each root field of schema.graphql; a field without a line does not compile.
import type { MutationResolvers, QueryResolvers } from '../../generated/graphql.ts';
import { scalars } from './scalars.ts';
import { notImplemented } from './unwritten.ts';

const Query = {
  applications: notImplemented('applications'),
  auditLog: notImplemented('auditLog'),
  campaign: notImplemented('campaign'),
  campaigns: notImplemented('campaigns'),
  countries: notImplemented('countries'),
  device: notImplemented('device'),
  id: notImplemented('id'),
  me: notImplemented('me'),
  organization: notImplemented('organization'),
  projects: notImplemented('projects'),
} satisfies Required<QueryResolvers>;

const Mutation = {
  apiKeyCreate: notImplemented('apiKeyCreate'),
  apiKeyRevoke: notImplemented('apiKeyRevoke'),
  applicationDelete: notImplemented('applicationDelete'),
  applicationEdit: notImplemented('applicationEdit'),
  campaignChangeState: notImplemented('campaignChangeState'),
  campaignEdit: notImplemented('campaignEdit'),
  login: notImplemented('login'),
  organizationEdit: notImplemented('organizationEdit'),
  projectDelete: notImplemented('projectDelete'),
  projectEdit: notImplemented('projectEdit'),
  refreshToken: notImplemented('refreshToken'),
  resetPassword: notImplemented('resetPassword'),
  signup: notImplemented('signup'),
  storeCredentialsEdit: notImplemented('storeCredentialsEdit'),
  updatePassword: notImplemented('updatePassword'),
  userEdit: notImplemented('userEdit'),
  userInvite: notImplemented('userInvite'),
} satisfies Required<MutationResolvers>;

export const resolvers = { Query, Mutation, ...scalars };
