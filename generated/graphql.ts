import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { SeenOrganization, SeenProject, SeenApplication, SeenApiKey } from '../src/workspace/caller.ts';
import type { SeenCampaign } from '../src/campaigns/campaignFields.ts';
import type { SeenDevice } from '../src/devices/device.ts';
import type { SessionRecord } from '../src/sessions/read/deviceSessionsStore.ts';
import type { AdminContext } from '../src/graphql/context.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /**
   * A moment. Answers are in UTC with milliseconds, `2026-03-01T09:30:00.000Z`. Inputs need seconds and
   * an offset (`Z` or `+01:00`), may have any number of fraction digits (those after the third are
   * dropped) and lie in the years 0001 to 9999. Anything else is refused before execution (HTTP 400).
   */
  DateTime: { input: Date; output: Date; }
  /**
   * Any JSON value: object, list, string, number, boolean or null. It is written and read as it is, not
   * as a string that contains JSON. Inputs nest at most 32 levels; deeper, with U+0000 or half of a
   * surrogate pair in a key or a string, or with a number beyond double precision (`1e400`), they are
   * refused before execution (HTTP 400). A literal with a variable inside (`payload: {k: $x}`) is put together only while
   * executing: what is wrong with the whole is then `BAD_USER_INPUT` with HTTP 200. Send the whole value as one variable.
   */
  JSON: { input: unknown; output: unknown; }
  /**
   * An identifier: 32 hexadecimal digits as 8-4-4-4-12, for example
   * `018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90`. Upper and lower case are the same, answers are lower case.
   * Anything else is refused before execution (HTTP 400), without being compared to anything stored.
   */
  UUID: { input: string; output: string; }
};

/**
 * A pair of keys for the SDK of one application. Both are given to the SDK at initialization. What is
 * shipped in an app can be extracted from it: the secret protects uploads against tampering and replay, it
 * does not prove who sent them.
 */
export type ApiKey = {
  /** The application it belongs to. */
  application: Application;
  /**
   * When an upload or a fetch last carried it, true within a minute. Null when never. What counts is a request that was
   * small enough and in a known media type, with a key that is right and, where it is signed, a signature of the present,
   * whatever then became of it: not one with `413` for its bytes as sent, `415`, or a `403` other than `nonce_reused`.
   */
  lastUsed?: Maybe<Scalars['DateTime']['output']>;
  /**
   * The public key, sent in `X-Api-Key`: `pub_` and 32 of the characters `0-9A-Za-z`, for example
   * `pub_9ZyXwVuTsRqPoNmLkJiHgFeDcBa43210`. Unique; names the key.
   */
  public: Scalars['String']['output'];
  /**
   * The secret key, with which the SDK signs session uploads: `sec_` and 32 of the characters `0-9A-Za-z`, for example
   * `sec_0OaBcDeFgHiJkLmNoPqRsTuVwXyZ1234`.
   * Stored encrypted. It can be read again at any time by admins and owners; each reading is recorded.
   */
  secret: Scalars['String']['output'];
};

/** One app on one platform. Its SDK carries one of its API keys, and its campaigns reach its devices only. */
export type Application = {
  /**
   * The live keys, oldest first; revoked ones are not listed. For admins and owners; others get null with
   * `FORBIDDEN` at this path, and the rest of the answer. Selecting `ApiKey.secret` here is recorded in the
   * audit log.
   */
  apiKeys?: Maybe<Array<ApiKey>>;
  /** The bundle or package identifier, for example `com.example.shop`, 1 to 256 characters. Need not be unique. */
  bundleId: Scalars['String']['output'];
  /** The identifier. It never changes. */
  id: Scalars['UUID']['output'];
  /** The picture, normally a URL, at most 2,048 characters of free text, for example `https://example.com/shop.png`. Empty when there is none. */
  image: Scalars['String']['output'];
  /** The name, 1 to 256 characters, for example `Shop for phones`. Need not be unique. */
  name: Scalars['String']['output'];
  /** `iOS` or `Android`. */
  platform: Scalars['String']['output'];
  /** The project it belongs to. */
  project: Project;
};

/** The input of `applicationEdit`. In an edit absent fields stay as they are. */
export type ApplicationEditInput = {
  /** The bundle or package identifier, by the rules of names ("Limits"). Required for a new application. Null is refused. */
  bundleId?: InputMaybe<Scalars['String']['input']>;
  /** Which application. Null or absent: a new one. */
  id?: InputMaybe<Scalars['UUID']['input']>;
  /** The picture, at most 2,048 characters. Null or an empty text clears it (`Application.image` is then empty). */
  image?: InputMaybe<Scalars['String']['input']>;
  /** The name, 1 to 256 characters, not blank. Required for a new application. Null is refused. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** `iOS` or `Android`. Required for a new application. Null is refused. */
  platform?: InputMaybe<Scalars['String']['input']>;
  /** The project. Required for a new application; in an edit it moves the application there. Null is refused. */
  projectId?: InputMaybe<Scalars['UUID']['input']>;
};

/**
 * The latest install-attribution data of one provider. A report that comes again word by word is a retry, and as old as its
 * first arrival.
 */
export type Attribution = {
  /**
   * The data as it arrived, an object, for example `{"source": "search", "clicked_at": 1788970000}`. Numbers keep their
   * digits in the answer's text, beyond what a double holds too.
   */
  payload: Scalars['JSON']['output'];
  /** `provider_a`, `store_search_ads`, `provider_b`, or `custom` for the upload's `custom` object; in this order. */
  provider: Scalars['String']['output'];
  /** When it arrived, by the service's clock. */
  receivedAt: Scalars['DateTime']['output'];
};

/**
 * One line of the audit log. It is there exactly when the change took effect, or before a secret was handed out; a change
 * or a reading that cannot be recorded is not made. Lines are only ever added and are kept for good, also when what they
 * are about is deleted: the database refuses to change or remove one.
 */
export type AuditEntry = {
  /**
   * What was done, for example `organizationEdit`: the name of the mutation (`signup`, `updatePassword`, `userEdit`, `userInvite`,
   * `organizationEdit`, `projectEdit`, `projectDelete`, `applicationEdit`, `applicationDelete`, `apiKeyCreate`,
   * `apiKeyRevoke`, `storeCredentialsEdit`, `campaignEdit`, `campaignChangeState`), or `apiKeyReveal` when
   * `ApiKey.secret` was read: one line for each key and request, also where the request has just created the key. A
   * mutation that changed nothing has no line, nor have `login`, `refreshToken` and `resetPassword`, which change no object
   * of the organization.
   */
  action: Scalars['String']['output'];
  /** The e-mail address of the user who did it, for example `ann@example.com`. */
  actor: Scalars['String']['output'];
  /** When, by the service's clock. */
  at: Scalars['DateTime']['output'];
  /**
   * More about it, an object; never a password, token, secret or private key. For edits of users, organization,
   * projects and applications the changed fields, for example `{"name": {"from": "Shop", "to": "Store"}}`, with `from` null when
   * it was created. For `campaignEdit` `{"version": 4, "fields": ["name"]}` with the fields of its input that have
   * another value now, for `campaignChangeState` `{"version": 5, "from": "DRAFT", "to": "ACTIVE"}`, for `storeCredentialsEdit` `{"set": true}` (false when they were
   * cleared), for `projectDelete` `{"applications": […]}` with the ids of those that went with it, for API keys
   * `{"applicationId": …}`, else `{}`.
   */
  details: Scalars['JSON']['output'];
  /**
   * Which one, for example `018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90`: its id; of a user the e-mail address; of an API key the
   * public key; of store credentials the application's id; of `signup` the new organization's id.
   */
  objectId: Scalars['String']['output'];
  /** `organization`, `user`, `project`, `application`, `apiKey`, `storeCredentials` or `campaign`. */
  objectType: Scalars['String']['output'];
};

/**
 * What a successful `login`, `signup` or `refreshToken` gives. Below `user` and `organization` the rights
 * are those of this user.
 */
export type AuthPayload = {
  /** The user's organization. A user belongs to exactly one. */
  organization: Organization;
  /**
   * The token for the next `refreshToken`. For one use; dead 30 days after it was given and 90 days after
   * the login, whichever comes first. Keep it where scripts of other origins cannot read it.
   */
  refreshToken: Scalars['String']['output'];
  /** The access token, for `Authorization: Bearer <token>`. Lives 90 minutes. Do not look into it. */
  token: Scalars['String']['output'];
  /** The user who is logged in. */
  user: ServiceUser;
};

/**
 * A rule by which apps show or do something: when this event happens (`trigger`) on such a device
 * (`targeting`), not more often than this (`frequency`), during this time (`schedule`), do that (`action`).
 * It is sent to devices while it is `ACTIVE`, and ahead of time while it is `SCHEDULED`.
 */
export type Campaign = {
  /** What the app is to do. Null while a draft has none. */
  action?: Maybe<CampaignAction>;
  /**
   * The states to which `campaignChangeState` can move it now, by the table in `CampaignState`, in the order
   * of that enum and without the present one. That the campaign lacks something for a state (say, an
   * action) does not remove that state from the list.
   */
  allowedTransitions: Array<CampaignState>;
  /** The application whose devices get it. It never changes. */
  application: Application;
  /** When it was created. */
  createdAt: Scalars['DateTime']['output'];
  /** Notes for the team, at most 4,096 characters, for example `Agreed with sales`. Devices do not get it. Null when there are none. */
  description?: Maybe<Scalars['String']['output']>;
  /** How often at most. Null: no cap. */
  frequency?: Maybe<CampaignFrequency>;
  /** The identifier. It is the `campaignId` of the SDK's events. */
  id: Scalars['UUID']['output'];
  /** The name, 1 to 256 characters, for example `Autumn offer`. The SDK sees it. Need not be unique. */
  name: Scalars['String']['output'];
  /** 0 to 1000. Of several campaigns that one event would set off only the highest runs; of equal ones the lowest `id`. 0 unless set. */
  priority: Scalars['Int']['output'];
  /** From when until when. Null: from activation until it is stopped. */
  schedule?: Maybe<CampaignSchedule>;
  /** The state now, by the clock too. */
  state: CampaignState;
  /** What devices have reported. Counts each event once, however often it was uploaded. */
  stats: CampaignStats;
  /** For which devices and users. Null: for all of the application. */
  targeting?: Maybe<CampaignTargeting>;
  /** What sets it off. Null while a draft has none. */
  trigger?: Maybe<CampaignTrigger>;
  /** When it was last edited or moved by somebody. */
  updatedAt: Scalars['DateTime']['output'];
  /**
   * Starts at 1 and grows by one with every `campaignEdit` and every move of `campaignChangeState`. What
   * happens by the clock does not count. Pass it as `expectedVersion` so that two people do not overwrite
   * each other. Every version that was `SCHEDULED` or `ACTIVE`, and so could reach devices, is kept by the service
   * with its content, so that it can be told later what a device has shown; no operation reads it.
   */
  version: Scalars['Int']['output'];
};

