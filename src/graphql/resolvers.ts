// The resolver list: one line for each root field of schema.graphql. A field without a line does not compile.
import type { MutationResolvers, QueryResolvers } from '../../generated/graphql.ts';
import { accountDelete } from '../accounts/accountDelete.ts';
import { emailChange } from '../accounts/emailChange.ts';
import { emailConfirm } from '../accounts/emailConfirm.ts';
import { id } from '../accounts/id.ts';
import { invitationAccept } from '../accounts/invitationAccept.ts';
import { login } from '../accounts/login.ts';
import { logout } from '../accounts/logout.ts';
import { logoutEverywhere } from '../accounts/logoutEverywhere.ts';
import { me } from '../accounts/me.ts';
import { organizationCreate } from '../accounts/organizationCreate.ts';
import { organizationLeave } from '../accounts/organizationLeave.ts';
import { organizations } from '../accounts/organizations.ts';
import { organizationSwitch } from '../accounts/organizationSwitch.ts';
import { passwordChange } from '../accounts/passwordChange.ts';
import { refreshToken } from '../accounts/refreshToken.ts';
import { resetPassword } from '../accounts/resetPassword.ts';
import { serviceTokenCreate } from '../accounts/serviceTokenCreate.ts';
import { serviceTokenRevoke } from '../accounts/serviceTokenRevoke.ts';
import { serviceTokens } from '../accounts/serviceTokens.ts';
import { sessionRevoke } from '../accounts/sessionRevoke.ts';
import { sessions } from '../accounts/sessions.ts';
import { signup } from '../accounts/signup.ts';
import { updatePassword } from '../accounts/updatePassword.ts';
import { userEdit } from '../accounts/userEdit.ts';
import { userInvite } from '../accounts/userInvite.ts';
import { userRemove } from '../accounts/userRemove.ts';
import { activity } from '../analytics/activity.ts';
import { devices } from '../analytics/devices.ts';
import { devicesBehind } from '../analytics/devicesBehind.ts';
import { eventNames } from '../analytics/eventNames.ts';
import { eventSeries } from '../analytics/eventSeries.ts';
import { funnel } from '../analytics/funnel.ts';
import { ingestIssues } from '../analytics/ingestIssues.ts';
import { propertyNames } from '../analytics/propertyNames.ts';
import { recentEvents } from '../analytics/recentEvents.ts';
import { retention } from '../analytics/retention.ts';
import { revenue } from '../analytics/revenue.ts';
import { revenueCurrencies } from '../analytics/revenueCurrencies.ts';
import { subscriptions } from '../analytics/subscriptions.ts';
import { userDevices } from '../analytics/userDevices.ts';
import { auditLog } from '../audit/auditLog.ts';
import { campaign } from '../campaigns/campaign.ts';
import { campaignChangeState } from '../campaigns/campaignChangeState.ts';
import { campaignEdit } from '../campaigns/campaignEdit.ts';
import { campaigns } from '../campaigns/campaigns.ts';
import { campaignsCount } from '../campaigns/campaignsCount.ts';
import { countries } from '../countries/countries.ts';
import { device } from '../devices/device.ts';
import { entitlements } from '../purchases/entitlements.ts';
import { productEdit } from '../purchases/productEdit.ts';
import { products } from '../purchases/products.ts';
import { storeCredentialsEdit } from '../purchases/storeCredentialsEdit.ts';
import { storeTransactions } from '../purchases/storeTransactions.ts';
import { webhookDelete } from '../webhooks/webhookDelete.ts';
import { webhookDeliveries } from '../webhooks/webhookDeliveries.ts';
import { webhookEdit } from '../webhooks/webhookEdit.ts';
import { webhookRedeliver } from '../webhooks/webhookRedeliver.ts';
import { webhooks } from '../webhooks/webhooks.ts';
import { apiKeyCreate } from '../workspace/apiKeyCreate.ts';
import { apiKeyEdit } from '../workspace/apiKeyEdit.ts';
import { apiKeyRevoke } from '../workspace/apiKeyRevoke.ts';
import { applicationDelete } from '../workspace/applicationDelete.ts';
import { applicationEdit } from '../workspace/applicationEdit.ts';
import { applications } from '../workspace/applications.ts';
import { organization } from '../workspace/organization.ts';
import { organizationEdit } from '../workspace/organizationEdit.ts';
import { projectDelete } from '../workspace/projectDelete.ts';
import { projectEdit } from '../workspace/projectEdit.ts';
import { projects } from '../workspace/projects.ts';
import type { access } from './access.ts';
import { guarded } from './guard.ts';
import type { Operations } from './operationTypes.ts';
import { scalars } from './scalars.ts';
import { typeResolvers } from './typeResolvers.ts';

const Query = {
  activity,
  applications,
  auditLog,
  campaign,
  campaigns,
  campaignsCount,
  countries,
  device,
  devices,
  devicesBehind,
  entitlements,
  eventNames,
  eventSeries,
  funnel,
  id,
  ingestIssues,
  me,
  organization,
  organizations,
  products,
  projects,
  propertyNames,
  recentEvents,
  retention,
  revenue,
  revenueCurrencies,
  serviceTokens,
  sessions,
  storeTransactions,
  subscriptions,
  userDevices,
  webhookDeliveries,
  webhooks,
} satisfies Operations<QueryResolvers, (typeof access)['Query']>;

const Mutation = {
  accountDelete,
  apiKeyCreate,
  apiKeyEdit,
  apiKeyRevoke,
  applicationDelete,
  applicationEdit,
  campaignChangeState,
  campaignEdit,
  emailChange,
  emailConfirm,
  invitationAccept,
  login,
  logout,
  logoutEverywhere,
  organizationCreate,
  organizationEdit,
  organizationLeave,
  organizationSwitch,
  passwordChange,
  productEdit,
  projectDelete,
  projectEdit,
  refreshToken,
  resetPassword,
  serviceTokenCreate,
  serviceTokenRevoke,
  sessionRevoke,
  signup,
  storeCredentialsEdit,
  updatePassword,
  userEdit,
  userInvite,
  userRemove,
  webhookDelete,
  webhookEdit,
  webhookRedeliver,
} satisfies Operations<MutationResolvers, (typeof access)['Mutation']>;

export const resolvers = {
  Query: guarded('Query', Query),
  Mutation: guarded('Mutation', Mutation),
  ...typeResolvers,
  ...scalars,
};
