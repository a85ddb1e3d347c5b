// The actions and objects of the audit log in words (schema.graphql, "Audit log"); an unknown one keeps its own name.

export const actions: Record<string, string> = {
  signup: 'signed up',
  userCreate: 'created an owner',
  userInvite: 'invited a member',
  invitationAccept: 'accepted an invitation',
  userEdit: 'edited a member',
  userRemove: 'removed a member',
  userReset: 'printed a password link',
  updatePassword: 'set a password by mail',
  passwordChange: 'changed the password',
  emailChange: 'asked for another address',
  emailConfirm: 'confirmed an address',
  accountDelete: 'deleted the account',
  organizationCreate: 'created the organization',
  organizationEdit: 'edited the organization',
  organizationLeave: 'left the organization',
  projectEdit: 'edited a project',
  projectDelete: 'deleted a project',
  applicationEdit: 'edited an application',
  applicationDelete: 'deleted an application',
  apiKeyCreate: 'created a key',
  apiKeyEdit: 'labelled a key',
  apiKeyReveal: 'read the secret of a key',
  apiKeyRevoke: 'revoked a key',
  storeCredentialsEdit: 'edited store credentials',
  productEdit: 'edited a product',
  serviceTokenCreate: 'created a service token',
  serviceTokenRevoke: 'revoked a service token',
  webhookEdit: 'edited a webhook',
  webhookDelete: 'deleted a webhook',
  webhookRedeliver: 'sent a delivery again',
  campaignEdit: 'edited a campaign',
  campaignChangeState: 'changed the state of a campaign',
};

export const objectTypes: Record<string, string> = {
  organization: 'Organization',
  user: 'Member',
  project: 'Project',
  application: 'Application',
  apiKey: 'Key',
  storeCredentials: 'Store credentials',
  product: 'Product',
  campaign: 'Campaign',
  serviceToken: 'Service token',
  webhook: 'Webhook',
};

/** A campaign's first version comes from the same mutation as its edits. */
export function actionText(action: string, details: unknown): string {
  const isFirst = typeof details === 'object' && details !== null && 'version' in details && details.version === 1;
  return action === 'campaignEdit' && isFirst ? 'created a campaign' : (actions[action] ?? action);
}

interface Change {
  from: unknown;
  to: unknown;
}

const isChange = (value: unknown): value is Change =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value;

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (isTexts(value)) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** One line for each member of `AuditEntry.details`: `name: Shop → Store`, or `name: Shop` after nothing. */
export function detailLines(details: unknown): string[] {
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return [shown(details)];
  const pairs = Object.entries(details as Record<string, unknown>);
  // A change of state is `from` and `to` without a field around them.
  if ('from' in details && 'to' in details) {
    const others = pairs.filter(([key]) => key !== 'from' && key !== 'to');
    return [changeText('state', details), ...others.map(([key, value]) => `${key}: ${shown(value)}`)];
  }
  return pairs.map(([key, value]) => (isChange(value) ? changeText(key, value) : `${key}: ${shown(value)}`));
}

const changeText = (field: string, { from, to }: Change): string =>
  from === null ? `${field}: ${shown(to)}` : `${field}: ${shown(from)} → ${shown(to)}`;