/** What the app does when the campaign is set off. The service passes it on and does not look into it. */
export type CampaignAction = {
  /** Whether the app waits for the outcome, which is then reported as `CampaignResolved`. */
  blocking: Scalars['Boolean']['output'];
  /** After how many seconds a blocking action counts as `Unavailable` with `TimedOut`. Null: the SDK's default. */
  deadlineSeconds?: Maybe<Scalars['Int']['output']>;
  /**
   * Its data: any JSON value, at most 64 KiB as text, for example `{"screen": "offer", "discountPercent": 20}`. Null when
   * there is none.
   */
  payload?: Maybe<Scalars['JSON']['output']>;
  /** A word the app understands, 1 to 256 characters, for example `open_screen`. */
  type: Scalars['String']['output'];
};

/** See `CampaignAction`. */
export type CampaignActionInput = {
  /** Whether the app waits for the outcome. Null: false. */
  blocking?: InputMaybe<Scalars['Boolean']['input']>;
  /** 1 to 86,400 seconds, for a blocking action only (`BAD_USER_INPUT` otherwise). Null or absent: the SDK's default. */
  deadlineSeconds?: InputMaybe<Scalars['Int']['input']>;
  /**
   * Its data: any JSON value, at most 64 KiB (65,536 bytes) in UTF-8 as JSON without white space and with its numbers
   * written out (1e-7 counts as 0.0000001), whole numbers in it within ±(2^53-1). Null or absent: none. Devices get the
   * same value; the order of an object's members is not kept.
   */
  payload?: InputMaybe<Scalars['JSON']['input']>;
  /** A word the app understands, 1 to 256 characters, not blank, taken as it is. */
  type: Scalars['String']['input'];
};

/**
 * The input of `campaignEdit`. In an edit an absent field stays as it is, an explicit null clears it, and the five objects
 * are replaced as a whole.
 */
export type CampaignEditInput = {
  /** What the app is to do. Null clears it. */
  action?: InputMaybe<CampaignActionInput>;
  /** The application. Required for a new campaign; in an edit it may be repeated but not changed (`BAD_USER_INPUT`). Null is refused. */
  applicationId?: InputMaybe<Scalars['UUID']['input']>;
  /** At most 4,096 characters, taken as they are. Null clears it. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** The `Campaign.version` the user has seen; if another one is stored: `CONFLICT`. Null or absent: whatever is stored. Not for a new campaign (`BAD_USER_INPUT`). */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** How often at most. Null: no cap. */
  frequency?: InputMaybe<CampaignFrequencyInput>;
  /** Which campaign. Null or absent: a new one. */
  id?: InputMaybe<Scalars['UUID']['input']>;
  /** 1 to 256 characters, not blank. Required for a new campaign. Null is refused. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** 0 to 1000. Null sets it to 0. */
  priority?: InputMaybe<Scalars['Int']['input']>;
  /** From when until when. Null clears both ends, and so does `{}`: it is read back as null. */
  schedule?: InputMaybe<CampaignScheduleInput>;
  /** For which devices and users. Null: for all. */
  targeting?: InputMaybe<CampaignTargetingInput>;
  /** What sets it off. Null clears it. */
  trigger?: InputMaybe<CampaignTriggerInput>;
};

/**
 * How often one device shows a campaign at most. All given caps hold together. The device counts
 * `CampaignShown`; how a campaign was resolved (`CampaignResolved`) never counts.
 */
export type CampaignFrequency = {
  /** Seconds that must pass between two times. Null: none. */
  cooldownSeconds?: Maybe<Scalars['Int']['output']>;
  /** In one day of the device's calendar. Null: no cap. */
  perDay?: Maybe<Scalars['Int']['output']>;
  /** In one session. Null: no cap. */
  perSession?: Maybe<Scalars['Int']['output']>;
  /** Ever. Null: no cap. */
  total?: Maybe<Scalars['Int']['output']>;
};

/** See `CampaignFrequency`. */
export type CampaignFrequencyInput = {
  /** 1 to 31,536,000 seconds (a year) between two times. Null or absent: none. */
  cooldownSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** 1 to 1,000,000 in one day of the device's calendar. Null or absent: no cap. */
  perDay?: InputMaybe<Scalars['Int']['input']>;
  /** 1 to 1,000,000 in one session. Null or absent: no cap. */
  perSession?: InputMaybe<Scalars['Int']['input']>;
  /** 1 to 1,000,000 ever. Null or absent: no cap. */
  total?: InputMaybe<Scalars['Int']['input']>;
};

/** `CampaignResolved` events by `result`. Whole numbers. */
export type CampaignResolvedStats = {
  /** `Completed`: the action ran to its end. */
  completed: Scalars['Float']['output'];
  /** `Dismissed`: the user closed it. */
  dismissed: Scalars['Float']['output'];
  /** `SkippedNoContinuation`: there was nothing waiting for its outcome. */
  skippedNoContinuation: Scalars['Float']['output'];
  /** `SkippedNoPresenter`: the app has nothing that could show it. */
  skippedNoPresenter: Scalars['Float']['output'];
  /** `Unavailable`: it could not be shown; why is in `CampaignStats.unavailableReasons`. */
  unavailable: Scalars['Float']['output'];
};

/** When a campaign runs. */
export type CampaignSchedule = {
  /** When it becomes `FINISHED`. Null: by hand. At this moment it no longer runs. */
  endAt?: Maybe<Scalars['DateTime']['output']>;
  /** When a `SCHEDULED` campaign becomes `ACTIVE`. Null: by hand. */
  startAt?: Maybe<Scalars['DateTime']['output']>;
};

/** See `CampaignSchedule`. */
export type CampaignScheduleInput = {
  /** When it becomes `FINISHED`. Must be after `startAt` where both are given. Null or absent: by hand. */
  endAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** When a `SCHEDULED` campaign becomes `ACTIVE`. May be in the past. Null or absent: by hand. */
  startAt?: InputMaybe<Scalars['DateTime']['input']>;
};

/**
 * The life of a campaign. Moves by `campaignChangeState`:
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
 * By the clock, with nobody doing anything: `SCHEDULED` becomes `ACTIVE` at `schedule.startAt`; `SCHEDULED`
 * and `ACTIVE` become `FINISHED` at `schedule.endAt`. What is read is always the state of that moment.
 *
 * `SCHEDULED` needs `schedule.startAt`. `SCHEDULED` and `ACTIVE` need `trigger`, `action` and a
 * `schedule.endAt` that is in the future or none; otherwise `BAD_USER_INPUT` with the paths.
 */
export type CampaignState =
  /** Running on devices. Activated by hand it runs at once, whatever `schedule.startAt` says. */
  | 'ACTIVE'
  /** Put away. Final. Still readable. */
  | 'ARCHIVED'
  /** Being written. Not sent to devices. May be incomplete. */
  | 'DRAFT'
  /** Over, by hand or at `schedule.endAt`. Cannot be edited or started again. Statistics still grow by late uploads. */
  | 'FINISHED'
  /** Stopped for now; devices drop it at their next fetch. It stays paused past `schedule.endAt`, until somebody moves it. */
  | 'PAUSED'
  /** Waits for `schedule.startAt`. Devices already have it, so that it starts on time without a connection. */
  | 'SCHEDULED';

/**
 * What devices have reported about a campaign since it exists. Counts are events, not people; an event counts
 * once, and as soon as its upload was answered with 200.
 */
export type CampaignStats = {
  /** `CampaignResolved` events by `result`. */
  resolved: CampaignResolvedStats;
  /** `CampaignShown` events. A whole number. */
  shown: Scalars['Float']['output'];
  /** `CampaignResolved` events with result `Unavailable` by `unavailableReason` (known from SDK 0.5.2 on). */
  unavailableReasons: CampaignUnavailableStats;
};

/**
 * For which devices and users. All given conditions must hold. Platform, versions and country are applied by
 * the service when a device says them in its fetch; user properties are compared on the device.
 */
export type CampaignTargeting = {
  /** The app's version when it was installed (`appInstallVersionNormalized`). Null: any. */
  appInstallVersion?: Maybe<VersionRange>;
  /** The app's version now (`appVersionNormalized`). Null: any. */
  appVersion?: Maybe<VersionRange>;
  /** Codes as in `Country.code`, for example `DE`. A device whose country is not known is not reached. Empty: any. */
  countries: Array<Scalars['String']['output']>;
  /** The operating system's version (`osVersionNormalized`). Null: any. */
  osVersion?: Maybe<VersionRange>;
  /** `iOS`, `Android` or both. Empty: any. */
  platforms: Array<Scalars['String']['output']>;
  /** The SDK's version (`sdkVersionNormalized`). Null: any. */
  sdkVersion?: Maybe<VersionRange>;
  /** Groups of conditions on user properties: at least one group must hold, and a group holds when all in it do. Empty: any. */
  userProperties: Array<Array<UserPropertyCondition>>;
};

/** See `CampaignTargeting`. */
export type CampaignTargetingInput = {
  /** The app's version when it was installed. Null or absent: any. */
  appInstallVersion?: InputMaybe<VersionRangeInput>;
  /** The app's version now. Null or absent: any. */
  appVersion?: InputMaybe<VersionRangeInput>;
  /** Codes exactly as in `Country.code` (249 of them), each once. Null, absent or empty: any. */
  countries?: InputMaybe<Array<Scalars['String']['input']>>;
  /** The operating system's version. Null or absent: any. */
  osVersion?: InputMaybe<VersionRangeInput>;
  /** `iOS`, `Android` or both, each once. Null, absent or empty: any. */
  platforms?: InputMaybe<Array<Scalars['String']['input']>>;
  /** The SDK's version. Null or absent: any. */
  sdkVersion?: InputMaybe<VersionRangeInput>;
  /**
   * At most 20 groups of 1 to 20 conditions: at least one group must hold, and a group holds when all in it do. Null,
   * absent or empty: any.
   *
   *     "userProperties": [[{"name": "plan", "op": "EQ", "value": "pro"}], [{"name": "seats", "op": "GTE", "value": 5}]]
   */
  userProperties?: InputMaybe<Array<Array<UserPropertyConditionInput>>>;
};

/** The event on the device that sets a campaign off. */
export type CampaignTrigger = {
  /**
   * The name of the event, 1 to 256 characters, for example `ProductViewed`, upper and lower case being different. For
   * `CUSTOM` none of the names in `EventType.SYSTEM`; for `SYSTEM` one of them, but not `CampaignShown` or
   * `CampaignResolved`: a campaign cannot set off a campaign.
   */
  event: Scalars['String']['output'];
  /** Conditions on the event's parameters, all of which must hold. Empty: none. */
  filters: Array<CampaignTriggerFilter>;
  /** Whether the app or the SDK records that event. */
  type: EventType;
};

