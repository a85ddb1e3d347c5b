/** A figure of `activity` that can be opened. */
export type ActivityFigure =
  /** `active`. */
  | 'ACTIVE'
  /** `new`. */
  | 'NEW'
  /** `sessions`: the devices that have brought them. */
  | 'SESSIONS';

/** What is counted, see "Units and counts". */
export type AnalyticsUnit =
  /** Devices. */
  | 'DEVICE'
  /** Users, and devices without a user. */
  | 'USER';

/** The orders of a list of campaigns. Each is total. */
export type CampaignSort =
  /** By `createdAt`, the newest first. Of equal times the highest `id` comes first. */
  | 'CREATED'
  /** By `name` in lower case, compared by code points, from A to Z. Of equal names the lowest `id` comes first. */
  | 'NAME'
  /** By `priority`, the highest first. Of equal priorities the lowest `id` comes first, as on a device. */
  | 'PRIORITY'
  /** By the state now, in the order of `CampaignState`. Of equal states the lowest `id` comes first. */
  | 'STATE'
  /** By `updatedAt`, the last change first. Of equal times the highest `id` comes first. */
  | 'UPDATED';

/**
 * The states of a campaign.
 *
 * ## States and moves
 *
 * `campaignChangeState` can make these moves:
 *
 * | From | To |
 * |---|---|
 * | `DRAFT` | `SCHEDULED`, `ACTIVE`, `ARCHIVED` |
 * | `SCHEDULED` | `DRAFT`, `ACTIVE`, `PAUSED`, `ARCHIVED` |
 * | `ACTIVE` | `PAUSED`, `FINISHED` |
 * | `PAUSED` | `ACTIVE`, `FINISHED`, `ARCHIVED` |
 * | `FINISHED` | `ARCHIVED` |
 * | `ARCHIVED` | nothing |
 *
 * The clock moves campaigns without anybody's help: `SCHEDULED` becomes `ACTIVE` at `schedule.startAt`, and `SCHEDULED`
 * and `ACTIVE` become `FINISHED` at `schedule.endAt`. A response always has the state of its moment.
 *
 * `SCHEDULED` needs `schedule.startAt`. `SCHEDULED` and `ACTIVE` need `trigger`, `action`, and a `schedule.endAt` that is
 * in the future or absent. Otherwise the response is `BAD_USER_INPUT` with the paths.
 */
export type CampaignState =
  /** The campaign runs on devices. After activation by hand it runs at once, whatever `schedule.startAt` says. */
  | 'ACTIVE'
  /** Put away. This state is final. The campaign stays readable. */
  | 'ARCHIVED'
  /** Somebody is still writing the campaign. Devices do not get it. It may be incomplete. */
  | 'DRAFT'
  /**
   * The campaign is over, by hand or at `schedule.endAt`. Nobody can edit it or start it again. Statistics still grow by
   * late uploads.
   */
  | 'FINISHED'
  /**
   * Somebody has stopped the campaign for now. Devices drop it at their next fetch. It stays paused past `schedule.endAt`,
   * until somebody moves it.
   */
  | 'PAUSED'
  /** The campaign waits for `schedule.startAt`. Devices already have it, so that it starts on time without a connection. */
  | 'SCHEDULED';

/**
 * The comparison of a condition.
 *
 * ## Conditions
 *
 * A condition compares the device's value with the condition's `value`. A missing value fulfils `NOT_EXISTS` and no other
 * operator. Values of different types are not equal and have no order. `CampaignTriggerFilterInput.value` says which
 * values each operator takes.
 */
export type ConditionOperator =
  /** Text that contains the given text, with regard to upper and lower case. The given text must not be empty. */
  | 'CONTAINS'
  /** Equal. For text with regard to upper and lower case. */
  | 'EQ'
  /** Present, with any value. The condition has no `value`. */
  | 'EXISTS'
  /** Greater. For numbers, and for text by code points. */
  | 'GT'
  /** Greater or equal. For numbers, and for text by code points. */
  | 'GTE'
  /** Equal to one of a list, which has 1 to 100 entries. */
  | 'IN'
  /** Less. For numbers, and for text by code points. */
  | 'LT'
  /** Less or equal. For numbers, and for text by code points. */
  | 'LTE'
  /** Present, and not equal. */
  | 'NEQ'
  /** Missing. The condition has no `value`. */
  | 'NOT_EXISTS'
  /** Present, and equal to none of a list, which has 1 to 100 entries. */
  | 'NOT_IN';

