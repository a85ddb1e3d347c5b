// The resolver list: one line for each root field of schema.graphql. A field without a line does not compile.
import { type GraphQLScalarType, Kind, valueFromASTUntyped, type ValueNode, visit } from 'graphql';
import type { MutationResolvers, QueryResolvers, Resolvers, ResolversParentTypes } from '../../generated/graphql.ts';
import { accountDelete } from '../accounts/accountDelete.ts';
import { emailChange } from '../accounts/emailChange.ts';
import { emailConfirm } from '../accounts/emailConfirm.ts';
import { id } from '../accounts/id.ts';
import { invitationAccept } from '../accounts/invitationAccept.ts';
import { login } from '../accounts/login.ts';
import { logout } from '../accounts/logout.ts';
import { logoutEverywhere } from '../accounts/logoutEverywhere.ts';
import { me } from '../accounts/me.ts';
import { organizationUsers } from '../accounts/members.ts';
import { organizationCreate } from '../accounts/organizationCreate.ts';
import { organizationLeave } from '../accounts/organizationLeave.ts';
import { organizationSwitch } from '../accounts/organizationSwitch.ts';
import { organizations } from '../accounts/organizations.ts';
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
import { deviceAttribution } from '../attribution/reportAttribution.ts';
import { auditLog } from '../audit/auditLog.ts';
import { campaign } from '../campaigns/campaign.ts';
import { campaignChangeState } from '../campaigns/campaignChangeState.ts';
import { campaignEdit } from '../campaigns/campaignEdit.ts';
import { campaignFields } from '../campaigns/campaignFields.ts';
import { campaigns } from '../campaigns/campaigns.ts';
import { campaignsCount } from '../campaigns/campaignsCount.ts';
import { countries } from '../countries/countries.ts';
import { device } from '../devices/device.ts';
import { isStorableText, isUuid, parseIsoDateTime } from '../platform/inputRules.ts';
import { devicePurchases } from '../purchases/devicePurchases.ts';
import { entitlements } from '../purchases/entitlements.ts';
import { productEdit } from '../purchases/productEdit.ts';
import { products } from '../purchases/products.ts';
import { storeCredentialsEdit } from '../purchases/storeCredentialsEdit.ts';
import { storeTransactions } from '../purchases/storeTransactions.ts';
import { applicationQuotas } from '../quotas/applicationQuotas.ts';
import { deviceSessionFields, deviceSessions } from '../sessions/read/deviceSessions.ts';
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
import { apiKeyFields, applicationFields, organizationFields, projectFields } from '../workspace/workspace.ts';
import { type access, type Access, guarded } from './authorization.ts';
import type { AdminContext, CallerContext } from './context.ts';

// Resolvers of fields below the root that are not plain members of their parent. A missing one does not compile.

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

// The scalars of schema.graphql. They check each input as the descriptions there promise.

/** Only functions: a whole GraphQLScalarType would replace the description in schema.graphql by an empty one. */
type Scalar = Pick<GraphQLScalarType, 'serialize' | 'parseValue' | 'parseLiteral'>;

const deepestJson = 32;

function stringOf(node: ValueNode): string | undefined {
  return node.kind === Kind.STRING ? node.value : undefined;
}

function readUuid(value: unknown): string {
  if (typeof value !== 'string' || !isUuid(value)) throw new TypeError('It must be a UUID.');
  return value.toLowerCase();
}

/** Not the library's UUID: it accepts braces and keeps the case, so one id would have four spellings. */
const UUID: Scalar = {
  serialize: readUuid,
  parseValue: readUuid,
  parseLiteral: (node) => readUuid(stringOf(node)),
};

const fraction = /(?<=:\d\d:\d\d)[.,](\d+)/;

/**
 * Null for 30 February, which `Date.parse` accepts. RFC 3339 allows small letters. The milliseconds are read from their
 * digits: in the year 9999 a double in seconds is 31 µs wide, and .999 could become .998.
 */