/** A condition on one parameter of the triggering event. */
export type CampaignTriggerFilter = {
  /** How to compare. */
  op: ConditionOperator;
  /** The parameter's name, 1 to 256 characters, for example `price`. */
  param: Scalars['String']['output'];
  /**
   * With what, for example `20`: string, number or boolean; a list of them for `IN` and `NOT_IN`; null for `EXISTS` and
   * `NOT_EXISTS`.
   */
  value?: Maybe<Scalars['JSON']['output']>;
};

/** See `CampaignTriggerFilter`. */
export type CampaignTriggerFilterInput = {
  /** How to compare. */
  op: ConditionOperator;
  /** The parameter's name, 1 to 256 characters, not blank, taken as it is. */
  param: Scalars['String']['input'];
  /**
   * With what. `EQ`, `NEQ`: a string (at most 8,192 characters), a number or a boolean. `GT`, `GTE`, `LT`, `LTE`: a
   * number or a string. `CONTAINS`: a string, not empty. `IN`, `NOT_IN`: a list of 1 to 100 strings, numbers or
   * booleans. `EXISTS`, `NOT_EXISTS`: absent or null. Whole numbers lie within ±(2^53-1). What is wrong with one entry of
   * a list is said at its path, `input.trigger.filters[0].value[3]`.
   */
  value?: InputMaybe<Scalars['JSON']['input']>;
};

/** See `CampaignTrigger`. */
export type CampaignTriggerInput = {
  /**
   * The name of the event, 1 to 256 characters, not blank, taken as it is: white space around it counts, because the app
   * may track such a name. Which names are allowed for which type is said at `CampaignTrigger.event`.
   */
  event: Scalars['String']['input'];
  /** At most 50 conditions, all of which must hold. Null, absent or empty: none. */
  filters?: InputMaybe<Array<CampaignTriggerFilterInput>>;
  /** Whether the app or the SDK records that event. */
  type: EventType;
};

/**
 * `CampaignResolved` events with result `Unavailable` by reason. Whole numbers. Their sum is less than
 * `CampaignResolvedStats.unavailable` where SDKs before 0.5.2 report without a reason.
 */
export type CampaignUnavailableStats = {
  /** `PresenterFailed`: the app's action handler threw. */
  presenterFailed: Scalars['Float']['output'];
  /** `PresenterReported`: the handler reported that it could not proceed. */
  presenterReported: Scalars['Float']['output'];
  /** `TimedOut`: the deadline elapsed. */
  timedOut: Scalars['Float']['output'];
};

/**
 * How a condition compares the device's value with the condition's `value`. A value that is not there fulfils
 * `NOT_EXISTS` and nothing else. Values of different types are not equal and have no order.
 */
export type ConditionOperator =
  /** Text that contains the given text, with regard to upper and lower case. The empty text is not allowed. */
  | 'CONTAINS'
  /** Equal. Text with regard to upper and lower case. */
  | 'EQ'
  /** There, whatever it is. Has no `value`. */
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
  /** There, and not equal. */
  | 'NEQ'
  /** Not there. Has no `value`. */
  | 'NOT_EXISTS'
  /** There, and equal to none of a list, which has 1 to 100 entries. */
  | 'NOT_IN';

/** A country of ISO 3166-1. */
export type Country = {
  /** The alpha-2 code in upper case, for example `DE`. */
  code: Scalars['String']['output'];
  /** The English short name, for example `Germany`. */
  name: Scalars['String']['output'];
};

/** What has been stored for one device of one application. */
export type Device = {
  /** The latest data of each attribution provider from which some has arrived, in the order of `Attribution.provider`. */
  attribution: Array<Attribution>;
  /**
   * What the user has bought, from the resolved transactions, newest `purchasedAt` first. Those older than the newest
   * 20,000 are stored, and cannot be read here.
   */
  entitlements: Array<Entitlement>;
  /** When the first upload of any kind arrived, by the service's clock. */
  firstSeenAt: Scalars['DateTime']['output'];
  /** `device.id` as the SDK sent it, for example `d-7f3c2a90`. */
  id: Scalars['String']['output'];
  /** When the last upload of sessions arrived, or of an attribution or a transaction that was new, by the service's clock. */
  lastSeenAt: Scalars['DateTime']['output'];
  /**
   * `device.properties` of the newest session upload, all of them with the names of the public API, null where one was left
   * out, for example
   * `{"platform": "iOS", "deviceModel": "phone-15-2", "appVersionNormalized": 2014003}`. Null while no session upload has arrived.
   */
  properties?: Maybe<Scalars['JSON']['output']>;
  /** Sessions, newest `startedAt` first. Those older than the newest 200 are stored and counted, and cannot be read here. */
  sessions: Array<DeviceSession>;
  /** How many different sessions are stored. */
  sessionsCount: Scalars['Int']['output'];
  /**
   * Store transactions uploaded by this device, newest `receivedAt` first. Those older than the newest 20,000 are stored,
   * and cannot be read here.
   */
  transactions: Array<StoreTransaction>;
  /** The app's identifier of the user (`user.id`), for example `user-42`. Null when the app has set none. */
  userId?: Maybe<Scalars['String']['output']>;
  /**
   * The user's custom properties as an object of name and value, for example `{"plan": "pro", "seats": 3}`. Empty
   * object when there are none.
   */
  userProperties: Scalars['JSON']['output'];
};


/** What has been stored for one device of one application. */
export type DeviceEntitlementsArgs = {
  limit?: InputMaybe<Scalars['Int']['input']>;
};


/** What has been stored for one device of one application. */
export type DeviceSessionsArgs = {
  limit?: InputMaybe<Scalars['Int']['input']>;
};


/** What has been stored for one device of one application. */
export type DeviceTransactionsArgs = {
  limit?: InputMaybe<Scalars['Int']['input']>;
};

/** One event of a session, as it arrived the first time. */
export type DeviceEvent = {
  /** `events[].id` as the SDK sent it, for example `e-03`. */
  id: Scalars['String']['output'];
  /** The name, 1 to 256 characters, for example `ProductViewed`. */
  name: Scalars['String']['output'];
  /**
   * The parameters as an object of name and value, for example `{"product_id": "sku-1001", "price": 49.9}`. Empty object
   * when there are none.
   */
  params: Scalars['JSON']['output'];
  /** When it arrived, by the service's clock. */
  receivedAt: Scalars['DateTime']['output'];
  /** When it happened, by the device's clock. */
  timestamp: Scalars['DateTime']['output'];
  /** Whether the app or the SDK recorded it. */
  type: EventType;
};

/** One session of a device. */
export type DeviceSession = {
  /**
   * Its events, oldest `timestamp` first. Those of one instant are in a stable order that says nothing: which of them was
   * recorded first is not stored. More of them than one answer holds ("Limits") are read page by page.
   */
  events: Array<DeviceEvent>;
  /** When it ended, by the device's clock (`finishDate`). Null while it is open. */
  finishedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Which session of this device it is (`number.global`). A whole number. */
  globalNumber: Scalars['Float']['output'];
  /** `sessions[].id` as the SDK sent it, for example `s-01`. */
  id: Scalars['String']['output'];
  /** When its first upload arrived, by the service's clock. */
  receivedAt: Scalars['DateTime']['output'];
  /** When it began, by the device's clock (`startDate`). */
  startedAt: Scalars['DateTime']['output'];
  /** Which session within the app's version it is (`number.version`). A whole number. */
  versionNumber: Scalars['Float']['output'];
};


/** One session of a device. */
export type DeviceSessionEventsArgs = {
  limit?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
};

/**
 * A right that the user of a device has bought: one for each subscription line, with the dates of its latest period,
 * and one for each other transaction.
 *
 * All fields but `active` say what the store answered at the last look-up. A transaction is never looked up again once its
 * state is final. So a renewal, a refund or a change of `autoRenew` shows after an app has uploaded another transaction of
 * the same subscription line. A refund of anything else does not show, because nothing follows its one transaction.
 */
export type Entitlement = {
  /**
   * Computed from the stored dates at the time of the query: not revoked and not expired, a billing grace period included,
   * in either environment. False for a subscription whose renewal is not known yet, true after a refund that is not.
   */
  active: Scalars['Boolean']['output'];
  /** Whether the subscription was to renew at the last look-up. Null for what is no auto-renewable subscription, or when not known. */
  autoRenew?: Maybe<Scalars['Boolean']['output']>;
  /** In which of the store's environments it was bought. Do not grant anything in a released app for `SANDBOX`. */
  environment: StoreEnvironment;
  /** When it ends, as far as known at the last look-up. Null when it does not end by itself. */
  expiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** What kind of product it is. */
  kind: EntitlementKind;
  /** The store's product identifier, for example `com.example.shop.pro.monthly`. */
  productId: Scalars['String']['output'];
  /** When it was bought, of a subscription the latest period known at the last look-up. */
  purchasedAt: Scalars['DateTime']['output'];
  /** When the store took it back, for example by a refund. Null when it had not at the last look-up. */
  revokedAt?: Maybe<Scalars['DateTime']['output']>;
};

/** The kinds of product in the store. */
export type EntitlementKind =
  /** A subscription that renews by itself. */
  | 'AUTO_RENEWABLE'
  /** Used up, can be bought again. */
  | 'CONSUMABLE'
  /** Bought once, for ever. */
  | 'NON_CONSUMABLE'
  /** A subscription for a fixed time. */
  | 'NON_RENEWING';

/**
 * The values of `extensions.code`. No field has this type: it is here so that a dashboard can generate
 * a type for it and match it completely. Generators that type documents leave it out. For codegen's client preset a second
 * entry of `generates` makes it: `'enums.ts': { plugins: ['typescript'], config: { onlyEnums: true, enumsAsTypes: true } }`,
 * with the package `@graphql-codegen/typescript`. Statuses are those of the HTTP answer.
 */