/** The order of `devices`. */
export type DeviceSort =
  /** The one first seen last first. */
  | 'FIRST_SEEN'
  /** The one seen last first. */
  | 'LAST_SEEN'
  /** The one with the most sessions first. */
  | 'SESSIONS';

/** The kinds of product in the store. */
export type EntitlementKind =
  /** A subscription that renews by itself. */
  | 'AUTO_RENEWABLE'
  /** The user uses it up and can buy it again. */
  | 'CONSUMABLE'
  /** The user buys it once and keeps it for ever. */
  | 'NON_CONSUMABLE'
  /** A subscription for a fixed time. */
  | 'NON_RENEWING';

/** Who holds a line with an owner that uploads by another `external_id` bring too ("Owners", at `Entitlement`). */
export type EntitlementPolicy =
  /** The owner's devices hold it, and no others. */
  | 'KEEP'
  /**
   * All of them hold it. That is on purpose, also for a stranger who has learned the id of the transaction: choose it only
   * where an app wants that. Where an account token names the owner, they hold it beside the owner.
   */
  | 'SHARE'
  /**
   * The `external_id` of the latest upload takes it, and everybody else loses it. Where an account token names the owner, it
   * stays the owner's.
   */
  | 'TRANSFER';

/**
 * The values of `extensions.code`. Statuses are those of the HTTP response.
 *
 * No field has this type. It is here so that a dashboard can generate a type for it and match it completely. Generators
 * that type documents leave it out. For codegen's client preset add a second entry of `generates`:
 * `'enums.ts': { plugins: ['typescript'], config: { onlyEnums: true, enumsAsTypes: true } }`, with the package
 * `@graphql-codegen/typescript`.
 */