function parseDateTime(given: string): Date | null {
  const text = given.toUpperCase();
  const seconds = parseIsoDateTime(text.replace(fraction, ''));
  const millis = Number((fraction.exec(text)?.[1] ?? '').slice(0, 3).padEnd(3, '0'));
  return seconds === null ? null : new Date(seconds * 1_000 + millis);
}

function readDateTime(value: unknown): Date {
  const moment = typeof value === 'string' ? parseDateTime(value) : null;
  const year = moment?.getUTCFullYear() ?? 0;
  if (!moment || year < 1 || year > 9999) {
    throw new TypeError('It must be a date and time with an offset, in the years 0001 to 9999.');
  }
  return moment;
}

function writeDateTime(value: unknown): string {
  if (!(value instanceof Date)) throw new TypeError('A DateTime is written from a Date.');
  return value.toISOString();
}

const DateTime: Scalar = {
  serialize: writeDateTime,
  parseValue: readDateTime,
  parseLiteral: (node) => readDateTime(stringOf(node)),
};

const calendarDate = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Refuses 30 February, which `Date.parse` moves to March. */
function readCalendarDate(value: unknown): string {
  const text = typeof value === 'string' && calendarDate.test(value) ? value : '';
  const parsed = new Date(`${text}T00:00:00.000Z`);
  const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
  if (!exists || text < '0001')
    throw new TypeError('It must be a calendar date, YYYY-MM-DD, in the years 0001 to 9999.');
  return text;
}

const CalendarDate: Scalar = {
  serialize: readCalendarDate,
  parseValue: readCalendarDate,
  parseLiteral: (node) => readCalendarDate(stringOf(node)),
};

function checkText(text: string): void {
  if (!isStorableText(text)) throw new TypeError('It must not contain U+0000 or half of a surrogate pair.');
}

/** Stops at the limit: a body of brackets would exhaust the stack here or later in `JSON.stringify`. */
function checkJson(value: unknown, depth: number): void {
  if (typeof value === 'string') checkText(value);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError('It must not contain a number beyond double precision.');
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === deepestJson) throw new TypeError(`It must not nest more than ${deepestJson} levels.`);
  for (const [key, item] of Object.entries(value)) {
    checkText(key);
    checkJson(item, depth + 1);
  }
}

function readJson(value: unknown): unknown {
  checkJson(value, 0);
  return value;
}

function refuseEnumValue(): never {
  throw new TypeError('It must be JSON: text needs quotation marks.');
}

/** The value of a literal. Own properties only: an absent variable `$constructor` must not find `Object.prototype.constructor`. */
function readLiteral(node: ValueNode, variables: Readonly<Record<string, unknown>> = {}): unknown {
  const sent = Object.create(null) as Record<string, unknown>;
  visit(node, {
    EnumValue: refuseEnumValue,
    Variable({ name }) {
      if (Object.hasOwn(variables, name.value)) sent[name.value] = variables[name.value];
    },
  });
  return valueFromASTUntyped(node, sent);
}

const JsonScalar: Scalar = {
  serialize: (value) => value,
  parseValue: readJson,
  parseLiteral: (node, variables) => readJson(readLiteral(node, variables ?? undefined)),
};

export const scalars = { UUID, DateTime, Date: CalendarDate, JSON: JsonScalar };

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

// The types of the admin API's operations, derived from the generated resolver types: the arguments and the result of each root field.

type Resolver = (parent: never, args: never, ...rest: never[]) => unknown;

/** An operation is a resolver without its parent. A protected operation also gets the caller. */
export type Operation<Field, For extends Access> =
  NonNullable<Field> extends infer Function extends Resolver
    ? (
        args: Parameters<Function>[1],
        context: For extends 'public' ? AdminContext : CallerContext,
      ) => ReturnType<Function>
    : never;

/** One operation for every field of a root type. */
export type Operations<Root, Table extends Record<keyof Root, Access>> = {
  [Field in keyof Root]-?: Operation<Root[Field], Table[Field]>;
};