export type ErrorCode =
  /**
   * HTTP 400 when the body is missing, is not valid JSON, or is not an object with a `query`; 406 when
   * `Accept` excludes JSON; 415 when `Content-Type` is missing or not JSON, or `Content-Encoding` is not known (`identity`,
   * `gzip`, `deflate` and `br` are). Nothing was executed.
   *
   *     {"message": "The body must be a JSON object with a text \"query\".", "extensions": {"code": "BAD_REQUEST"}}
   */
  | 'BAD_REQUEST'
  /**
   * HTTP 200 with `extensions.fields`, a list of `{path, message}`, one for every value that is not
   * acceptable, at most 100 of them. `path` starts at the argument: `input.email`, `input.trigger.filters[0].value`,
   * `limit`. The message never repeats the value.
   *
   * HTTP 400 without `extensions.fields` when a variable does not fit its declared type (a UUID that is
   * none, a missing required field); nothing was executed.
   *
   * A variable inside a literal, or with a default, can fit its declared type and not its place: null where the place takes
   * none, or text with U+0000 in a `JSON` literal. This is found while executing: HTTP 200, and `path` names the argument
   * only (`input`).
   *
   *     {"message": "The input is not valid.", "path": ["userInvite"],
   *       "extensions": {"code": "BAD_USER_INPUT", "fields": [{"path": "input.email", "message": "must be an e-mail address of at most 254 characters"}]}}
   */
  | 'BAD_USER_INPUT'
  /**
   * HTTP 200. The request is right and the stored state stands against it: an e-mail address already in
   * use, the last owner, a campaign that was edited meanwhile. Where a version is meant,
   * `extensions.currentVersion` (number) is the stored one: load the object again and let the user
   * decide.
   *
   *     {"message": "The stored state stands against this.", "path": ["campaignEdit"],
   *       "extensions": {"code": "CONFLICT", "currentVersion": 1}}
   */
  | 'CONFLICT'
  /**
   * HTTP 200. Logged in, and the role does not allow this. Repeating does not help. No extensions. On
   * `Application.apiKeys` it comes with null at that path while the rest of the answer is there.
   *
   *     {"message": "Your role does not allow this.", "path": ["auditLog"], "extensions": {"code": "FORBIDDEN"}}
   */
  | 'FORBIDDEN'
  /**
   * HTTP 400. `query` is not a GraphQL document, or has more than 2,000 tokens. Nothing was executed.
   * `locations` says where.
   *
   *     {"message": "Syntax Error: Expected Name, found <EOF>.", "extensions": {"code": "GRAPHQL_PARSE_FAILED"}}
   */
  | 'GRAPHQL_PARSE_FAILED'
  /**
   * HTTP 400. The document does not fit this schema (unknown field, missing argument, wrong literal), or
   * is over a limit: depth 10, 15 aliases, one authentication mutation. Nothing was executed.
   *
   *     {"message": "Cannot query field \"you\" on type \"Query\".", "extensions": {"code": "GRAPHQL_VALIDATION_FAILED"}}
   */
  | 'GRAPHQL_VALIDATION_FAILED'
  /**
   * HTTP 200. From `campaignChangeState`: the campaign cannot go from its state to the wanted one.
   * `extensions.allowed` lists the states (`CampaignState` values) it can go to.
   *
   *     {"message": "The campaign cannot go to this state.", "path": ["campaignChangeState"],
   *       "extensions": {"code": "ILLEGAL_TRANSITION", "allowed": ["SCHEDULED", "ACTIVE", "ARCHIVED"]}}
   */
  | 'ILLEGAL_TRANSITION'
  /**
   * HTTP 200, or 500 when it happened outside of execution. A failure of the service, with a message
   * that says nothing more. Queries can be repeated. After a mutation, read the object first: the
   * change may have been made. No extensions.
   *
   *     {"message": "Internal server error.", "path": ["signup"], "extensions": {"code": "INTERNAL_SERVER_ERROR"}}
   */
  | 'INTERNAL_SERVER_ERROR'
  /**
   * HTTP 200. From `login` only: unknown e-mail address, wrong password, or an account that is invited
   * or disabled. These are answered alike and take equally long. No extensions.
   *
   *     {"message": "The e-mail address or the password is wrong.", "path": ["login"],
   *       "extensions": {"code": "INVALID_CREDENTIALS"}}
   */
  | 'INVALID_CREDENTIALS'
  /**
   * HTTP 200. From `refreshToken` and `updatePassword`: the token is unknown, expired, used or revoked.
   * These are answered alike. After `refreshToken`: log in again. After `updatePassword`: ask for a new
   * mail. No extensions.
   *
   *     {"message": "The token is not valid.", "path": ["refreshToken"], "extensions": {"code": "INVALID_TOKEN"}}
   */
  | 'INVALID_TOKEN'
  /**
   * HTTP 200. No such object: never existed, deleted, or not of this organization; these are answered
   * alike. No extensions.
   *
   *     {"message": "Not found.", "path": ["projectDelete"], "extensions": {"code": "NOT_FOUND"}}
   */
  | 'NOT_FOUND'
  /**
   * HTTP 400. The document has no operation of the name in `operationName`, or has several and no
   * `operationName` was sent. Nothing was executed.
   *
   *     {"message": "Unknown operation named \"Other\".", "extensions": {"code": "OPERATION_RESOLUTION_FAILURE"}}
   */
  | 'OPERATION_RESOLUTION_FAILURE'
  /**
   * HTTP 413. The body is larger than 100 kB. `extensions.limit` is the limit in bytes (number). Nothing
   * was executed.
   *
   *     {"message": "The body is larger than 100000 bytes.", "extensions": {"code": "PAYLOAD_TOO_LARGE", "limit": 100000}}
   */
  | 'PAYLOAD_TOO_LARGE'
  /**
   * HTTP 200. Too many attempts at `login`, `signup`, `refreshToken`, `resetPassword`,
   * `updatePassword` or `userInvite`. Each field of an operation that asks for one of these counts, for that mutation
   * alone: for the account (e-mail address or token; at `userInvite` the invited address, within the organization) and for
   * the network address; by default 10 per account and 100 per address in 15 minutes. An account's are counted from
   * everywhere together, its owner's among them: whoever knows an e-mail address can use them up. Those who are logged in
   * stay so. At `userInvite` an attempt with `BAD_USER_INPUT` does not count; at the others it does.
   * `extensions.retryAfterSeconds` (whole number) says how long to wait; rely on it and not on the
   * defaults. Refused attempts do not prolong the wait.
   *
   *     {"message": "Too many attempts.", "path": ["login"],
   *       "extensions": {"code": "RATE_LIMITED", "retryAfterSeconds": 840}}
   */
  | 'RATE_LIMITED'
  /**
   * HTTP 401, `data` absent. The operation selects a protected field and the bearer is missing,
   * malformed, expired or revoked. Call `refreshToken` once, repeat the operation, and when that fails
   * too, log in again. No extensions; the answer has `WWW-Authenticate: Bearer`.
   *
   *     {"message": "A valid bearer token is needed.", "extensions": {"code": "UNAUTHENTICATED"}}
   */
  | 'UNAUTHENTICATED';

/** Who records an event. */
export type EventType =
  /** The app, through the SDK's `track(...)`. On the SDK's wire: `custom`. */
  | 'CUSTOM'
  /**
   * The SDK itself. On its wire: `system`. The reserved names: `SdkInitialized`, `ConfigFetchStarted`,
   * `ConfigFetchFinished`, `SessionStarted`, `SessionFinished`, `CampaignShown`, `EventTriggered`,
   * `CustomPropertyChanged`, `CampaignResolved`.
   */
  | 'SYSTEM';

/** The input of `login`. */
export type LoginInput = {
  /** The e-mail address. White space around it, upper or lower case and the spelling of its domain do not matter. */
  email: Scalars['String']['input'];
  /** The password, exactly as it was set. */
  password: Scalars['String']['input'];
};