export type ErrorCode =
  /**
   * HTTP 200. The service cannot say now what the events say. `extensions.reason` says why: `off` (the service runs
   * without analytics), `building` (its copy of the events is being built for the first time or anew, and
   * `extensions.progress` from 0 to 1 says how much of it is done) or `busy` (too many queries at once: retry after some
   * seconds). New reasons may come.
   *
   *     {"message": "Analytics are not available now.", "path": ["activity"], "extensions": {"code":
   *     "ANALYTICS_UNAVAILABLE", "reason": "building", "progress": 0.25}}
   */
  | 'ANALYTICS_UNAVAILABLE'
  /**
   * HTTP 400 when the body is missing, is not valid JSON, or is not an object with a `query`. 406 when `Accept` excludes
   * JSON. 415 when `Content-Type` is missing or not JSON, or `Content-Encoding` is not known (`identity`, `gzip`,
   * `deflate` and `br` are). The service executed nothing.
   *
   *     {"message": "The body must be a JSON object with a text \"query\".", "extensions": {"code": "BAD_REQUEST"}}
   */
  | 'BAD_REQUEST'
  /**
   * HTTP 200 with `extensions.fields`, a list of `{path, message}`, one for every value that the service does not accept,
   * at most 100 of them. `path` starts at the argument: `input.email`, `input.trigger.filters[0].value`, `limit`. The
   * message never repeats the value. `path` starts at `campaign` where the stored campaign is at fault and not the
   * arguments.
   *
   * HTTP 400 when a variable does not fit its declared type (an invalid UUID, an unknown enum value, null or a missing
   * field where one is required). The service executed nothing. There is one error for each of the first 50 such values,
   * and `extensions.fields` has its one entry. `path` starts at the argument that takes the variable, and not at the
   * variable's name.
   *
   * A variable inside a literal, or with a default, can fit its declared type and not its place: null where the place
   * takes no null, or text with U+0000 in a `JSON` literal. The service finds this during execution: HTTP 200, and `path`
   * names the argument only (`input`).
   *
   *     {"message": "The input is not valid.", "path": ["userInvite"],
   *       "extensions": {"code": "BAD_USER_INPUT", "fields": [{"path": "input.email", "message": "must be an e-mail address of at most 254 characters"}]}}
   */
  | 'BAD_USER_INPUT'
  /**
   * HTTP 200. The request is valid, but the stored state does not allow it. `extensions.reason` says why.
   *
   * ## Conflicts
   *
   * | `reason` | Meaning |
   * |---|---|
   * | `version` | `expectedVersion` is not the stored version: somebody edited the object meanwhile. `extensions.currentVersion` (number) is the stored version. Load the object again and let the user decide. |
   * | `email_in_use` | another account has the e-mail address |
   * | `email_unconfirmed` | nobody has confirmed the caller's e-mail address, see "Unconfirmed addresses" |
   * | `last_owner` | the organization would be left without an active owner |
   * | `already_member` | the user already belongs to the organization |
   * | `not_editable` | the object is over, and nobody can edit it any more |
   * | `disabled` | the webhook is disabled |
   *
   * Each root field lists its own reasons beside `CONFLICT`. New reasons may come: handle an unknown one.
   * `currentVersion` goes with `version` alone.
   *
   *     {"message": "The stored state stands against this.", "path": ["campaignEdit"],
   *       "extensions": {"code": "CONFLICT", "reason": "version", "currentVersion": 1}}
   */
  | 'CONFLICT'
  /**
   * HTTP 200. The user is logged in, and the role does not allow this. Or the bearer is a service token, and no service token
   * may select the field, see "Service tokens". From `signup`: the setting `SIGNUP` does not allow it, see "Sign-up", and the
   * message says who can help. A retry does not help. No extensions. Where the role does not allow `Application.apiKeys`,
   * each of these lists is null, one error names the first of them in the response, and the rest of the response is there.
   *
   *     {"message": "Your role does not allow this.", "path": ["auditLog"], "extensions": {"code": "FORBIDDEN"}}
   */
  | 'FORBIDDEN'
  /**
   * HTTP 400. `query` is not a GraphQL document, or has more than 2,000 tokens. The service executed nothing. `locations`
   * says where the error is.
   *
   *     {"message": "Syntax Error: Expected Name, found <EOF>.", "extensions": {"code": "GRAPHQL_PARSE_FAILED"}}
   */
  | 'GRAPHQL_PARSE_FAILED'
  /**
   * HTTP 400. The document does not fit this schema (unknown field, missing argument, wrong literal), or is over a limit:
   * depth 10, 15 aliases, one authentication mutation. The service executed nothing. Where an argument is wrong or missing,
   * `extensions.fields` has one entry as at `BAD_USER_INPUT`.
   *
   *     {"message": "Cannot query field \"you\" on type \"Query\".", "extensions": {"code": "GRAPHQL_VALIDATION_FAILED"}}
   */
  | 'GRAPHQL_VALIDATION_FAILED'
  /**
   * HTTP 200. From `campaignChangeState`: the campaign cannot move from its state to the wanted state.
   * `extensions.allowed` lists the states (`CampaignState` values) to which it can move.
   *
   *     {"message": "The campaign cannot go to this state.", "path": ["campaignChangeState"],
   *       "extensions": {"code": "ILLEGAL_TRANSITION", "allowed": ["SCHEDULED", "ACTIVE", "ARCHIVED"]}}
   */
  | 'ILLEGAL_TRANSITION'
  /**
   * HTTP 200, or 500 when it happened outside of execution. The service failed. The message gives no details. Retry a
   * query. After a mutation, read the object first: the change may have been made. No extensions.
   *
   *     {"message": "Internal server error.", "path": ["signup"], "extensions": {"code": "INTERNAL_SERVER_ERROR"}}
   */
  | 'INTERNAL_SERVER_ERROR'
  /**
   * HTTP 200. From `login`: the e-mail address is unknown or only invited, or the password is wrong. The response is the
   * same in each case and takes equally long. From `passwordChange`, `emailChange` and `accountDelete`: the caller's
   * password is wrong. No extensions.
   *
   *     {"message": "The e-mail address or the password is wrong.", "path": ["login"],
   *       "extensions": {"code": "INVALID_CREDENTIALS"}}
   */
  | 'INVALID_CREDENTIALS'
  /**
   * HTTP 200. From `refreshToken`, `updatePassword`, `emailConfirm` and `invitationAccept`: the token is unknown, expired,
   * used or revoked. From `invitationAccept` also: the invitation is for another address than the account's. From
   * `organizationCreate` and `invitationAccept`: the challenge is unknown, expired or used. The response is the same in each
   * case. After `refreshToken`, and with a challenge: log in again. After the others: ask for a new mail. No extensions.
   *
   *     {"message": "The token is not valid.", "path": ["refreshToken"], "extensions": {"code": "INVALID_TOKEN"}}
   */
  | 'INVALID_TOKEN'
  /**
   * HTTP 200. There is no such object: it never existed, is deleted, or belongs to another organization. The response is
   * the same in each case. No extensions.
   *
   *     {"message": "Not found.", "path": ["projectDelete"], "extensions": {"code": "NOT_FOUND"}}
   */
  | 'NOT_FOUND'
  /**
   * HTTP 200. From `login`: the password is right, and the account has no active membership in any organization.
   * `extensions.challenge` (text) lets the user found an organization (`organizationCreate`) or accept an invitation
   * (`invitationAccept`), see "Challenges".
   *
   *     {"message": "The account belongs to no organization.", "path": ["login"],
   *       "extensions": {"code": "NO_ORGANIZATION", "challenge": "5xIY0aTqmK0lkW4bCTmXvJz1fJVRm3GvPCTcUrpVZ1o"}}
   */
  | 'NO_ORGANIZATION'
  /**
   * HTTP 400. The document has no operation of the name in `operationName`. Or it has several operations, and the request
   * has no `operationName`. The service executed nothing.
   *
   *     {"message": "Unknown operation named \"Other\".", "extensions": {"code": "OPERATION_RESOLUTION_FAILURE"}}
   */
  | 'OPERATION_RESOLUTION_FAILURE'
  /**
   * HTTP 413. The body is larger than 100 kB. `extensions.limit` is the limit in bytes (number). The service executed
   * nothing.
   *
   *     {"message": "The body is larger than 100000 bytes.", "extensions": {"code": "PAYLOAD_TOO_LARGE", "limit": 100000}}
   */
  | 'PAYLOAD_TOO_LARGE'
  /**
   * HTTP 429: a network address sent too many requests without a valid bearer, see "Requests without a bearer".
   *
   * HTTP 200. There were too many attempts at `login`, `signup`, `refreshToken`, `resetPassword`, `updatePassword`,
   * `passwordChange`, `emailChange`, `emailConfirm`, `userInvite`, `organizationCreate`, `invitationAccept` or
   * `accountDelete`, see "Attempts". Or the caller has made the service store too much, see "Stored bytes".
   * `extensions.retryAfterSeconds` (whole number) says how long to wait. Rely on it and not on
   * the defaults.
   *
   *     {"message": "Too many attempts.", "path": ["login"],
   *       "extensions": {"code": "RATE_LIMITED", "retryAfterSeconds": 840}}
   */
  | 'RATE_LIMITED'
  /**
   * HTTP 401, `data` absent. The operation selects a protected field and the bearer is missing, malformed, expired or
   * revoked. Call `refreshToken` once and repeat the operation. When that fails too, log in again. No extensions. The
   * response has `WWW-Authenticate: Bearer`.
   *
   *     {"message": "A valid bearer token is needed.", "extensions": {"code": "UNAUTHENTICATED"}}
   */
  | 'UNAUTHENTICATED'
  /**
   * HTTP 503, with `Retry-After`. The service has too much to do, see "Load": it executed nothing, or it stopped where
   * `path` says. `extensions.retryAfterSeconds` (number, at least 1) says when to try again.
   *
   *     {"message": "The service cannot take this request now. Try again later.", "extensions": {"code": "UNAVAILABLE",
   *     "retryAfterSeconds": 1}}
   */
  | 'UNAVAILABLE';