/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type Mutation = {
  /**
   * Creates one more API key of an application. Several keys may be live at once. To replace a key: create
   * the new one, release the app with it, watch `ApiKey.lastUsed` of the old one, then revoke that.
   *
   *     mutation NewKey($application: UUID!) { apiKeyCreate(applicationId: $application) { public secret } }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND` (the application).
   */
  apiKeyCreate: ApiKey;
  /**
   * Revokes an API key for good. Within a second the public API answers it with 404
   * `Application not found`. SDKs that carry it stop sending, and keep on the device what they would have sent until a
   * version of the app with another key sends it. Data already stored stays. The last key can be revoked too. The answer is
   * true; a second time it is `NOT_FOUND`.
   *
   *     mutation Revoke($key: String!) { apiKeyRevoke(public: $key) }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND`.
   */
  apiKeyRevoke: Scalars['Boolean']['output'];
  /**
   * Deletes an application with its keys, campaigns and devices. Within a second the public API answers
   * its keys with 404 `Application not found`. Its data is removed in the background: from a minute after
   * the deletion on, and for the last time an hour after it, so that an upload accepted in the last moment
   * goes too. What stays is its id, its public keys, which are never given to anybody else, and the audit
   * log. It cannot be undone. The answer is true; a second time it is `NOT_FOUND`.
   *
   *     mutation DeleteApplication($id: UUID!) { applicationDelete(id: $id) }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND`.
   */
  applicationDelete: Scalars['Boolean']['output'];
  /**
   * Creates an application (without `id`) or edits one (with it). A new application gets its first API key
   * at once.
   *
   *     mutation Create($project: UUID!) {
   *       applicationEdit(input: { projectId: $project, name: "Shop", bundleId: "com.example.shop", platform: "iOS" }) {
   *         id
   *         apiKeys { public secret }
   *       }
   *     }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `NOT_FOUND` (the application or the project).
   */
  applicationEdit: Application;
  /**
   * Moves a campaign to another state, by the moves in `CampaignState`. A move raises `version` by one. To
   * the state it is in already succeeds and changes nothing. `expectedVersion` is checked before the state.
   * A move to `SCHEDULED` whose `startAt` has passed answers the state `ACTIVE`, and the same move once more is
   * `ILLEGAL_TRANSITION`: with `expectedVersion` a repeat is told apart, by `CONFLICT`.
   *
   *     mutation Start($id: UUID!, $seen: Int) {
   *       campaignChangeState(id: $id, state: ACTIVE, expectedVersion: $seen) { state version allowedTransitions }
   *     }
   *
   * Access: editor.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND`, `CONFLICT` (with `currentVersion`),
   * `ILLEGAL_TRANSITION` (with `allowed`), `BAD_USER_INPUT` (the campaign lacks what the state needs; the
   * paths are those of the campaign: `trigger`, `action`, `schedule.startAt`, `schedule.endAt`; or the
   * application's campaigns would become too long together, at `state`).
   */
  campaignChangeState: Campaign;
  /**
   * Creates a campaign as `DRAFT` (without `id`, in `applicationId`) or edits one (with `id`). In an edit
   * an absent field stays as it is and an explicit null clears; `trigger`, `targeting`, `frequency`,
   * `schedule` and `action` are replaced as a whole, they are not merged. Every edit raises `version` by
   * one. A `DRAFT` may be incomplete; what a `SCHEDULED` or `ACTIVE` campaign needs (see `CampaignState`)
   * it must still have after the edit; otherwise `BAD_USER_INPUT` at `input.trigger`, `input.action`,
   * `input.schedule.startAt` or `input.schedule.endAt`, and at `input` where the application's campaigns would
   * become too long together ("Limits"). A campaign that has begun by the clock stays `ACTIVE`,
   * whatever the edit makes of `schedule.startAt`. A `FINISHED` or `ARCHIVED` campaign cannot be edited
   * (`CONFLICT`), by the clock too.
   * Devices see the new version at their next fetch, and are told of it in the answer to their next upload.
   *
   *     mutation Rename($id: UUID!, $name: String!, $seen: Int!) {
   *       campaignEdit(input: { id: $id, name: $name, expectedVersion: $seen }) { id name version }
   *     }
   *
   * Access: editor.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `NOT_FOUND` (the campaign or the
   * application), `CONFLICT` (with `currentVersion`: `expectedVersion` is not the stored version, or the
   * campaign is over).
   */
  campaignEdit: Campaign;
  /**
   * Logs a user in by e-mail address and password and starts a session of its own; sessions on other
   * devices go on. An unknown address, a wrong password and an invited or disabled account are answered
   * alike.
   *
   *     mutation Login($input: LoginInput!) {
   *       login(input: $input) { token refreshToken user { name role } organization { id name } }
   *     }
   *
   * Access: public.
   * Errors: `INVALID_CREDENTIALS`, `RATE_LIMITED`.
   */
  login: AuthPayload;
  /**
   * Edits the caller's organization.
   *
   *     mutation Organization($name: String!) { organizationEdit(input: { name: $name }) { id name } }
   *
   * Access: owner.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`.
   */
  organizationEdit: Organization;
  /**
   * Deletes a project with all its applications, see `applicationDelete`. It cannot be undone. The answer
   * is true; a second time it is `NOT_FOUND`.
   *
   *     mutation DeleteProject($id: UUID!) { projectDelete(id: $id) }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND`.
   */
  projectDelete: Scalars['Boolean']['output'];
  /**
   * Creates a project (without `id`) or edits one (with it).
   *
   *     mutation Project($name: String!) { projectEdit(input: { name: $name }) { id name } }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `NOT_FOUND`.
   */
  projectEdit: Project;
  /**
   * Exchanges a refresh token for a new token and a new refresh token. Each refresh token is for one
   * use. Used again within 30 seconds it gives the same successor, so that two browser tabs do not log
   * each other out; used again later it is taken for stolen: the login it comes from ends, with all
   * its tokens, and the answer is `INVALID_TOKEN`. Call it about once an hour and always keep the pair
   * that came last.
   *
   *     mutation Refresh($token: String!) { refreshToken(token: $token) { token refreshToken } }
   *
   * Access: public.
   * Errors: `INVALID_TOKEN`, `RATE_LIMITED`.
   */
  refreshToken: AuthPayload;
  /**
   * Starts a password reset: an active account gets a mail with the link
   * `{dashboard}/reset-password?token=…`, where `{dashboard}` is `DASHBOARD_URL` in the service's
   * configuration and never comes from a request. The page behind it takes the token out of the address
   * bar, asks for a password and calls `updatePassword`. The token works once and for 30 minutes; several
   * may be open at once, and a new password ends them all. The answer to an e-mail address is
   * always true, at the same speed, whether the account exists or not, unless it was asked for too often. The mail is sent afterwards by a job, once; while the mail server is
   * away it is tried again for a day, and of several that wait for one address only the latest goes out.
   *
   *     mutation Reset($input: ResetPasswordInput!) { resetPassword(input: $input) }
   *
   * Access: public.
   * Errors: `BAD_USER_INPUT` (no e-mail address), `RATE_LIMITED`.
   */
  resetPassword: Scalars['Boolean']['output'];
  /**
   * Registers a new organization and its first user, who is its `owner` and `active` at once, and logs
   * them in. To join an existing organization one is invited (`userInvite`) instead.
   *
   *     mutation Signup($input: RegistrationUserInput!) {
   *       signup(input: $input) { token refreshToken organization { id } }
   *     }
   *
   * Access: public.
   * Errors: `BAD_USER_INPUT`, `CONFLICT` (the e-mail address is in use, in whatever organization),
   * `RATE_LIMITED`.
   */
  signup: AuthPayload;
  /**
   * Sets or clears the credentials with which the service asks the store's server API about the
   * transactions of an application. Transactions that wait for them (`StoreTransaction.state` `PENDING`)
   * are then looked up, those that wait with reason `credentials_refused` too. A pause for which the store
   * asked (`Retry-After`) ends, and what it has put off is looked up as well. The credentials are stored
   * encrypted and are never returned; there is no operation that reads them. The answer is true.
   *
   *     mutation Credentials($input: StoreCredentialsEditInput!) { storeCredentialsEdit(input: $input) }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT` (only some of the values, or a key that is
   * none), `NOT_FOUND` (the application).
   */
  storeCredentialsEdit: Scalars['Boolean']['output'];
  /**
   * Sets a password with the token of a reset mail or of an invitation mail. It ends every session of the
   * user, on all devices, and every other open token of these kinds. With an invitation's token the user
   * becomes `active`. It does not log in: call `login` next, with the e-mail address that the page asks the user for. Neither
   * the link nor the answer tells it; both mails name it in their text. The input is judged before the token, and a
   * refused attempt (passwords differ, too short, too common) does not use the token up. The answer is true.
   *
   *     mutation NewPassword($input: UpdatePasswordInput!) { updatePassword(input: $input) }
   *
   * Access: public.
   * Errors: `INVALID_TOKEN`, `BAD_USER_INPUT` (at `input.newPassword` or `input.newPasswordRepeat`),
   * `RATE_LIMITED`.
   */
  updatePassword: Scalars['Boolean']['output'];
  /**
   * Edits a user of the caller's organization: oneself without `email`, another one with it. Everybody
   * edits their own name and avatar; the rest, and other users, need admin; owners are edited only by
   * themselves (name, avatar) and by owners, and only an owner makes somebody an owner. The e-mail address
   * itself cannot be changed.
   *
   * | Status | can become | by |
   * |---|---|---|
   * | `invited` | `active` | the user, `updatePassword` with the invitation's token |
   * | `invited` | `disabled` | `userEdit`; the invitation's token is dead |
   * | `active` | `disabled` | `userEdit`; all sessions, with their access tokens, and open reset tokens end with this request |
   * | `disabled` | `active` | `userEdit`, when the user has once been active |
   * | `disabled` | `invited` | `userInvite`, when the user has never been active |
   *
   * Other changes of status are `BAD_USER_INPUT` at `input.status`.
   *
   *     mutation Promote($email: String!) { userEdit(input: { email: $email, role: "editor" }) { email role } }
   *
   * Access: viewer (own name and avatar), admin (others, role, status), owner (owners).
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `NOT_FOUND` (no such user in this
   * organization), `CONFLICT` (the last active owner cannot be demoted or disabled).
   */
  userEdit: ServiceUser;
  /**
   * Invites somebody into the caller's organization: a user with status `invited` is created and gets a
   * mail with the link `{dashboard}/accept-invitation?token=…`. The page behind it asks for a password and
   * calls `updatePassword`. The token works once and for 7 days. Inviting a user again who has never been
   * active sends a new mail, takes over the new name and role, makes them `invited` again if they were
   * `disabled`, and makes the earlier token dead. Links and mails are made and sent as at `resetPassword`.
   *
   *     mutation Invite($input: UserInviteInput!) { userInvite(input: $input) { email status } }
   *
   * Access: admin; owner to invite an owner.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `CONFLICT` (the e-mail address belongs to an
   * account that has been active, or to another organization), `RATE_LIMITED`.
   */
  userInvite: ServiceUser;
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationApiKeyCreateArgs = {
  applicationId: Scalars['UUID']['input'];
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationApiKeyRevokeArgs = {
  public: Scalars['String']['input'];
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationApplicationDeleteArgs = {
  id: Scalars['UUID']['input'];
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationApplicationEditArgs = {
  input: ApplicationEditInput;
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationCampaignChangeStateArgs = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['UUID']['input'];
  state: CampaignState;
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationCampaignEditArgs = {
  input: CampaignEditInput;
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationLoginArgs = {
  input: LoginInput;
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationOrganizationEditArgs = {
  input: OrganizationEditInput;
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationProjectDeleteArgs = {
  id: Scalars['UUID']['input'];
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationProjectEditArgs = {
  input: ProjectEditInput;
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationRefreshTokenArgs = {
  token: Scalars['String']['input'];
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationResetPasswordArgs = {
  input: ResetPasswordInput;
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationSignupArgs = {
  input: RegistrationUserInput;
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationStoreCredentialsEditArgs = {
  input: StoreCredentialsEditInput;
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationUpdatePasswordArgs = {
  input: UpdatePasswordInput;
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationUserEditArgs = {
  input: UserEditInput;
};


/**
 * All changing operations. Several mutations of one request run one after the other, each in its own
 * transaction; one that fails does not undo those before it. Each change is recorded, see `auditLog`.
 */
export type MutationUserInviteArgs = {
  input: UserInviteInput;
};

/** A customer of the service: its users and its projects. Nothing is shared between organizations. */
export type Organization = {
  /** The identifier. It never changes. */
  id: Scalars['UUID']['output'];
  /** The logo, normally a URL, at most 2,048 characters of free text, for example `https://example.com/logo.png`. Null when there is none. */
  logo?: Maybe<Scalars['String']['output']>;
  /** The name, 1 to 256 characters, for example `Example Games`. Need not be unique. */
  name: Scalars['String']['output'];
  /** All projects, oldest first. Never null. */
  projects?: Maybe<Array<Project>>;
  /** How many projects there are. Never null. */
  projectsCount?: Maybe<Scalars['Int']['output']>;
  /** All users, invited and disabled ones included, in the order in which they came. Never null. */
  users?: Maybe<Array<ServiceUser>>;
};

/** The input of `organizationEdit`. Absent fields stay as they are. */
export type OrganizationEditInput = {
  /** The new logo, at most 2,048 characters. Null or an empty text clears it. */
  logo?: InputMaybe<Scalars['String']['input']>;
  /** The new name, 1 to 256 characters, not blank. Null is refused. */
  name?: InputMaybe<Scalars['String']['input']>;
};

/** A group of applications, for example one product on two platforms. */
export type Project = {
  /** All applications, oldest first. Never null. */
  applications?: Maybe<Array<Application>>;
  /** The identifier. It never changes. */
  id: Scalars['UUID']['output'];
  /** The picture, normally a URL, at most 2,048 characters of free text, for example `https://example.com/picture.png`. Null when there is none. */
  image?: Maybe<Scalars['String']['output']>;
  /** The name, 1 to 256 characters, for example `Shop`. Need not be unique. */
  name: Scalars['String']['output'];
};

/** The input of `projectEdit`. In an edit absent fields stay as they are. */
export type ProjectEditInput = {
  /** Which project. Null or absent: a new one. */
  id?: InputMaybe<Scalars['UUID']['input']>;
  /** The picture, at most 2,048 characters. Null or an empty text clears it. */
  image?: InputMaybe<Scalars['String']['input']>;
  /** The name, 1 to 256 characters, not blank. Required for a new project. Null is refused. */
  name?: InputMaybe<Scalars['String']['input']>;
};

/**
 * All reading operations. They change nothing and can be repeated freely; a reading of `ApiKey.secret` is recorded, see
 * `auditLog`.
 */
export type Query = {
  /**
   * The applications of the caller's organization, oldest first.
   *
   *     query Applications($project: UUID) {
   *       applications(projectId: $project) { id name bundleId apiKeys { public lastUsed } }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `NOT_FOUND` (the project).
   */
  applications: Array<Application>;
  /**
   * Who changed what and when in the caller's organization, newest first. To go on, pass the `at` of the
   * last entry as `before`. Entries of one and the same millisecond are never split between pages: a
   * page that would end inside such a group holds all of it and is that much longer than `limit`. Only
   * entries of one change share a millisecond (the secrets that one request has read, say), and `at` grows
   * in the order in which changes took effect, so paging back misses none.
   *
   *     query Audit($before: DateTime) {
   *       auditLog(limit: 20, before: $before) { at actor action objectId details }
   *     }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`.
   */
  auditLog: Array<AuditEntry>;
  /**
   * One campaign, or null when there is none of this id in the caller's organization.
   *
   *     query Campaign($id: UUID!) { campaign(id: $id) { name state version allowedTransitions } }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`.
   */
  campaign?: Maybe<Campaign>;
  /**
   * The campaigns of the caller's organization that fit all given filters, newest first (by
   * `createdAt`). There are no more pages when fewer than `limit` come back.
   *
   *     query Running($app: UUID!) {
   *       campaigns(applicationId: $app, state: ACTIVE, limit: 20) { id name priority stats { shown } }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application).
   */
  campaigns: Array<Campaign>;
  /**
   * The countries of ISO 3166-1 with their English names, in alphabetical order of the name. For
   * pickers of `CampaignTargeting.countries`. Never null and without null items, although the type allows both.
   *
   *     query Countries { countries { code name } }
   *
   * Access: public.
   * Errors: none of its own.
   */
  countries?: Maybe<Array<Maybe<Country>>>;
  /**
   * What has been stored for one device, so that an SDK team can see its uploads. Null when nothing has
   * arrived from this device for this application, and when the application is not one of the caller's
   * organization. Attribution or a transaction alone make a device known.
   *
   *     query Uploads($app: UUID!, $device: String!) {
   *       device(applicationId: $app, id: $device) {
   *         lastSeenAt
   *         sessions(limit: 5) { id startedAt finishedAt events { name timestamp params } }
   *       }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`.
   */
  device?: Maybe<Device>;
  /**
   * The caller's user id, or null without a valid bearer. A cheap way to ask "am I still logged in?",
   * because it never answers 401. The id is a UUID as text.
   *
   *     query Id { id }
   *
   * Access: public.
   * Errors: none of its own.
   */
  id?: Maybe<Scalars['String']['output']>;
  /**
   * The caller.
   *
   *     query Me { me { email name role status avatar } }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`.
   */
  me: ServiceUser;
  /**
   * The caller's organization.
   *
   *     query Home { me { name role } organization { name projectsCount users { email role status } } }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`.
   */
  organization: Organization;
  /**
   * The projects of the caller's organization, oldest first.
   *
   *     query Projects { projects { id name applications { id name platform } } }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`.
   */
  projects: Array<Project>;
};


/**
 * All reading operations. They change nothing and can be repeated freely; a reading of `ApiKey.secret` is recorded, see
 * `auditLog`.
 */
export type QueryApplicationsArgs = {
  projectId?: InputMaybe<Scalars['UUID']['input']>;
};


/**
 * All reading operations. They change nothing and can be repeated freely; a reading of `ApiKey.secret` is recorded, see
 * `auditLog`.
 */
export type QueryAuditLogArgs = {
  before?: InputMaybe<Scalars['DateTime']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
};


/**
 * All reading operations. They change nothing and can be repeated freely; a reading of `ApiKey.secret` is recorded, see
 * `auditLog`.
 */
export type QueryCampaignArgs = {
  id: Scalars['UUID']['input'];
};


/**
 * All reading operations. They change nothing and can be repeated freely; a reading of `ApiKey.secret` is recorded, see
 * `auditLog`.
 */
export type QueryCampaignsArgs = {
  applicationId?: InputMaybe<Scalars['UUID']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  search?: InputMaybe<Scalars['String']['input']>;
  state?: InputMaybe<CampaignState>;
};


/**
 * All reading operations. They change nothing and can be repeated freely; a reading of `ApiKey.secret` is recorded, see
 * `auditLog`.
 */
export type QueryDeviceArgs = {
  applicationId: Scalars['UUID']['input'];
  id: Scalars['String']['input'];
};

/** The input of `signup`. */
export type RegistrationUserInput = {
  /** The e-mail address, at most 254 characters. Must not be in use in any organization. */
  email: Scalars['String']['input'];
  /** The name of the user, 1 to 256 characters, not blank. */
  name: Scalars['String']['input'];
  /** The name of the new organization, 1 to 256 characters, not blank. */
  organization: Scalars['String']['input'];
  /** 8 to 256 characters, and not one of the most common passwords. Taken as it is: nothing is trimmed, no character class is required. */
  password: Scalars['String']['input'];
};

/** The input of `resetPassword`. */
export type ResetPasswordInput = {
  /** The account's e-mail address, at most 254 characters. */
  email: Scalars['String']['input'];
};

/** A user of the dashboard. Known by the e-mail address, which is unique over all organizations. */
export type ServiceUser = {
  /** The picture, normally a URL, at most 2,048 characters of free text, for example `https://example.com/picture.png`. Null when there is none. */
  avatar?: Maybe<Scalars['String']['output']>;
  /** The e-mail address in lower case, at most 254 characters, its domain in Unicode, for example `ann@example.com`. Always there. */
  email?: Maybe<Scalars['String']['output']>;
  /** The name to show, 1 to 256 characters, for example `Ann`. Null when somebody was invited without one. */
  name?: Maybe<Scalars['String']['output']>;
  /** `owner`, `admin`, `editor` or `viewer`; what each may do is said at the top. Always there. */
  role?: Maybe<Scalars['String']['output']>;
  /**
   * `active`, `invited` (has not set a password yet) or `disabled` (cannot log in). Always there; the
   * changes between them are in `Mutation.userEdit`.
   */
  status?: Maybe<Scalars['String']['output']>;
};

/**
 * The input of `storeCredentialsEdit`. `issuerId`, `keyId` and `privateKey` are given all or none: with all of them the
 * credentials are replaced, with none of them, and no `bundleId`, they are cleared; anything between is
 * `BAD_USER_INPUT` with the paths. Here null is the same as absent. None of the values is ever returned.
 */
export type StoreCredentialsEditInput = {
  /** The application whose transactions they are for. */
  applicationId: Scalars['UUID']['input'];
  /** The bundle identifier to ask for, when it is not `Application.bundleId`; 1 to 256 characters; white space around it is removed. */
  bundleId?: InputMaybe<Scalars['String']['input']>;
  /** The issuer's identifier as the store shows it, 1 to 256 characters; white space around it is removed. */
  issuerId?: InputMaybe<Scalars['String']['input']>;
  /** The key's identifier as the store shows it, 1 to 256 characters; white space around it is removed. */
  keyId?: InputMaybe<Scalars['String']['input']>;
  /** The private key as the store gives it: a P-256 key in PKCS#8, PEM text from `-----BEGIN PRIVATE KEY-----` on, at most 4,096 characters. */
  privateKey?: InputMaybe<Scalars['String']['input']>;
};

/** The environments of the store. */
export type StoreEnvironment =
  /** Real purchases. */
  | 'PRODUCTION'
  /** Test purchases. */
  | 'SANDBOX';

/**
 * A store transaction identifier that a device uploaded, and what became of it. One that several devices uploaded
 * is listed by each.
 */
export type StoreTransaction = {
  /** The store's transaction identifier as uploaded, for example `730000100200301`. */
  id: Scalars['String']['output'];
  /**
   * Why it is not resolved, as one word for programs, for example `no_credentials`. Null when there is nothing to say, and always for `RESOLVED`.
   * While `PENDING`: `no_credentials`, `credentials_refused` and `credentials_unreadable` wait for
   * `storeCredentialsEdit`; `credentials_unreadable`, `no_root_certificates`, `store_busy` and `store_unavailable` are tried
   * again by themselves.
   * With `FAILED`: `retries_exhausted`, `store_refused_<code>` (the store's error code, or the status of an answer that has
   * none and may be a proxy's), `wrong_bundle`, `wrong_environment`,
   * `wrong_transaction`, `invalid_certificate`, `not_verified`, `unknown_kind`, `incomplete_transaction`, `invalid_id`,
   * `internal_error`.
   */
  reason?: Maybe<Scalars['String']['output']>;
  /** When it first arrived for this application, by the service's clock. */
  receivedAt: Scalars['DateTime']['output'];
  /** When the state became final. Null while `PENDING`. */
  resolvedAt?: Maybe<Scalars['DateTime']['output']>;
  /** How far the service has come with it. */
  state: StoreTransactionState;
};

/** The states of a store transaction: `PENDING` becomes one of the other three, which are final. */
export type StoreTransactionState =
  /** The store refused the question for good, or its answer does not verify; see `StoreTransaction.reason`. */
  | 'FAILED'
  /** The store does not know it, neither in production nor in the sandbox. */
  | 'NOT_FOUND'
  /**
   * Waits to be looked up, or to be looked up again: the store could not be reached, or the application has no
   * credentials (see `storeCredentialsEdit`), or the store refused them.
   */
  | 'PENDING'
  /** Looked up and verified. It is among the device's entitlements. */
  | 'RESOLVED';

/** The input of `updatePassword`. */
export type UpdatePasswordInput = {
  /** 8 to 256 characters, and not one of the most common passwords. Taken as it is: nothing is trimmed, no character class is required. */
  newPassword: Scalars['String']['input'];
  /** The same once more. If it differs: `BAD_USER_INPUT` at `input.newPasswordRepeat`. */
  newPasswordRepeat: Scalars['String']['input'];
  /** The token from the link of the reset mail or the invitation mail. */
  token: Scalars['String']['input'];
};

/** The input of `userEdit`. Absent fields stay as they are. */
export type UserEditInput = {
  /** The new picture, at most 2,048 characters. Null or an empty text clears it. */
  avatar?: InputMaybe<Scalars['String']['input']>;
  /** Whom: the e-mail address of a user of the own organization. Null or absent: oneself. */
  email?: InputMaybe<Scalars['String']['input']>;
  /** The new name, 1 to 256 characters, not blank. Null is refused. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** `owner`, `admin`, `editor` or `viewer`. Null is refused. */
  role?: InputMaybe<Scalars['String']['input']>;
  /** `active` or `disabled`, see the table at `Mutation.userEdit`. Null is refused. */
  status?: InputMaybe<Scalars['String']['input']>;
};

/** The input of `userInvite`. */
export type UserInviteInput = {
  /** Where the invitation goes, at most 254 characters. */
  email: Scalars['String']['input'];
  /**
   * The name, 1 to 256 characters, not blank. Null: none yet, the user can set it. Absent: none yet either,
   * and in a further invitation the one that is there.
   */
  name?: InputMaybe<Scalars['String']['input']>;
  /** `owner`, `admin`, `editor` or `viewer`. */
  role: Scalars['String']['input'];
};

/** A condition on one custom property of the user. */
export type UserPropertyCondition = {
  /** The property's name, 1 to 256 characters, for example `plan`. */
  name: Scalars['String']['output'];
  /** How to compare. */
  op: ConditionOperator;
  /**
   * With what, for example `"pro"`: string, number or boolean; a list of them for `IN` and `NOT_IN`; null for `EXISTS` and
   * `NOT_EXISTS`.
   */
  value?: Maybe<Scalars['JSON']['output']>;
};

/** See `UserPropertyCondition`. */
export type UserPropertyConditionInput = {
  /** The property's name, 1 to 256 characters, not blank, taken as it is. */
  name: Scalars['String']['input'];
  /** How to compare. */
  op: ConditionOperator;
  /** With what, by the rules of `CampaignTriggerFilterInput.value`. */
  value?: InputMaybe<Scalars['JSON']['input']>;
};

/**
 * From one version to another, both included. Versions are the comparable whole numbers that the SDK sends, 0
 * to 2^53-1. The service only compares them; the recommended encoding is
 * `major * 1000000 + minor * 1000 + patch`, so 2.14.3 is 2014003.
 */
export type VersionRange = {
  /** The highest version. Null: no upper end. */
  max?: Maybe<Scalars['Float']['output']>;
  /** The lowest version. Null: no lower end. */
  min?: Maybe<Scalars['Float']['output']>;
};

/** See `VersionRange`. At least one end is needed, and `min` must not be above `max`. */
export type VersionRangeInput = {
  /** The highest version, included. A whole number from 0 to 2^53-1. Null or absent: no upper end. */
  max?: InputMaybe<Scalars['Float']['input']>;
  /** The lowest version, included. A whole number from 0 to 2^53-1. Null or absent: no lower end. */
  min?: InputMaybe<Scalars['Float']['input']>;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;

export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;





/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  ApiKey: ResolverTypeWrapper<SeenApiKey>;
  Application: ResolverTypeWrapper<SeenApplication>;
  ApplicationEditInput: ApplicationEditInput;
  Attribution: ResolverTypeWrapper<Attribution>;
  AuditEntry: ResolverTypeWrapper<AuditEntry>;
  AuthPayload: ResolverTypeWrapper<Omit<AuthPayload, 'organization'> & { organization: ResolversTypes['Organization'] }>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  Campaign: ResolverTypeWrapper<SeenCampaign>;
  CampaignAction: ResolverTypeWrapper<CampaignAction>;
  CampaignActionInput: CampaignActionInput;
  CampaignEditInput: CampaignEditInput;
  CampaignFrequency: ResolverTypeWrapper<CampaignFrequency>;
  CampaignFrequencyInput: CampaignFrequencyInput;
  CampaignResolvedStats: ResolverTypeWrapper<CampaignResolvedStats>;
  CampaignSchedule: ResolverTypeWrapper<CampaignSchedule>;
  CampaignScheduleInput: CampaignScheduleInput;
  CampaignState: CampaignState;
  CampaignStats: ResolverTypeWrapper<CampaignStats>;
  CampaignTargeting: ResolverTypeWrapper<CampaignTargeting>;
  CampaignTargetingInput: CampaignTargetingInput;
  CampaignTrigger: ResolverTypeWrapper<CampaignTrigger>;
  CampaignTriggerFilter: ResolverTypeWrapper<CampaignTriggerFilter>;
  CampaignTriggerFilterInput: CampaignTriggerFilterInput;
  CampaignTriggerInput: CampaignTriggerInput;
  CampaignUnavailableStats: ResolverTypeWrapper<CampaignUnavailableStats>;
  ConditionOperator: ConditionOperator;
  Country: ResolverTypeWrapper<Country>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Device: ResolverTypeWrapper<SeenDevice>;
  DeviceEvent: ResolverTypeWrapper<DeviceEvent>;
  DeviceSession: ResolverTypeWrapper<SessionRecord>;
  Entitlement: ResolverTypeWrapper<Entitlement>;
  EntitlementKind: EntitlementKind;
  ErrorCode: ErrorCode;
  EventType: EventType;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  JSON: ResolverTypeWrapper<Scalars['JSON']['output']>;
  LoginInput: LoginInput;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Organization: ResolverTypeWrapper<SeenOrganization>;
  OrganizationEditInput: OrganizationEditInput;
  Project: ResolverTypeWrapper<SeenProject>;
  ProjectEditInput: ProjectEditInput;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  RegistrationUserInput: RegistrationUserInput;
  ResetPasswordInput: ResetPasswordInput;
  ServiceUser: ResolverTypeWrapper<ServiceUser>;
  StoreCredentialsEditInput: StoreCredentialsEditInput;
  StoreEnvironment: StoreEnvironment;
  StoreTransaction: ResolverTypeWrapper<StoreTransaction>;
  StoreTransactionState: StoreTransactionState;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  UUID: ResolverTypeWrapper<Scalars['UUID']['output']>;
  UpdatePasswordInput: UpdatePasswordInput;
  UserEditInput: UserEditInput;
  UserInviteInput: UserInviteInput;
  UserPropertyCondition: ResolverTypeWrapper<UserPropertyCondition>;
  UserPropertyConditionInput: UserPropertyConditionInput;
  VersionRange: ResolverTypeWrapper<VersionRange>;
  VersionRangeInput: VersionRangeInput;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  ApiKey: SeenApiKey;
  Application: SeenApplication;
  ApplicationEditInput: ApplicationEditInput;
  Attribution: Attribution;
  AuditEntry: AuditEntry;
  AuthPayload: Omit<AuthPayload, 'organization'> & { organization: ResolversParentTypes['Organization'] };
  Boolean: Scalars['Boolean']['output'];
  Campaign: SeenCampaign;
  CampaignAction: CampaignAction;
  CampaignActionInput: CampaignActionInput;
  CampaignEditInput: CampaignEditInput;
  CampaignFrequency: CampaignFrequency;
  CampaignFrequencyInput: CampaignFrequencyInput;
  CampaignResolvedStats: CampaignResolvedStats;
  CampaignSchedule: CampaignSchedule;
  CampaignScheduleInput: CampaignScheduleInput;
  CampaignStats: CampaignStats;
  CampaignTargeting: CampaignTargeting;
  CampaignTargetingInput: CampaignTargetingInput;
  CampaignTrigger: CampaignTrigger;
  CampaignTriggerFilter: CampaignTriggerFilter;
  CampaignTriggerFilterInput: CampaignTriggerFilterInput;
  CampaignTriggerInput: CampaignTriggerInput;
  CampaignUnavailableStats: CampaignUnavailableStats;
  Country: Country;
  DateTime: Scalars['DateTime']['output'];
  Device: SeenDevice;
  DeviceEvent: DeviceEvent;
  DeviceSession: SessionRecord;
  Entitlement: Entitlement;
  Float: Scalars['Float']['output'];
  Int: Scalars['Int']['output'];
  JSON: Scalars['JSON']['output'];
  LoginInput: LoginInput;
  Mutation: Record<PropertyKey, never>;
  Organization: SeenOrganization;
  OrganizationEditInput: OrganizationEditInput;
  Project: SeenProject;
  ProjectEditInput: ProjectEditInput;
  Query: Record<PropertyKey, never>;
  RegistrationUserInput: RegistrationUserInput;
  ResetPasswordInput: ResetPasswordInput;
  ServiceUser: ServiceUser;
  StoreCredentialsEditInput: StoreCredentialsEditInput;
  StoreTransaction: StoreTransaction;
  String: Scalars['String']['output'];
  UUID: Scalars['UUID']['output'];
  UpdatePasswordInput: UpdatePasswordInput;
  UserEditInput: UserEditInput;
  UserInviteInput: UserInviteInput;
  UserPropertyCondition: UserPropertyCondition;
  UserPropertyConditionInput: UserPropertyConditionInput;
  VersionRange: VersionRange;
  VersionRangeInput: VersionRangeInput;
};

export type ApiKeyResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['ApiKey'] = ResolversParentTypes['ApiKey']> = {
  application?: Resolver<ResolversTypes['Application'], ParentType, ContextType>;
  lastUsed?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  public?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  secret?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type ApplicationResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Application'] = ResolversParentTypes['Application']> = {
  apiKeys?: Resolver<Maybe<Array<ResolversTypes['ApiKey']>>, ParentType, ContextType>;
  bundleId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  image?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  platform?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  project?: Resolver<ResolversTypes['Project'], ParentType, ContextType>;
};

export type AttributionResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Attribution'] = ResolversParentTypes['Attribution']> = {
  payload?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  provider?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  receivedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type AuditEntryResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['AuditEntry'] = ResolversParentTypes['AuditEntry']> = {
  action?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  actor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  details?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  objectId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  objectType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type AuthPayloadResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['AuthPayload'] = ResolversParentTypes['AuthPayload']> = {
  organization?: Resolver<ResolversTypes['Organization'], ParentType, ContextType>;
  refreshToken?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  token?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  user?: Resolver<ResolversTypes['ServiceUser'], ParentType, ContextType>;
};

export type CampaignResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Campaign'] = ResolversParentTypes['Campaign']> = {
  action?: Resolver<Maybe<ResolversTypes['CampaignAction']>, ParentType, ContextType>;
  allowedTransitions?: Resolver<Array<ResolversTypes['CampaignState']>, ParentType, ContextType>;
  application?: Resolver<ResolversTypes['Application'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  frequency?: Resolver<Maybe<ResolversTypes['CampaignFrequency']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  priority?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  schedule?: Resolver<Maybe<ResolversTypes['CampaignSchedule']>, ParentType, ContextType>;
  state?: Resolver<ResolversTypes['CampaignState'], ParentType, ContextType>;
  stats?: Resolver<ResolversTypes['CampaignStats'], ParentType, ContextType>;
  targeting?: Resolver<Maybe<ResolversTypes['CampaignTargeting']>, ParentType, ContextType>;
  trigger?: Resolver<Maybe<ResolversTypes['CampaignTrigger']>, ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type CampaignActionResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['CampaignAction'] = ResolversParentTypes['CampaignAction']> = {
  blocking?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  deadlineSeconds?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  payload?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type CampaignFrequencyResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['CampaignFrequency'] = ResolversParentTypes['CampaignFrequency']> = {
  cooldownSeconds?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  perDay?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  perSession?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  total?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type CampaignResolvedStatsResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['CampaignResolvedStats'] = ResolversParentTypes['CampaignResolvedStats']> = {
  completed?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  dismissed?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  skippedNoContinuation?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  skippedNoPresenter?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  unavailable?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type CampaignScheduleResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['CampaignSchedule'] = ResolversParentTypes['CampaignSchedule']> = {
  endAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  startAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type CampaignStatsResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['CampaignStats'] = ResolversParentTypes['CampaignStats']> = {
  resolved?: Resolver<ResolversTypes['CampaignResolvedStats'], ParentType, ContextType>;
  shown?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  unavailableReasons?: Resolver<ResolversTypes['CampaignUnavailableStats'], ParentType, ContextType>;
};

export type CampaignTargetingResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['CampaignTargeting'] = ResolversParentTypes['CampaignTargeting']> = {
  appInstallVersion?: Resolver<Maybe<ResolversTypes['VersionRange']>, ParentType, ContextType>;
  appVersion?: Resolver<Maybe<ResolversTypes['VersionRange']>, ParentType, ContextType>;
  countries?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  osVersion?: Resolver<Maybe<ResolversTypes['VersionRange']>, ParentType, ContextType>;
  platforms?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  sdkVersion?: Resolver<Maybe<ResolversTypes['VersionRange']>, ParentType, ContextType>;
  userProperties?: Resolver<Array<Array<ResolversTypes['UserPropertyCondition']>>, ParentType, ContextType>;
};

export type CampaignTriggerResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['CampaignTrigger'] = ResolversParentTypes['CampaignTrigger']> = {
  event?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  filters?: Resolver<Array<ResolversTypes['CampaignTriggerFilter']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['EventType'], ParentType, ContextType>;
};

export type CampaignTriggerFilterResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['CampaignTriggerFilter'] = ResolversParentTypes['CampaignTriggerFilter']> = {
  op?: Resolver<ResolversTypes['ConditionOperator'], ParentType, ContextType>;
  param?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  value?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
};

export type CampaignUnavailableStatsResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['CampaignUnavailableStats'] = ResolversParentTypes['CampaignUnavailableStats']> = {
  presenterFailed?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  presenterReported?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  timedOut?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type CountryResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Country'] = ResolversParentTypes['Country']> = {
  code?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type DeviceResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Device'] = ResolversParentTypes['Device']> = {
  attribution?: Resolver<Array<ResolversTypes['Attribution']>, ParentType, ContextType>;
  entitlements?: Resolver<Array<ResolversTypes['Entitlement']>, ParentType, ContextType, RequireFields<DeviceEntitlementsArgs, 'limit'>>;
  firstSeenAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lastSeenAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  properties?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  sessions?: Resolver<Array<ResolversTypes['DeviceSession']>, ParentType, ContextType, RequireFields<DeviceSessionsArgs, 'limit'>>;
  sessionsCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  transactions?: Resolver<Array<ResolversTypes['StoreTransaction']>, ParentType, ContextType, RequireFields<DeviceTransactionsArgs, 'limit'>>;
  userId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  userProperties?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
};

export type DeviceEventResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['DeviceEvent'] = ResolversParentTypes['DeviceEvent']> = {
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  params?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  receivedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['EventType'], ParentType, ContextType>;
};

export type DeviceSessionResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['DeviceSession'] = ResolversParentTypes['DeviceSession']> = {
  events?: Resolver<Array<ResolversTypes['DeviceEvent']>, ParentType, ContextType, RequireFields<DeviceSessionEventsArgs, 'limit' | 'offset'>>;
  finishedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  globalNumber?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  receivedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  startedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  versionNumber?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type EntitlementResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Entitlement'] = ResolversParentTypes['Entitlement']> = {
  active?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  autoRenew?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  environment?: Resolver<ResolversTypes['StoreEnvironment'], ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['EntitlementKind'], ParentType, ContextType>;
  productId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  purchasedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  revokedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSON'], any> {
  name: 'JSON';
}

export type MutationResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  apiKeyCreate?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType, RequireFields<MutationApiKeyCreateArgs, 'applicationId'>>;
  apiKeyRevoke?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationApiKeyRevokeArgs, 'public'>>;
  applicationDelete?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationApplicationDeleteArgs, 'id'>>;
  applicationEdit?: Resolver<ResolversTypes['Application'], ParentType, ContextType, RequireFields<MutationApplicationEditArgs, 'input'>>;
  campaignChangeState?: Resolver<ResolversTypes['Campaign'], ParentType, ContextType, RequireFields<MutationCampaignChangeStateArgs, 'id' | 'state'>>;
  campaignEdit?: Resolver<ResolversTypes['Campaign'], ParentType, ContextType, RequireFields<MutationCampaignEditArgs, 'input'>>;
  login?: Resolver<ResolversTypes['AuthPayload'], ParentType, ContextType, RequireFields<MutationLoginArgs, 'input'>>;
  organizationEdit?: Resolver<ResolversTypes['Organization'], ParentType, ContextType, RequireFields<MutationOrganizationEditArgs, 'input'>>;
  projectDelete?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationProjectDeleteArgs, 'id'>>;
  projectEdit?: Resolver<ResolversTypes['Project'], ParentType, ContextType, RequireFields<MutationProjectEditArgs, 'input'>>;
  refreshToken?: Resolver<ResolversTypes['AuthPayload'], ParentType, ContextType, RequireFields<MutationRefreshTokenArgs, 'token'>>;
  resetPassword?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationResetPasswordArgs, 'input'>>;
  signup?: Resolver<ResolversTypes['AuthPayload'], ParentType, ContextType, RequireFields<MutationSignupArgs, 'input'>>;
  storeCredentialsEdit?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationStoreCredentialsEditArgs, 'input'>>;
  updatePassword?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationUpdatePasswordArgs, 'input'>>;
  userEdit?: Resolver<ResolversTypes['ServiceUser'], ParentType, ContextType, RequireFields<MutationUserEditArgs, 'input'>>;
  userInvite?: Resolver<ResolversTypes['ServiceUser'], ParentType, ContextType, RequireFields<MutationUserInviteArgs, 'input'>>;
};

export type OrganizationResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Organization'] = ResolversParentTypes['Organization']> = {
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  logo?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  projects?: Resolver<Maybe<Array<ResolversTypes['Project']>>, ParentType, ContextType>;
  projectsCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  users?: Resolver<Maybe<Array<ResolversTypes['ServiceUser']>>, ParentType, ContextType>;
};

export type ProjectResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Project'] = ResolversParentTypes['Project']> = {
  applications?: Resolver<Maybe<Array<ResolversTypes['Application']>>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  image?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type QueryResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  applications?: Resolver<Array<ResolversTypes['Application']>, ParentType, ContextType, Partial<QueryApplicationsArgs>>;
  auditLog?: Resolver<Array<ResolversTypes['AuditEntry']>, ParentType, ContextType, RequireFields<QueryAuditLogArgs, 'limit'>>;
  campaign?: Resolver<Maybe<ResolversTypes['Campaign']>, ParentType, ContextType, RequireFields<QueryCampaignArgs, 'id'>>;
  campaigns?: Resolver<Array<ResolversTypes['Campaign']>, ParentType, ContextType, RequireFields<QueryCampaignsArgs, 'limit' | 'offset'>>;
  countries?: Resolver<Maybe<Array<Maybe<ResolversTypes['Country']>>>, ParentType, ContextType>;
  device?: Resolver<Maybe<ResolversTypes['Device']>, ParentType, ContextType, RequireFields<QueryDeviceArgs, 'applicationId' | 'id'>>;
  id?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  me?: Resolver<ResolversTypes['ServiceUser'], ParentType, ContextType>;
  organization?: Resolver<ResolversTypes['Organization'], ParentType, ContextType>;
  projects?: Resolver<Array<ResolversTypes['Project']>, ParentType, ContextType>;
};

export type ServiceUserResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['ServiceUser'] = ResolversParentTypes['ServiceUser']> = {
  avatar?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  email?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  role?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type StoreTransactionResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['StoreTransaction'] = ResolversParentTypes['StoreTransaction']> = {
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  receivedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  resolvedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  state?: Resolver<ResolversTypes['StoreTransactionState'], ParentType, ContextType>;
};

export interface UuidScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['UUID'], any> {
  name: 'UUID';
}

export type UserPropertyConditionResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['UserPropertyCondition'] = ResolversParentTypes['UserPropertyCondition']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  op?: Resolver<ResolversTypes['ConditionOperator'], ParentType, ContextType>;
  value?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
};

export type VersionRangeResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['VersionRange'] = ResolversParentTypes['VersionRange']> = {
  max?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  min?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = AdminContext> = {
  ApiKey?: ApiKeyResolvers<ContextType>;
  Application?: ApplicationResolvers<ContextType>;
  Attribution?: AttributionResolvers<ContextType>;
  AuditEntry?: AuditEntryResolvers<ContextType>;
  AuthPayload?: AuthPayloadResolvers<ContextType>;
  Campaign?: CampaignResolvers<ContextType>;
  CampaignAction?: CampaignActionResolvers<ContextType>;
  CampaignFrequency?: CampaignFrequencyResolvers<ContextType>;
  CampaignResolvedStats?: CampaignResolvedStatsResolvers<ContextType>;
  CampaignSchedule?: CampaignScheduleResolvers<ContextType>;
  CampaignStats?: CampaignStatsResolvers<ContextType>;
  CampaignTargeting?: CampaignTargetingResolvers<ContextType>;
  CampaignTrigger?: CampaignTriggerResolvers<ContextType>;
  CampaignTriggerFilter?: CampaignTriggerFilterResolvers<ContextType>;
  CampaignUnavailableStats?: CampaignUnavailableStatsResolvers<ContextType>;
  Country?: CountryResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  Device?: DeviceResolvers<ContextType>;
  DeviceEvent?: DeviceEventResolvers<ContextType>;
  DeviceSession?: DeviceSessionResolvers<ContextType>;
  Entitlement?: EntitlementResolvers<ContextType>;
  JSON?: GraphQLScalarType;
  Mutation?: MutationResolvers<ContextType>;
  Organization?: OrganizationResolvers<ContextType>;
  Project?: ProjectResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  ServiceUser?: ServiceUserResolvers<ContextType>;
  StoreTransaction?: StoreTransactionResolvers<ContextType>;
  UUID?: GraphQLScalarType;
  UserPropertyCondition?: UserPropertyConditionResolvers<ContextType>;
  VersionRange?: VersionRangeResolvers<ContextType>;
};