/** The source of an event. */
export type EventType =
  /** The app records the event, through the SDK's `track(...)`. In the SDK's requests it is `custom`. */
  | 'CUSTOM'
  /**
   * The SDK itself records the event. In its requests it is `system`. The reserved names: `SdkInitialized`,
   * `ConfigFetchStarted`, `ConfigFetchFinished`, `SessionStarted`, `SessionFinished`, `CampaignShown`, `EventTriggered`,
   * `CustomPropertyChanged`, `CampaignResolved`.
   */
  | 'SYSTEM';

/** The order in which a unit takes the steps of a funnel. */
export type FunnelOrder =
  /** The first step first, and the others in any order at or after it. */
  | 'ANY'
  /** Each step at or after the one before it. */
  | 'ORDERED';

/** The unit of `FunnelWindowInput.value`. */
export type FunnelWindowUnit =
  /** 86,400 seconds. */
  | 'DAY'
  /** 3,600 seconds. */
  | 'HOUR'
  /** 60 seconds. */
  | 'MINUTE';

/** Where a property belongs, see "Filters". */
export type PropertyScope =
  /** A property of the device. */
  | 'DEVICE'
  /** A parameter of the event. */
  | 'EVENT'
  /** A custom property of the user. */
  | 'USER';

/** The type of a value. */
export type PropertyType =
  /** True or false. */
  | 'BOOLEAN'
  /** A number. */
  | 'NUMBER'
  /** A text. */
  | 'STRING';

/** The length of the points of a report. */
export type ReportInterval =
  /** Calendar days. */
  | 'DAY'
  /** Calendar months. */
  | 'MONTH'
  /** Weeks from Monday. */
  | 'WEEK';

/** When a unit counts in a period. */
export type RetentionMode =
  /** When it returns in the period. */
  | 'ON'
  /** When it returns in the period or at any time later. */
  | 'ON_OR_AFTER';

/** By what `revenue` breaks down. */
export type RevenueBreakdown =
  /** By the country of the storefront. */
  | 'COUNTRY'
  /** By nothing. */
  | 'NONE'
  /** By the platform of the device that first brought the line. */
  | 'PLATFORM'
  /** By the store's product id. */
  | 'PRODUCT';

/** The length of the points of `eventSeries`. */
export type SeriesInterval =
  /** Calendar days. */
  | 'DAY'
  /** 3,600 seconds, from the first instant of the day. */
  | 'HOUR'
  /** Calendar months. */
  | 'MONTH'
  /** Weeks from Monday. */
  | 'WEEK';

/** What `eventSeries` measures of the events of a point. */
export type SeriesMeasure =
  /** The mean of these numbers. Null without one. */
  | 'AVERAGE'
  /** The number of events. */
  | 'COUNT'
  /** The median of these numbers. Between two numbers it interpolates. Null without one. */
  | 'MEDIAN'
  /** The value below which 90 % of these numbers lie. Between two numbers it interpolates. Null without one. */
  | 'P90'
  /** The events of a unit that has one, on average. Null without an event. */
  | 'PER_UNIT'
  /** The sum of the numbers that `property` has. 0 without a number. */
  | 'SUM'
  /** The number of units with an event. */
  | 'UNIQUE';

/** The environments of the store. */
export type StoreEnvironment =
  /** Real purchases. */
  | 'PRODUCTION'
  /** Test purchases. */
  | 'SANDBOX';

/** The offers of the store. */
export type StoreOffer =
  /** By a code. */
  | 'CODE'
  /** For new subscribers. */
  | 'INTRODUCTORY'
  /** The plain price. */
  | 'NONE'
  /** For present or former subscribers. */
  | 'PROMOTIONAL'
  /** For those who ended their subscription. */
  | 'WIN_BACK';

/** How the user pays for an offer. */
export type StoreOfferMode =
  /** Nothing. */
  | 'FREE_TRIAL'
  /** Once. */
  | 'ONE_TIME'
  /** For each period. */
  | 'PAY_AS_YOU_GO'
  /** For several periods at once. */
  | 'PAY_UP_FRONT';

/** Whose purchase it is. */
export type StoreOwnership =
  /** Shared by somebody of the user's family. */
  | 'FAMILY_SHARED'
  /** The user's own. */
  | 'PURCHASED';

/** Why the store took a purchase back. */
export type StoreRevocationReason =
  /** An actual or perceived issue of the app. */
  | 'APP_ISSUE'
  /** Any other reason. */
  | 'OTHER';

/** How the store took a purchase back. */
export type StoreRevocationType =
  /** The family's sharing ended. */
  | 'FAMILY_REVOKE'
  /** The whole price was refunded. */
  | 'REFUND_FULL'
  /** Part of the price was refunded. */
  | 'REFUND_PRORATED';

/**
 * The states of a store transaction. `PENDING` becomes one of the other three. Each of these can become `RESOLVED` by a
 * later look-up or by a notification of the store.
 */
export type StoreTransactionState =
  /** The store refused the request for good, or its response does not verify. `StoreTransaction.reason` says why. */
  | 'FAILED'
  /** For 24 hours the store has not known the transaction, neither in production nor in the sandbox. */
  | 'NOT_FOUND'
  /** The transaction waits for its first or next look-up. `StoreTransaction.reason` says for what. */
  | 'PENDING'
  /** The service looked the transaction up, or got a notification with it, and verified it. */
  | 'RESOLVED';

/** What becomes of a delivery. */
export type WebhookDeliveryState =
  /** The receiver has responded with a status from 200 to 299. */
  | 'DELIVERED'
  /** The service has given it up. */
  | 'PARKED'
  /** It waits for its first or for another attempt, or for an earlier event of the same object. */
  | 'PENDING';

/** The events of webhooks. Enums may get new values. */
export type WebhookEvent =
  /**
   * `campaign.state_changed`: a campaign has moved, by a user or by the clock. `data` is
   * `{campaignId, from, to, version}`. A new campaign has not moved.
   */
  | 'CAMPAIGN_STATE_CHANGED'
  /**
   * `entitlement.activated`: the entitlement has become active. It is sent for a new line, for a purchase or a renewal that the
   * service learns of after it has told the end, for a revocation that the store took back, and for a product whose longer
   * `durationDays` prolongs it. `data` is the `Entitlement`, `active` true ("Events of entitlements").
   */
  | 'ENTITLEMENT_ACTIVATED'
  /**
   * `entitlement.expired`: an active entitlement has ended, because its period, its billing grace or the `durationDays` of its
   * product has. It is also sent when billing retry begins without grace. `data` is the `Entitlement`, `active` false ("Events of
   * entitlements").
   */
  | 'ENTITLEMENT_EXPIRED'
  /**
   * `entitlement.renewed`: an active entitlement has got another period, an upgrade or downgrade to another product included, or
   * the store has moved its end to a later time. Several periods of which the service learns at once are one event. `data` is
   * the `Entitlement` with the latest period ("Events of entitlements").
   */
  | 'ENTITLEMENT_RENEWED'
  /**
   * `entitlement.revoked`: the store has taken the entitlement back, for example by a refund, also after its end. `data` is the
   * `Entitlement` with `revokedAt`, `active` false ("Events of entitlements").
   */
  | 'ENTITLEMENT_REVOKED'
  /**
   * `entitlement.transferred`: the entitlement has another owner, or somebody who held it has lost it. The cause is an upload
   * under the policy `TRANSFER`, the store's account token, the first upload with an `external_id`, or a changed policy at the
   * next upload or look-up. An `external_id` that differs from the account token only by the case of a UUID is the same owner.
   * `data` is the `Entitlement` with the owner from now on ("Events of entitlements").
   */
  | 'ENTITLEMENT_TRANSFERRED';
