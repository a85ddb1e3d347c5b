import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { ViewedOrganization, ViewedProject, ViewedApplication, ViewedApiKey } from '../src/workspace/workspace.ts';
import type { SeenCampaign } from '../src/campaigns/campaignFields.ts';
import type { SeenDevice } from '../src/devices/device.ts';
import type { SessionRecord } from '../src/sessions/read/deviceSessions.ts';
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
   * A calendar date, `2026-03-01`: year, month and day with all their digits, in the years 0001 to 9999. The service refuses
   * anything else before execution (HTTP 400), 30 February too.
   */
  Date: { input: string; output: string; }
  /**
   * A date and time. Responses are in UTC with milliseconds, `2026-03-01T09:30:00.000Z`. Inputs need an offset: `Z`,
   * `+01:00`, `+0100` or `+01`. They may leave the seconds out (`2026-03-01T09:30Z`) and may have any number of fraction
   * digits, and the service drops the digits after the third. They lie in the years 0001 to 9999. The service refuses
   * anything else before execution (HTTP 400), a date and time without an offset too.
   */
  DateTime: { input: Date; output: Date; }
  /**
   * Any JSON value: object, list, string, number, boolean or null. Write and read it as a JSON value, not as a string that
   * contains JSON.
   *
   * Inputs nest at most 32 levels. The service refuses these before execution (HTTP 400): a deeper input, U+0000 or half of
   * a surrogate pair in a key or a string, and a number beyond double precision (`1e400`).
   *
   * The service puts a literal with a variable inside (`payload: {k: $x}`) together only during execution. A fault of the
   * whole value is then `BAD_USER_INPUT` with HTTP 200. Send the whole value as one variable.
   */
  JSON: { input: unknown; output: unknown; }
  /**
   * An identifier: 32 hexadecimal digits as 8-4-4-4-12, for example `018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90`. Upper and lower
   * case are the same. Responses are lower case. The service refuses anything else before execution (HTTP 400), and compares
   * it to nothing stored.
   */
  UUID: { input: string; output: string; }
};

/** The response of `activity`. */
export type Activity = {
  /** Whatever was stored before this instant is in the response. */
  asOf: Scalars['DateTime']['output'];
  /** The points from `from` to `to`, in order. */
  points: Array<ActivityPoint>;
  /** The same for as many days right before `from`. Null unless `compare` is true. */
  previous?: Maybe<ActivityPrevious>;
  /**
   * The mean number of units that are active on a day, over the number of units that are active at all: both of the 30
   * days that end with `to`. From 0 to 1. Null when no unit is active.
   */
  stickiness?: Maybe<Scalars['Float']['output']>;
  /** The same over the whole range, counted and not summed. */
  totals: ActivityTotals;
};

/** A figure of `activity` that can be opened. */
export type ActivityFigure =
  /** `active`. */
  | 'ACTIVE'
  /** `new`. */
  | 'NEW'
  /** `sessions`: the devices that have brought them. */
  | 'SESSIONS';

/** A figure of `activity`. */
export type ActivityFigureInput = {
  /** Which one. Null: `ACTIVE`. */
  figure?: InputMaybe<ActivityFigure>;
  /** `start` of a point in the response. Null or absent: the whole range. No device is behind any other instant. */
  start?: InputMaybe<Scalars['DateTime']['input']>;
};

/** The input of `activity`. */
export type ActivityInput = {
  /** The application. */
  applicationId: Scalars['UUID']['input'];
  /** Whether the response has `previous`. Null: false. */
  compare?: InputMaybe<Scalars['Boolean']['input']>;
  /** The first day. */
  from: Scalars['Date']['input'];
  /** Whether test devices count too. Null: false. */
  includeTest?: InputMaybe<Scalars['Boolean']['input']>;
  /** The length of the points. Null: `DAY`. */
  interval?: InputMaybe<ReportInterval>;
  /**
   * The time zone of the days: a name of the IANA time zone database, at most 64 characters. Null or absent: the
   * application's.
   */
  timeZone?: InputMaybe<Scalars['String']['input']>;
  /** The last day, not before `from`. At most 731 days with `from`. */
  to: Scalars['Date']['input'];
  /** What is counted. Null: `DEVICE`. */
  unit?: InputMaybe<AnalyticsUnit>;
};

/** The activity of one point. */
export type ActivityPoint = {
  /** The units that are active ("Units and counts"). */
  active: Scalars['Int']['output'];
  /** Whether the end of the point is more than an hour past. A point that is not complete may still grow. */
  complete: Scalars['Boolean']['output'];
  /** The events other than `EventTriggered`. */
  events: Scalars['Int']['output'];
  /**
   * The median length of the finished sessions among them, in seconds, without those with `datesSuspect`. Of two in the
   * middle it is the mean. Null without one.
   */
  medianSessionSeconds?: Maybe<Scalars['Float']['output']>;
  /** The active units whose first activity ever is here. */
  new: Scalars['Int']['output'];
  /** The sessions, by their times. */
  sessions: Scalars['Int']['output'];
  /** The first instant of the point. */
  start: Scalars['DateTime']['output'];
};

/** The activity of the range before the one that was asked for. */
export type ActivityPrevious = {
  /** The points, in order. */
  points: Array<ActivityPoint>;
  /** The same over the whole range before. */
  totals: ActivityTotals;
};

/** The activity of a whole range. */
export type ActivityTotals = {
  /** The units that are active ("Units and counts"). */
  active: Scalars['Int']['output'];
  /** The events other than `EventTriggered`. */
  events: Scalars['Int']['output'];
  /**
   * The median length of the finished sessions among them, in seconds, without those with `datesSuspect`. Of two in the
   * middle it is the mean. Null without one.
   */
  medianSessionSeconds?: Maybe<Scalars['Float']['output']>;
  /** The active units whose first activity ever is here. */
  new: Scalars['Int']['output'];
  /** The sessions, by their times. */
  sessions: Scalars['Int']['output'];
};

/** What is counted, see "Units and counts". */
export type AnalyticsUnit =
  /** Devices. */
  | 'DEVICE'
  /** Users, and devices without a user. */
  | 'USER';

/**
 * A pair of keys for the SDK of one application. The app gives both to the SDK at initialization. A secret that ships in
 * an app can be extracted from it. The secret protects uploads against tampering and replay. It does not prove who sent
 * them.
 */
export type ApiKey = {
  /** The application that the key belongs to. */
  application: Application;
  /** When somebody created the key. */
  createdAt: Scalars['DateTime']['output'];
  /**
   * The e-mail address of the user who created the key, for example `ann@example.com`. Null when the service does not know
   * it: the key is older than this field, or belongs to the demo workspace.
   */
  createdBy?: Maybe<Scalars['String']['output']>;
  /** The label, for people, 1 to 256 characters, for example `Release 4.2`. Null when there is none. */
  label?: Maybe<Scalars['String']['output']>;
  /**
   * When an upload or a fetch last carried the key, accurate to a minute. Null when none did. A request counts when it was
   * small enough and in a known media type, the key was right and, where the request is signed, the signature was right
   * and current. What becomes of the request afterwards does not matter. These do not count: a `413` for the bytes as
   * sent, a `415`, and a `403` other than `nonce_reused`.
   */
  lastUsed?: Maybe<Scalars['DateTime']['output']>;
  /**
   * The public key, sent in `X-Api-Key`: `pub_` and 32 of the characters `0-9A-Za-z`, for example
   * `pub_9ZyXwVuTsRqPoNmLkJiHgFeDcBa43210`. It is unique and names the key.
   */
  public: Scalars['String']['output'];
  /** When somebody revoked the key. Null while it is live. */
  revokedAt?: Maybe<Scalars['DateTime']['output']>;
  /**
   * The secret key, with which the SDK signs session uploads: `sec_` and 32 of the characters `0-9A-Za-z`, for example
   * `sec_0OaBcDeFgHiJkLmNoPqRsTuVwXyZ1234`. The service stores it encrypted. Admins and owners can read it again at any
   * time. The audit log records each reading, and too many readings are `RATE_LIMITED`, see "Stored bytes". Empty once the
   * key is revoked: the service then erases the secret.
   */
  secret: Scalars['String']['output'];
};

/** The input of `apiKeyEdit`. Absent fields stay as they are. */
export type ApiKeyEditInput = {
  /** The new label, by the rules of names ("Limits"). Null or an empty text clears it. */
  label?: InputMaybe<Scalars['String']['input']>;
  /** `ApiKey.public`. */
  public: Scalars['String']['input'];
};

/** One app on one platform. Its SDK carries one of its API keys. Its campaigns reach only its devices. */
export type Application = {
  /**
   * The keys, oldest first. For admins and owners. Others get null with one `FORBIDDEN` in the whole response, and the
   * rest of the response. The audit log records each selection of `ApiKey.secret` of a live key here.
   */
  apiKeys?: Maybe<Array<ApiKey>>;
  /** The bundle or package identifier, for example `com.example.shop`, 1 to 256 characters. It need not be unique. */
  bundleId: Scalars['String']['output'];
  /** When somebody created the application. */
  createdAt: Scalars['DateTime']['output'];
  /**
   * Who holds a purchase that uploads by several external ids have brought ("Owners", at `Entitlement`). `KEEP` for a new
   * application.
   */
  entitlementPolicy: EntitlementPolicy;
  /** The identifier. It never changes. */
  id: Scalars['UUID']['output'];
  /**
   * The picture, normally a URL, at most 2,048 characters of free text, for example `https://example.com/shop.png`. Empty
   * when there is none.
   */
  image: Scalars['String']['output'];
  /**
   * How much of its quotas has been used in the present hour: by unsigned requests of unknown devices, one entry for each of
   * `reportSessions`, `reportAttribution` and `reportStoreTransactions`, and by signed uploads. Quotas keep somebody who has
   * taken the keys out of an app from filling the disk: the rules are in openapi.yaml, "Quotas". The figures are up to 15 seconds old.
   */
  ingestQuotas: Array<IngestQuota>;
  /** The name, 1 to 256 characters, for example `Shop for phones`. It need not be unique. */
  name: Scalars['String']['output'];
  /** `iOS` or `Android`. */
  platform: Scalars['String']['output'];
  /** The project that the application belongs to. */
  project: Project;
  /** The store's number of the app, in decimal digits (`storeCredentialsEdit`). Null when none is set. */
  storeAppId?: Maybe<Scalars['String']['output']>;
  /** Whether store credentials are set (`storeCredentialsEdit`). No operation reads the credentials themselves. */
  storeCredentialsSet: Scalars['Boolean']['output'];
  /**
   * The devices of testers: `Device.id`, in the order in which they were given. What they do stays out of the reads of
   * "Analytics" unless `includeTest` is true. It is stored and changes nothing else. Empty for a new application.
   */
  testDevices: Array<Scalars['String']['output']>;
  /**
   * The time zone whose calendar days the reports about the application use: a name of the IANA time zone database, for
   * example `Europe/Berlin`. `UTC` for a new application.
   */
  timeZone: Scalars['String']['output'];
};


/** One app on one platform. Its SDK carries one of its API keys. Its campaigns reach only its devices. */
export type ApplicationApiKeysArgs = {
  includeRevoked?: InputMaybe<Scalars['Boolean']['input']>;
};

/** The input of `applicationEdit`. In an edit absent fields stay as they are. */
export type ApplicationEditInput = {
  /** The bundle or package identifier, by the rules of names ("Limits"). Required for a new application. Null is refused. */
  bundleId?: InputMaybe<Scalars['String']['input']>;
  /** Who holds a purchase that uploads by several external ids have brought. Null sets it to `KEEP`. */
  entitlementPolicy?: InputMaybe<EntitlementPolicy>;
  /** The application to edit. Null or absent: a new application. */
  id?: InputMaybe<Scalars['UUID']['input']>;
  /** The picture, at most 2,048 characters. Null or an empty text clears it (`Application.image` is then empty). */
  image?: InputMaybe<Scalars['String']['input']>;
  /** The name, 1 to 256 characters, not blank. Required for a new application. Null is refused. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** `iOS` or `Android`. Required for a new application. Null is refused. */
  platform?: InputMaybe<Scalars['String']['input']>;
  /** The project. Required for a new application. In an edit it moves the application to this project. Null is refused. */
  projectId?: InputMaybe<Scalars['UUID']['input']>;
  /**
   * The devices of testers: at most 100 different ids, each 1 to 256 characters, not blank, taken as they are. The list
   * replaces the one before. Null or an empty list: none.
   */
  testDevices?: InputMaybe<Array<Scalars['String']['input']>>;
  /**
   * A name of the IANA time zone database, for example `Europe/Berlin`, in upper or lower case. At most 64 characters. The
   * service stores it in the spelling of that database, and an alias (`Asia/Calcutta`) as the alias. Null sets it to `UTC`.
   */
  timeZone?: InputMaybe<Scalars['String']['input']>;
};

/**
 * The install-attribution data of one provider that arrived last. A report that comes again word by word counts as arrived
 * anew. The service never removes the latest data for their age.
 */
export type Attribution = {
  /**
   * The data as it arrived, an object, for example `{"source": "search", "clicked_at": 1788970000}`. Numbers keep their
   * digits in the text of the response, even where a double does not hold them.
   */
  payload: Scalars['JSON']['output'];
  /** `provider_a`, `store_search_ads`, `provider_b`, or `custom` for the upload's `custom` object; in this order. */
  provider: Scalars['String']['output'];
  /** When the data arrived, by the service's clock. */
  receivedAt: Scalars['DateTime']['output'];
};

/**
 * One line of the audit log.
 *
 * ## Audit log
 *
 * A line exists exactly when the change took effect, or before a secret was handed out. The service does not make a change
 * or a reading that it cannot record. Lines are only ever added. They are kept for good, even after their object is
 * deleted: the database refuses to change or remove a line.
 */
export type AuditEntry = {
  /**
   * What the user did, for example `organizationEdit`. It is the name of the mutation (`signup`, `updatePassword`,
   * `passwordChange`, `emailChange`, `emailConfirm`, `accountDelete`, `invitationAccept`, `userEdit`, `userInvite`,
   * `userRemove`, `organizationCreate`, `organizationEdit`, `organizationLeave`, `projectEdit`, `projectDelete`,
   * `applicationEdit`, `applicationDelete`, `apiKeyCreate`, `apiKeyEdit`, `apiKeyRevoke`, `storeCredentialsEdit`,
   * `productEdit`, `serviceTokenCreate`, `serviceTokenRevoke`, `webhookEdit`, `webhookDelete`, `webhookRedeliver`,
   * `campaignEdit`, `campaignChangeState`), or `apiKeyReveal` when somebody read `ApiKey.secret`. A reading has one line for
   * each key and request, even when the request has just created the key. `userCreate` and `userReset` are the programs with
   * which an operator of the service makes an owner, or prints a link for a new password.
   *
   * A mutation that changed nothing has no line. `login`, `organizationSwitch`, `refreshToken`, `resetPassword`, `logout`,
   * `logoutEverywhere` and `sessionRevoke` have no line either, because they change no object of the organization.
   * `updatePassword`, `emailConfirm`, `accountDelete` and `userReset` have a line in each organization of the account.
   */
  action: Scalars['String']['output'];
  /**
   * The e-mail address of the user who did it, for example `ann@example.com`. It is the address at that time. It is
   * `service token: <name>` where a program did it, for example `service token: Shop server`, and
   * `command line` where an operator of the service ran a program.
   */
  actor: Scalars['String']['output'];
  /** When it happened, by the service's clock. */
  at: Scalars['DateTime']['output'];
  /**
   * More about it, an object. It never contains a password, token, secret or private key.
   *
   * - Edits of users, organization, projects and applications: the changed fields, for example
   *   `{"name": {"from": "Shop", "to": "Store"}}`. `from` is null after a creation.
   * - `campaignEdit`: `{"version": 4, "fields": ["name"]}` with the fields of its input that have another value now.
   * - `campaignChangeState`: `{"version": 5, "from": "DRAFT", "to": "ACTIVE"}`.
   * - `storeCredentialsEdit`: `{"set": true}`, or false when the credentials were cleared; and
   *   `"storeAppId": {"from": null, "to": "1234567890"}` when the number was changed.
   * - `productEdit`: `{"applicationId": …, "durationDays": {"from": null, "to": 30}}`.
   * - `projectDelete`: `{"applications": […]}` with the ids of the applications that were deleted with the project.
   * - API keys: `{"applicationId": …}`. Of `apiKeyEdit` also the changed field,
   *   `{"applicationId": …, "label": {"from": null, "to": "Release 4.2"}}`.
   * - `emailConfirm`: `{"email": {"from": "ann@example.com", "to": "ann@example.org"}}`, or `{}` when it confirmed the
   *   address that the account has.
   * - `updatePassword`: `{"left": true}` where the account lost its membership to an invitation, see "Unconfirmed
   *   addresses".
   * - `serviceTokenCreate`: name, role, applications and expiry. `serviceTokenRevoke`: `{"name": "Shop server"}`.
   * - Webhooks: `{"applicationId": …}`. Of `webhookEdit` also the changed fields, and `"secretRotated": true`. Of
   *   `webhookRedeliver` it is `{"deliveryId": …}`.
   * - All others: `{}`.
   */
  details: Scalars['JSON']['output'];
  /**
   * The object, for example `018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90`: its id. For a user it is the e-mail address, for an
   * API key the public key, for a product its `productId`, for store credentials the application's id, and for `signup`,
   * `organizationCreate` and `userCreate` the new organization's id.
   */
  objectId: Scalars['String']['output'];
  /**
   * `organization`, `user`, `project`, `application`, `apiKey`, `storeCredentials`, `product`, `campaign`, `serviceToken` or
   * `webhook`.
   */
  objectType: Scalars['String']['output'];
};

/**
 * The result of a successful `login`, `signup`, `refreshToken`, `organizationSwitch`, `organizationCreate` or
 * `invitationAccept`. Below `user` and `organization` the rights are those of
 * this user.
 */
export type AuthPayload = {
  /** The organization in which the tokens act. `organizations` lists the user's others. */
  organization: Organization;
  /**
   * The token for the next `refreshToken`. It is for one use. It expires 30 days after it was given and 90 days after the
   * login, whichever comes first. Keep it where scripts of other origins cannot read it.
   */
  refreshToken: Scalars['String']['output'];
  /** The access token, for `Authorization: Bearer <token>`. It lives 90 minutes. Do not look into it. */
  token: Scalars['String']['output'];
  /** The user who is logged in. */
  user: ServiceUser;
};

/** The property by which the counted events are broken down, see "Breakdowns". */
export type BreakdownInput = {
  /** The name, as `PropertyFilterInput.property`. */
  property: Scalars['String']['input'];
  /** Where the property belongs. */
  scope: PropertyScope;
};

/**
 * A rule by which apps show or do something: when this event happens (`trigger`) on such a device (`targeting`), do this
 * (`action`), at most this often (`frequency`), during this time (`schedule`). Devices get the campaign while it is
 * `ACTIVE`, and ahead of time while it is `SCHEDULED`.
 */
export type Campaign = {
  /** The action that the app takes. Null while a draft has none. */
  action?: Maybe<CampaignAction>;
  /**
   * The states to which `campaignChangeState` can move the campaign now, by the table in `CampaignState`. They come in the
   * order of that enum and without the present state. A state stays in the list even when the campaign lacks a part that
   * the state needs, such as an action.
   */
  allowedTransitions: Array<CampaignState>;
  /** The application whose devices get the campaign. It never changes. */
  application: Application;
  /** When somebody created the campaign. */
  createdAt: Scalars['DateTime']['output'];
  /**
   * The e-mail address of the user who created the campaign, for example `ann@example.com`. Null when the campaign is older
   * than this field.
   */
  createdBy?: Maybe<Scalars['String']['output']>;
  /**
   * Notes for the team, at most 4,096 characters, for example `Agreed with sales`. Devices do not get them. Null when
   * there are none.
   */
  description?: Maybe<Scalars['String']['output']>;
  /** The caps on how often a device shows the campaign. Null: no cap. */
  frequency?: Maybe<CampaignFrequency>;
  /**
   * Who changed the campaign, when and what, newest first, see "History". For the next page pass the `at` of the last change
   * as `before`. No two changes of a campaign share a moment, so paging back misses none and repeats none. The page below a
   * list of campaigns is one page for each of them.
   *
   *     query History($id: UUID!, $before: DateTime) {
   *       campaign(id: $id) {
   *         history(limit: 20, before: $before) { at by version fromState toState changes { field before after } }
   *       }
   *     }
   *
   * `BAD_USER_INPUT` at `limit`.
   */
  history: Array<CampaignChange>;
  /** The identifier. The SDK's events have it as `campaignId`. */
  id: Scalars['UUID']['output'];
  /** The name, 1 to 256 characters, for example `Autumn offer`. The SDK sees it. It need not be unique. */
  name: Scalars['String']['output'];
  /**
   * 0 to 1000. When one event would set off several campaigns, only the campaign with the highest priority runs. Of equal
   * priorities the lowest `id` runs. The default is 0.
   */
  priority: Scalars['Int']['output'];
  /** The time in which the campaign runs. Null: from activation until somebody stops it. */
  schedule?: Maybe<CampaignSchedule>;
  /** The state now, by the clock too. */
  state: CampaignState;
  /** Counts of what devices have reported. Each event counts once, however often it was uploaded. */
  stats: CampaignStats;
  /** The devices and users that the campaign is for. Null: all of the application. */
  targeting?: Maybe<CampaignTargeting>;
  /** The event that sets the campaign off. Null while a draft has none. */
  trigger?: Maybe<CampaignTrigger>;
  /** When somebody last edited or moved the campaign. */
  updatedAt: Scalars['DateTime']['output'];
  /**
   * The e-mail address of the user who last edited or moved the campaign, for example `ann@example.com`. Null when that was
   * before this field existed.
   */
  updatedBy?: Maybe<Scalars['String']['output']>;
  /**
   * The version starts at 1 and grows by one with every `campaignEdit` and every move of `campaignChangeState`. Changes by
   * the clock do not count. Pass it as `expectedVersion` so that two people do not overwrite each other. The service keeps
   * every version that was `SCHEDULED` or `ACTIVE`, with its content, because such a version could reach devices. So the
   * operator can later tell which content a device has shown. No operation reads this content. `history` shows what each
   * version has changed.
   */
  version: Scalars['Int']['output'];
};


/**
 * A rule by which apps show or do something: when this event happens (`trigger`) on such a device (`targeting`), do this
 * (`action`), at most this often (`frequency`), during this time (`schedule`). Devices get the campaign while it is
 * `ACTIVE`, and ahead of time while it is `SCHEDULED`.
 */
export type CampaignHistoryArgs = {
  before?: InputMaybe<Scalars['DateTime']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
};

/** The action that the app takes when an event sets the campaign off. The service passes it on and does not look into it. */
export type CampaignAction = {
  /** Whether the app waits for the outcome. The SDK then reports the outcome as `CampaignResolved`. */
  blocking: Scalars['Boolean']['output'];
  /** After this number of seconds a blocking action counts as `Unavailable` with `TimedOut`. Null: the SDK's default. */
  deadlineSeconds?: Maybe<Scalars['Int']['output']>;
  /**
   * The data of the action: any JSON value, at most 64 KiB as text, for example
   * `{"screen": "offer", "discountPercent": 20}`. Null when there is none.
   */
  payload?: Maybe<Scalars['JSON']['output']>;
  /** A word that the app understands, 1 to 256 characters, for example `open_screen`. */
  type: Scalars['String']['output'];
};

/** See `CampaignAction`. */
export type CampaignActionInput = {
  /** Whether the app waits for the outcome. Null: false. */
  blocking?: InputMaybe<Scalars['Boolean']['input']>;
  /** 1 to 86,400 seconds, for a blocking action only (`BAD_USER_INPUT` otherwise). Null or absent: the SDK's default. */
  deadlineSeconds?: InputMaybe<Scalars['Int']['input']>;
  /**
   * The data of the action: any JSON value, at most 64 KiB (65,536 bytes) in UTF-8 as JSON without white space and with
   * its numbers written out (1e-7 counts as 0.0000001). Whole numbers in it lie within ±(2^53-1). Null or absent: no data.
   * Devices get the same value. The service does not keep the order of an object's members.
   */
  payload?: InputMaybe<Scalars['JSON']['input']>;
  /** A word that the app understands, 1 to 256 characters, not blank, taken as it is. */
  type: Scalars['String']['input'];
};

/**
 * One change of a campaign.
 *
 * ## History
 *
 * - Each creation, each `campaignEdit` and each move of `campaignChangeState` is one change and one version. A move to the
 *   present state changes nothing.
 * - What the clock does to the state is no change: nobody made it, and `version` stays. A move from a state to which the
 *   clock has brought the campaign has that state as `fromState`. An edit never has states.
 * - An edit back to an earlier value is a change like any other. An edit that repeats the stored values is a change with
 *   an empty list of `changes`.
 * - Changes are kept as long as the campaign. Every role of the organization reads them. They have the addresses of users
 *   who are disabled or gone.
 * - Values are kept since this field exists. Of an earlier edit the values are known only where the version and the
 *   one before it were `SCHEDULED` or `ACTIVE`, without the description. For other earlier edits only the names of the
 *   edited fields are known (`CampaignFieldChange.valuesKept`).
 */
export type CampaignChange = {
  /** `campaignEdit` or `campaignChangeState`: the mutation that made the change. */
  action: Scalars['String']['output'];
  /** When the change took effect. It is the `AuditEntry.at` of the change, and grows with `version`. */
  at: Scalars['DateTime']['output'];
  /** The e-mail address of the user who made the change, for example `ann@example.com`. */
  by: Scalars['String']['output'];
  /**
   * What the change gave another value, in the order of the fields of `Campaign`. Empty for a move. A creation is compared
   * with an empty draft.
   */
  changes: Array<CampaignFieldChange>;
  /** The state before a move, by the clock too. Null for a creation and an edit. */
  fromState?: Maybe<CampaignState>;
  /** The state that the user wanted in a move. Null for a creation, which makes a `DRAFT`, and for an edit. */
  toState?: Maybe<CampaignState>;
  /** The `Campaign.version` that the change made. The creation made version 1. */
  version: Scalars['Int']['output'];
};

/**
 * The input of `campaignEdit`. In an edit an absent field stays as it is, an explicit null clears it, and the five objects
 * are replaced as a whole.
 */
export type CampaignEditInput = {
  /** The action that the app takes. Null clears it. */
  action?: InputMaybe<CampaignActionInput>;
  /**
   * The application. Required for a new campaign. An edit may repeat it but not change it (`BAD_USER_INPUT`). Null is
   * refused.
   */
  applicationId?: InputMaybe<Scalars['UUID']['input']>;
  /** At most 4,096 characters. The service takes them as they are. Null clears the description. */
  description?: InputMaybe<Scalars['String']['input']>;
  /**
   * The `Campaign.version` that the user has seen. If another version is stored: `CONFLICT`. Null or absent: any stored
   * version. Not for a new campaign (`BAD_USER_INPUT`).
   */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** The caps on how often a device shows the campaign. Null: no cap. */
  frequency?: InputMaybe<CampaignFrequencyInput>;
  /** The campaign to edit. Null or absent: a new campaign. */
  id?: InputMaybe<Scalars['UUID']['input']>;
  /** The name, 1 to 256 characters, not blank. Required for a new campaign. Null is refused. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** 0 to 1000. Null sets it to 0. */
  priority?: InputMaybe<Scalars['Int']['input']>;
  /** The time in which the campaign runs. Null clears both ends, and so does `{}`: it comes back as null. */
  schedule?: InputMaybe<CampaignScheduleInput>;
  /** The devices and users that the campaign is for. Null: all of them. */
  targeting?: InputMaybe<CampaignTargetingInput>;
  /** The event that sets the campaign off. Null clears it. */
  trigger?: InputMaybe<CampaignTriggerInput>;
};

/**
 * One field of a campaign with its value before and after a change. `trigger`, `targeting`, `frequency`, `schedule` and
 * `action` are compared member by member. Lists, ranges of versions and the payload are compared as a whole.
 */
export type CampaignFieldChange = {
  /**
   * The value after the change, in the same form, for example `"2026-03-01T09:30:00.000Z"`. Null where there is no value
   * any more.
   */
  after?: Maybe<Scalars['JSON']['output']>;
  /**
   * The value before the change, in the form in which devices get it: an absent list is empty. Moments are texts as
   * `DateTime` writes them. Null where there was no value.
   */
  before?: Maybe<Scalars['JSON']['output']>;
  /**
   * The path of the field in `Campaign`, for example `schedule.endAt`. Where `valuesKept` is false it may be the path of the
   * whole object (`schedule`).
   */
  field: Scalars['String']['output'];
  /** Whether `before` and `after` are known. When false both are null and say nothing, see "History". */
  valuesKept: Scalars['Boolean']['output'];
};

/**
 * The caps on how often one device shows a campaign. All given caps hold together. The device counts `CampaignShown`. The
 * result of a campaign (`CampaignResolved`) never counts.
 */
export type CampaignFrequency = {
  /** The seconds that must pass between two shows. Null: no wait. */
  cooldownSeconds?: Maybe<Scalars['Int']['output']>;
  /** The cap in one day of the device's calendar. Null: no cap. */
  perDay?: Maybe<Scalars['Int']['output']>;
  /** The cap in one session. Null: no cap. */
  perSession?: Maybe<Scalars['Int']['output']>;
  /** The cap over all time. Null: no cap. */
  total?: Maybe<Scalars['Int']['output']>;
};

/** See `CampaignFrequency`. */
export type CampaignFrequencyInput = {
  /** 1 to 31,536,000 seconds (a year) between two shows. Null or absent: no wait. */
  cooldownSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** 1 to 1,000,000 in one day of the device's calendar. Null or absent: no cap. */
  perDay?: InputMaybe<Scalars['Int']['input']>;
  /** 1 to 1,000,000 in one session. Null or absent: no cap. */
  perSession?: InputMaybe<Scalars['Int']['input']>;
  /** 1 to 1,000,000 over all time. Null or absent: no cap. */
  total?: InputMaybe<Scalars['Int']['input']>;
};

/** `CampaignResolved` events by `result`. Whole numbers. */
export type CampaignResolvedStats = {
  /** `Completed`: the action ran to its end. */
  completed: Scalars['Float']['output'];
  /** `Dismissed`: the user closed it. */
  dismissed: Scalars['Float']['output'];
  /** `SkippedNoContinuation`: nothing waited for its outcome. */
  skippedNoContinuation: Scalars['Float']['output'];
  /** `SkippedNoPresenter`: the app has nothing that could show it. */
  skippedNoPresenter: Scalars['Float']['output'];
  /** `Unavailable`: the app could not show it. `CampaignStats.unavailableReasons` says why. */
  unavailable: Scalars['Float']['output'];
};

/** The time in which a campaign runs. */
export type CampaignSchedule = {
  /** When the campaign becomes `FINISHED`. At this moment it no longer runs. Null: somebody ends it by hand. */
  endAt?: Maybe<Scalars['DateTime']['output']>;
  /**
   * When a `SCHEDULED` campaign becomes `ACTIVE`. Null: somebody starts it by hand. A campaign that somebody activates by
   * hand before this moment runs at once, and devices get it without `startAt`.
   */
  startAt?: Maybe<Scalars['DateTime']['output']>;
};

/** See `CampaignSchedule`. */
export type CampaignScheduleInput = {
  /**
   * When the campaign becomes `FINISHED`. It must be after `startAt` where both are given. Null or absent: somebody ends
   * it by hand.
   */
  endAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** When a `SCHEDULED` campaign becomes `ACTIVE`. It may be in the past. Null or absent: somebody starts it by hand. */
  startAt?: InputMaybe<Scalars['DateTime']['input']>;
};

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
 * Counts of what devices have reported about a campaign since its creation. Counts are events, not people. An event counts
 * once, and as soon as the response to its upload is 200.
 */
export type CampaignStats = {
  /** `CampaignResolved` events by `result`. */
  resolved: CampaignResolvedStats;
  /** `CampaignShown` events. A whole number. */
  shown: Scalars['Float']['output'];
  /**
   * Shows that the campaign's frequency does not allow: a part of `shown`, which counts them too. A whole number.
   *
   * One device, on one UTC day of arrival, may add the smallest of these to `shown`: `frequency.perDay`, `frequency.total`, and
   * `frequency.perSession` times its sessions of that day. What it adds beyond is suspect. Without any of the three nothing is.
   *
   * - Its sessions of a day are those that first arrived on the day. A session of an earlier day in which a show arrives
   *   counts as one more.
   * - The frequency is the one of the moment at which a show arrives, for all shows of the device on that day. A later
   *   edit changes nothing that is counted.
   * - Sessions are counted with each show, and once more when the day is over.
   *
   * A high figure means that somebody sends shows which no device has made: anybody can who has the app's keys, since keys can
   * be taken out of an app. A low one may be honest. A device that was offline reports the shows of several days on one.
   */
  suspect: Scalars['Float']['output'];
  /** `CampaignResolved` events with result `Unavailable` by `unavailableReason` (known from SDK 0.5.2 on). */
  unavailableReasons: CampaignUnavailableStats;
};

/**
 * The devices and users that a campaign is for. All given conditions must hold. The service applies platform, versions and
 * country when a device's fetch contains them. The device compares user properties.
 */
export type CampaignTargeting = {
  /** The app's version at installation (`appInstallVersionNormalized`). Null: any version. */
  appInstallVersion?: Maybe<VersionRange>;
  /** The app's version now (`appVersionNormalized`). Null: any version. */
  appVersion?: Maybe<VersionRange>;
  /**
   * Codes as in `Country.code`, for example `DE`. The campaign does not reach a device whose country is not known. Empty:
   * any country.
   */
  countries: Array<Scalars['String']['output']>;
  /** The operating system's version (`osVersionNormalized`). Null: any version. */
  osVersion?: Maybe<VersionRange>;
  /** `iOS`, `Android` or both. Empty: any platform. */
  platforms: Array<Scalars['String']['output']>;
  /** The SDK's version (`sdkVersionNormalized`). Null: any version. */
  sdkVersion?: Maybe<VersionRange>;
  /**
   * Groups of conditions on user properties. At least one group must hold. A group holds when all its conditions hold.
   * Empty: any user.
   */
  userProperties: Array<Array<UserPropertyCondition>>;
};

/** See `CampaignTargeting`. */
export type CampaignTargetingInput = {
  /** The app's version at installation. Null or absent: any version. */
  appInstallVersion?: InputMaybe<VersionRangeInput>;
  /** The app's version now. Null or absent: any version. */
  appVersion?: InputMaybe<VersionRangeInput>;
  /** Codes exactly as in `Country.code` (249 of them), each once. Null, absent or empty: any country. */
  countries?: InputMaybe<Array<Scalars['String']['input']>>;
  /** The operating system's version. Null or absent: any version. */
  osVersion?: InputMaybe<VersionRangeInput>;
  /** `iOS`, `Android` or both, each once. Null, absent or empty: any platform. */
  platforms?: InputMaybe<Array<Scalars['String']['input']>>;
  /** The SDK's version. Null or absent: any version. */
  sdkVersion?: InputMaybe<VersionRangeInput>;
  /**
   * At most 20 groups of 1 to 20 conditions. At least one group must hold. A group holds when all its conditions hold.
   * Null, absent or empty: any user.
   *
   *     "userProperties": [[{"name": "plan", "op": "EQ", "value": "pro"}], [{"name": "seats", "op": "GTE", "value": 5}]]
   */
  userProperties?: InputMaybe<Array<Array<UserPropertyConditionInput>>>;
};

/** The event on the device that sets the campaign off. */
export type CampaignTrigger = {
  /**
   * The name of the event, 1 to 256 characters, for example `ProductViewed`. Upper and lower case are different. For
   * `CUSTOM` it is none of the names in `EventType.SYSTEM`. For `SYSTEM` it is one of them, but not `CampaignShown` or
   * `CampaignResolved`: a campaign cannot set off a campaign.
   */
  event: Scalars['String']['output'];
  /** Conditions on the event's parameters. All of them must hold. Empty: no conditions. */
  filters: Array<CampaignTriggerFilter>;
  /** Whether the app or the SDK records that event. */
  type: EventType;
};

/** A condition on one parameter of the triggering event. */
export type CampaignTriggerFilter = {
  /** The comparison. */
  op: ConditionOperator;
  /** The parameter's name, 1 to 256 characters, for example `price`. */
  param: Scalars['String']['output'];
  /**
   * The value to compare with, for example `20`: a string, number or boolean. For `IN` and `NOT_IN` it is a list of them.
   * For `EXISTS` and `NOT_EXISTS` it is null.
   */
  value?: Maybe<Scalars['JSON']['output']>;
};

/** See `CampaignTriggerFilter`. */
export type CampaignTriggerFilterInput = {
  /** The comparison. */
  op: ConditionOperator;
  /** The parameter's name, 1 to 256 characters, not blank, taken as it is. */
  param: Scalars['String']['input'];
  /**
   * The value to compare with:
   *
   * - `EQ`, `NEQ`: a string (at most 8,192 characters), a number or a boolean.
   * - `GT`, `GTE`, `LT`, `LTE`: a number or a string.
   * - `CONTAINS`: a string, not empty.
   * - `IN`, `NOT_IN`: a list of 1 to 100 strings, numbers or booleans.
   * - `EXISTS`, `NOT_EXISTS`: absent or null.
   *
   * Whole numbers lie within ±(2^53-1). An error in one entry of a list is at the entry's path,
   * `input.trigger.filters[0].value[3]`.
   */
  value?: InputMaybe<Scalars['JSON']['input']>;
};

/** See `CampaignTrigger`. */
export type CampaignTriggerInput = {
  /**
   * The name of the event, 1 to 256 characters, not blank. The service takes it as it is: white space around it counts,
   * because the app may track such a name. `CampaignTrigger.event` says which names are allowed for which type.
   */
  event: Scalars['String']['input'];
  /** At most 50 conditions. All of them must hold. Null, absent or empty: no conditions. */
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

/** A country of ISO 3166-1. */
export type Country = {
  /** The alpha-2 code in upper case, for example `DE`. */
  code: Scalars['String']['output'];
  /** The English short name, for example `Germany`. */
  name: Scalars['String']['output'];
};

/** The data stored for one device of one application. */
export type Device = {
  /** The latest data of each attribution provider from which some has arrived, in the order of `Attribution.provider`. */
  attribution: Array<Attribution>;
  /**
   * The lines that this device holds, newest `purchasedAt` first. The service stores those older than the newest 20,000.
   * Nobody can read them here.
   */
  entitlements: Array<Entitlement>;
  /**
   * When the first upload of any kind arrived, by the service's clock. The upload of a transaction counts until the service
   * forgets the transaction ("Idempotency" of the public API).
   */
  firstSeenAt: Scalars['DateTime']['output'];
  /** `device.id` as the SDK sent it, for example `d-7f3c2a90`. */
  id: Scalars['String']['output'];
  /**
   * Each pair of `vendorIdentifier` and `installDatetime` that the device's uploads of sessions have reported, the one seen
   * first first. More than one tells that the app was installed again, or that a backup was restored on another phone: two
   * phones then share the device id. The service adds no pair once they take 65,536 characters. Uploads that arrived before
   * the service stored pairs are not in the list.
   */
  installs: Array<DeviceInstall>;
  /**
   * When the device was last seen. It is the latest of these times, by the service's clock:
   *
   * - the time of an upload of sessions: the earlier of the end of the second in its `X-Timestamp` and its arrival. So an
   *   old upload that arrives late is no sign of life.
   * - the arrival of an attribution, or of a transaction that was new.
   *
   * It is never before `firstSeenAt`.
   */
  lastSeenAt: Scalars['DateTime']['output'];
  /**
   * `device.properties` of the newest session upload, all of them with the names of the public API, for example
   * `{"platform": "iOS", "deviceModel": "phone-15-2", "appVersionNormalized": 2014003}`. A property that the upload left
   * out is null. The field is null while no session upload has arrived.
   */
  properties?: Maybe<Scalars['JSON']['output']>;
  /**
   * Sessions, newest `startedAt` first. The service stores and counts those older than the newest 200. Nobody can read
   * them here.
   */
  sessions: Array<DeviceSession>;
  /** The number of different sessions that are stored. */
  sessionsCount: Scalars['Int']['output'];
  /**
   * Store transactions that this device uploaded, and the others of the lines that it holds, newest `receivedAt` first. An
   * operator may let the service forget old ones that are `NOT_FOUND` or `FAILED` ("Idempotency" of the public API). Of
   * those that are not `RESOLVED` the 100 that the device uploaded last are listed: anybody who knows its id can upload invented
   * ones for it. The service stores those older than the newest 20,000. Nobody can read them here.
   */
  transactions: Array<StoreTransaction>;
  /** The app's identifier of the user (`user.id`), for example `user-42`. Null when the app has set none. */
  userId?: Maybe<Scalars['String']['output']>;
  /**
   * The custom properties of the user `userId` as an object of name and value, for example `{"plan": "pro", "seats": 3}`.
   * An empty object when there are none. Another `userId`, null included, begins without properties.
   */
  userProperties: Scalars['JSON']['output'];
};


/** The data stored for one device of one application. */
export type DeviceEntitlementsArgs = {
  limit?: InputMaybe<Scalars['Int']['input']>;
};


/** The data stored for one device of one application. */
export type DeviceSessionsArgs = {
  limit?: InputMaybe<Scalars['Int']['input']>;
};


/** The data stored for one device of one application. */
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
   * The parameters as an object of name and value, for example `{"product_id": "sku-1001", "price": 49.9}`. An empty
   * object when there are none.
   */
  params: Scalars['JSON']['output'];
  /** When the event arrived, by the service's clock. */
  receivedAt: Scalars['DateTime']['output'];
  /** When the event happened, by the device's clock, as it came. */
  timestamp: Scalars['DateTime']['output'];
  /**
   * Whether `timestamp` cannot be true: the reads of analytics count the event at `receivedAt` ("Times of events and
   * sessions").
   */
  timestampSuspect: Scalars['Boolean']['output'];
  /** Whether the app or the SDK recorded it. */
  type: EventType;
};

/** One installation of the app that reported under the device's id. */
export type DeviceInstall = {
  /** The time of the earliest upload that reported the pair. The time of an upload is that of `Device.lastSeenAt`. */
  firstSeenAt: Scalars['DateTime']['output'];
  /** When the app was first installed, by the device's clock (`device.properties.installDatetime`). */
  installedAt: Scalars['DateTime']['output'];
  /** The time of the latest upload that reported the pair. */
  lastSeenAt: Scalars['DateTime']['output'];
  /** `device.properties.vendorIdentifier`, for example `2f1c9a54-7c0e-4f0b-9d5e-0b7d2f6a9c11`. It may be empty. */
  vendorIdentifier: Scalars['String']['output'];
};

/** A page of `devices`, `userDevices` or `devicesBehind`. */
export type DevicePage = {
  /** Whatever was stored before this instant is in the response. */
  asOf: Scalars['DateTime']['output'];
  /** For `after`, for example `MTA0Mg`. Null on an empty page. */
  endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether there are more nodes after this page. */
  hasMore: Scalars['Boolean']['output'];
  /** The devices, in order. */
  nodes: Array<ListedDevice>;
  /** The number of devices on all pages together. */
  total: Scalars['Int']['output'];
};

/** One session of a device. */
export type DeviceSession = {
  /**
   * Whether `startedAt` or `finishedAt` cannot be true ("Times of events and sessions"), or `finishedAt` is before `startedAt`:
   * a clock was wrong or was set, so the session's length is unknown. Both are shown as they came.
   */
  datesSuspect: Scalars['Boolean']['output'];
  /**
   * The events of the session, in the order in which their uploads arrived, and within an upload in that of its `events`.
   * Events that arrived before the service stored that order are by `timestamp` within an upload. Read more events than one
   * response holds ("Limits") page by page.
   */
  events: Array<DeviceEvent>;
  /** When the session ended, by the device's clock (`finishDate`). Null while it is open. */
  finishedAt?: Maybe<Scalars['DateTime']['output']>;
  /** The number of the session on this device (`number.global`). A whole number. */
  globalNumber: Scalars['Float']['output'];
  /** `sessions[].id` as the SDK sent it, for example `s-01`. */
  id: Scalars['String']['output'];
  /** When the first upload of the session arrived, by the service's clock. Events of that upload have the same `receivedAt`. */
  receivedAt: Scalars['DateTime']['output'];
  /** When the session began, by the device's clock (`startDate`). */
  startedAt: Scalars['DateTime']['output'];
  /**
   * The app's identifier of the user (`user.id`) in the latest upload that brought the session. Null when the app had set
   * none, and for a session that arrived before the service stored users.
   */
  userId?: Maybe<Scalars['String']['output']>;
  /**
   * The offset from UTC that `startDate` was written with, in minutes east of UTC, for example `120` for `+02:00`. It tells
   * the local day of the session. Null for a session that arrived before the service stored offsets.
   */
  utcOffsetMinutes?: Maybe<Scalars['Int']['output']>;
  /** The number of the session within the app's version (`number.version`). A whole number. */
  versionNumber: Scalars['Float']['output'];
};


/** One session of a device. */
export type DeviceSessionEventsArgs = {
  limit?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
};

/** The order of `devices`. */
export type DeviceSort =
  /** The one first seen last first. */
  | 'FIRST_SEEN'
  /** The one seen last first. */
  | 'LAST_SEEN'
  /** The one with the most sessions first. */
  | 'SESSIONS';

/** The question whose figure is opened. Exactly one field. */
export type DevicesBehindInput =
  /** As asked at `activity`. */
  { activity: ActivityInput; eventSeries?: never; funnel?: never; retention?: never; }
  |  /** As asked at `eventSeries`. */
  { activity?: never; eventSeries: EventSeriesInput; funnel?: never; retention?: never; }
  |  /** As asked at `funnel`. */
  { activity?: never; eventSeries?: never; funnel: FunnelInput; retention?: never; }
  |  /** As asked at `retention`. */
  { activity?: never; eventSeries?: never; funnel?: never; retention: RetentionInput; };

/** The figure that is opened. Exactly one field, the same as of `of`. */
export type DevicesBehindPointInput =
  /** A figure of `activity`. */
  { activity: ActivityFigureInput; eventSeries?: never; funnel?: never; retention?: never; }
  |  /** A figure of `eventSeries`. */
  { activity?: never; eventSeries: EventSeriesFigureInput; funnel?: never; retention?: never; }
  |  /** A figure of `funnel`. */
  { activity?: never; eventSeries?: never; funnel: FunnelFigureInput; retention?: never; }
  |  /** A figure of `retention`. */
  { activity?: never; eventSeries?: never; funnel?: never; retention: RetentionFigureInput; };

/** The input of `emailChange`. */
export type EmailChangeInput = {
  /** The new e-mail address, at most 254 characters. */
  newEmail: Scalars['String']['input'];
  /** The password that the caller has, exactly as the user set it. */
  password: Scalars['String']['input'];
};

/**
 * A right that a user has bought: a *line*. There is one for each subscription line, with the dates of the period that holds,
 * and one for each other transaction.
 *
 * ## Periods
 *
 * - Of the periods of a line that have begun the latest one holds, by `purchasedAt`. Of two with the same `purchasedAt`, one that
 *   the store has not revoked counts as the later one, then the one with the greater id.
 * - A period that has not begun decides nothing yet. A renewal that the store books before the present period ends holds a minute
 *   before it begins, because the store's clock may be ahead of the service's. Before any period has begun, the first one holds.
 * - A period that the store took back before it began never holds. So the present one goes on until its own end.
 * - A period that the store marks as upgraded is replaced, and never hides the one that has replaced it, whichever was bought
 *   first and whichever the service heard of first. Until the service knows the one that has replaced it, it goes on and
 *   `revokedAt` is null.
 *
 * All fields but `active` have the values that the store gave last. `StoreTransaction`, "Look-ups", says when the service
 * asks the store.
 *
 * ## Owners
 *
 * - Where the store's signed transaction carries an account token (the app gives the store one at the purchase,
 *   `appAccountToken`), the owner is the `external_id` equal to it, whoever uploaded first and whatever the policy. UUIDs are
 *   compared without case.
 * - Otherwise the owner is the `external_id` of the first upload that brought the line with one. An empty `external_id` counts
 *   as none. A line that only uploads without one have brought has no owner, and every device that named it holds it.
 * - With an owner, `Application.entitlementPolicy` decides about uploads by another `external_id`. Devices that held the line
 *   before it had an owner keep it under `KEEP` and `SHARE`.
 * - An upload without `external_id` for an owned line is the owner's only from a device that has named the owner's
 *   `external_id` in an upload of store transactions.
 * - An upload that arrived before the purchase does not count as bringing it. The store's clock may be ahead of the service's:
 *   a minute before `purchasedAt` counts as after the purchase, and so does the day before the begin of a renewal that the store
 *   has booked early, unless the store has said since the upload that it does not know the transaction.
 * - A store account has one line for a subscription. Where another user of the app subscribes again on a store account on which
 *   somebody has subscribed before, the store continues that line. Under `KEEP` it stays its first owner's, and whoever pays now
 *   has the transaction with the reason `owned_by_another`. An account token or `TRANSFER` gives it to the latter.
 * - A family-shared line keeps its owner under every policy.
 * - An upload decides at once, without waiting for a look-up. A change of the policy changes nothing until the next upload or
 *   look-up of the line.
 * - Whoever may not hold the line has the transaction with the reason `owned_by_another`, and no entitlement.
 *
 * An `external_id` is not proven: `reportStoreTransactions` is not signed, and anybody with the public key can name one. Under
 * `KEEP` a device that names the owner's holds his line. Only an account token (`appAccountToken`) proves the owner. A server
 * grants by `entitlements(externalId)`, not by device.
 */
export type Entitlement = {
  /**
   * The service computes it at the time of the query: not revoked and not expired, a billing grace period included, in either
   * environment. It is false in billing retry after the grace. At the end of a subscription that is to renew it stays true until
   * the store says that the subscription has ended, or until a look-up a minute after the end finds no renewal, at most for an
   * hour: the store may book a renewal some seconds late.
   */
  active: Scalars['Boolean']['output'];
  /** Whether the subscription is to renew. Null when it is not an auto-renewable subscription, or when it is not known. */
  autoRenew?: Maybe<Scalars['Boolean']['output']>;
  /** The currency of the price, ISO 4217, for example `EUR`. */
  currency?: Maybe<Scalars['String']['output']>;
  /** The store's environment in which the user bought it. Do not grant anything in a released app for `SANDBOX`. */
  environment: StoreEnvironment;
  /**
   * The paid end. Billing grace does not move it. Null when it does not end by itself. For a `NON_RENEWING` product, to which
   * the store gives no end, it is `purchasedAt` and the product's `durationDays` (`productEdit`).
   */
  expiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** The end of the billing grace period, while there is one: the store tries again to collect the price of the next period. */
  graceExpiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** The line: the store's identifier of the first transaction of a subscription, or of the one transaction. */
  id: Scalars['String']['output'];
  /** Whether the store still tries to collect the price of the next period, within grace or after it. */
  inBillingRetry: Scalars['Boolean']['output'];
  /** The kind of product. */
  kind: EntitlementKind;
  /** The owner. Null where there is none ("Owners"). */
  owner?: Maybe<EntitlementOwner>;
  /**
   * Whether the user bought it, or somebody of the user's family shares it. Null for a line that was not looked up since a
   * release that did not keep it.
   */
  ownership?: Maybe<StoreOwnership>;
  /**
   * The price of the period that holds as the store gives it, decimal text in units of the currency, for example `9.99`. Null
   * where the store does not say.
   */
  price?: Maybe<Scalars['String']['output']>;
  /** The store's product identifier, for example `com.example.shop.pro.monthly`. */
  productId: Scalars['String']['output'];
  /** When the user bought it. For a subscription it is the period that holds ("Periods"). */
  purchasedAt: Scalars['DateTime']['output'];
  /** How many the user bought, for example 5 of a consumable. Null as `ownership` is. */
  quantity?: Maybe<Scalars['Int']['output']>;
  /** When the store took it back, for example by a refund. Null when it has not, or no longer. */
  revokedAt?: Maybe<Scalars['DateTime']['output']>;
  /** The identifiers of all transactions of the line that the service knows, earliest `purchasedAt` first. */
  storeTransactionIds: Array<Scalars['String']['output']>;
};

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

/** The owner of a line ("Owners", at `Entitlement`). */
export type EntitlementOwner = {
  /** The device that first brought the line for the owner, `device.id` of its upload. Null while none has. */
  deviceId?: Maybe<Scalars['String']['output']>;
  /** `device.external_id` of the uploads that brought the line, or the store's account token where no upload has named it. */
  externalId: Scalars['String']['output'];
};

/** A page of `entitlements`. */
export type EntitlementPage = {
  /** For `after`, for example `ZSAxNzg5MDAwMDAw`. Do not take it apart: its form may change. Null on an empty page. */
  endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether there are more entitlements after this page. */
  hasMore: Scalars['Boolean']['output'];
  /** The entitlements, newest first. */
  nodes: Array<Entitlement>;
};

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
   * `extensions.progress` from 0 to 1 says how much of it is done), `stopped` (the copy can neither be opened nor built:
   * whoever runs the service has to help, and its log says how) or `busy` (too many queries at once: retry after some seconds).
   * New reasons may come.
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
   * | `full` | too many deliveries of the webhook wait |
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

/** A name of events that have arrived. */
export type EventName = {
  /** The number of events in the last 30 times 24 hours. */
  count30Days: Scalars['Int']['output'];
  /** The time of the first event ever ("Times of events and sessions"). */
  firstSeenAt: Scalars['DateTime']['output'];
  /** The time of the last event. It is `firstSeenAt` once the service has removed all of them for their age. */
  lastSeenAt: Scalars['DateTime']['output'];
  /** The name, for example `ProductViewed`. */
  name: Scalars['String']['output'];
  /**
   * The parameters of the newest events of this name and type, in the order of the name by code points. At most 256. The
   * newest are those of the last hours, counted back from now, that together have 1,000 of these events, and those of the
   * last 30 times 24 hours where there are fewer.
   */
  params: Array<PropertyName>;
  /** Whether the app or the SDK records it. */
  type: EventType;
};

/** A page of `eventNames`. */
export type EventNamePage = {
  /** Whatever was stored before this instant is in the response. */
  asOf: Scalars['DateTime']['output'];
  /** For `after`, for example `MTA0Mg`. Null on an empty page. */
  endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether there are more nodes after this page. */
  hasMore: Scalars['Boolean']['output'];
  /** The names, in order. */
  nodes: Array<EventName>;
};

/** The events that count: those of one name that fit the filters. */
export type EventSelectionInput = {
  /** At most 20 conditions. All must hold. Null, absent or empty: no conditions. */
  filters?: InputMaybe<Array<PropertyFilterInput>>;
  /**
   * The name, 1 to 256 characters, not blank, taken as it is. Upper and lower case are different. A name that has never
   * arrived has no events.
   */
  name: Scalars['String']['input'];
  /** Whether the app or the SDK records it. */
  type: EventType;
};

/** The response of `eventSeries`. */
export type EventSeries = {
  /** Whatever was stored before this instant is in the response. */
  asOf: Scalars['DateTime']['output'];
  /** Whether the question has used properties of users or devices. They are those of now, and not of the time of the event. */
  presentProperties: Scalars['Boolean']['output'];
  /**
   * The series in the order of `events`. With a breakdown the values of each event in the order of "Breakdowns", the value
   * with the most events first and `isOther` last. Without one there is one series for each event.
   */
  series: Array<EventSeriesLine>;
};

/** A figure of `eventSeries`. */
export type EventSeriesFigureInput = {
  /** The value of a breakdown, with its type. Null: the events without the property. Absent: all values. */
  breakdownValue?: InputMaybe<Scalars['JSON']['input']>;
  /** Whether it is the line of the other values. Null: false. */
  isOther?: InputMaybe<Scalars['Boolean']['input']>;
  /** `EventSeriesLine.index`. */
  series: Scalars['Int']['input'];
  /** `start` of a point in the response. Null or absent: the whole range. No device is behind any other instant. */
  start?: InputMaybe<Scalars['DateTime']['input']>;
};

/** The input of `eventSeries`. */
export type EventSeriesInput = {
  /** The application. */
  applicationId: Scalars['UUID']['input'];
  /** The property by which each event is broken down. Null or absent: none. */
  breakdown?: InputMaybe<BreakdownInput>;
  /** One to five events. */
  events: Array<EventSelectionInput>;
  /** The first day. */
  from: Scalars['Date']['input'];
  /** Whether test devices count too. Null: false. */
  includeTest?: InputMaybe<Scalars['Boolean']['input']>;
  /** The length of the points. Null: `DAY`. With `HOUR` the range has at most 31 days. */
  interval?: InputMaybe<SeriesInterval>;
  /** What is measured. Null: `COUNT`. */
  measure?: InputMaybe<SeriesMeasure>;
  /**
   * The parameter of the events whose numbers are measured, 1 to 256 characters, not blank. Required with `SUM`,
   * `AVERAGE`, `MEDIAN` and `P90`, and null or absent otherwise. Values that are no numbers do not count.
   */
  property?: InputMaybe<Scalars['String']['input']>;
  /**
   * The time zone of the days: a name of the IANA time zone database, at most 64 characters. Null or absent: the
   * application's.
   */
  timeZone?: InputMaybe<Scalars['String']['input']>;
  /** The last day, not before `from`. At most 731 days with `from`. */
  to: Scalars['Date']['input'];
  /** What is counted. Null: `DEVICE`. */
  unit?: InputMaybe<AnalyticsUnit>;
};

/** One line of `eventSeries`. */
export type EventSeriesLine = {
  /**
   * The value of the property, for example `"DE"`. Null without a breakdown, without the property, and where `isOther` is
   * true.
   */
  breakdownValue?: Maybe<Scalars['JSON']['output']>;
  /** The name of the event, for example `Purchased`. */
  event: Scalars['String']['output'];
  /** The place of the event in `events` of the input, from 0 on. */
  index: Scalars['Int']['output'];
  /** Whether the line holds the values beyond the 20 with the most events. */
  isOther: Scalars['Boolean']['output'];
  /** The points from `from` to `to`, in order. */
  points: Array<EventSeriesPoint>;
  /** The measure of the whole range, computed over the range. Null as `EventSeriesPoint.value`. */
  total?: Maybe<Scalars['Float']['output']>;
};

/** The measure of one point. */
export type EventSeriesPoint = {
  /** Whether the end of the point is more than an hour past. A point that is not complete may still grow. */
  complete: Scalars['Boolean']['output'];
  /** The first instant of the point. */
  start: Scalars['DateTime']['output'];
  /** The measure. Null where it has none (`PER_UNIT`, `AVERAGE`, `MEDIAN`, `P90` without an event or a number). */
  value?: Maybe<Scalars['Float']['output']>;
};

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

/** The response of `funnel`. */
export type Funnel = {
  /** Whatever was stored before this instant is in the response. */
  asOf: Scalars['DateTime']['output'];
  /**
   * The steps for each value of the property at the entering event, in the order of "Breakdowns", by the number of
   * entering events of the units. Null without a breakdown.
   */
  breakdown?: Maybe<Array<FunnelBreakdown>>;
  /** Whether the question has used properties of users or devices. They are those of now, and not of the time of the event. */
  presentProperties: Scalars['Boolean']['output'];
  /** The steps in the order of the input. */
  steps: Array<FunnelStep>;
};

/** The steps of a funnel for one value. */
export type FunnelBreakdown = {
  /** Whether it holds the values beyond the first 20. */
  isOther: Scalars['Boolean']['output'];
  /** The steps in the order of the input. */
  steps: Array<FunnelStep>;
  /**
   * The value of the property at the entering event, for example `"DE"`. Null without the property, and where `isOther` is
   * true.
   */
  value?: Maybe<Scalars['JSON']['output']>;
};

/** A figure of `funnel`. */
export type FunnelFigureInput = {
  /** The value of a breakdown, with its type. Null: those without the property. Absent: all values. */
  breakdownValue?: InputMaybe<Scalars['JSON']['input']>;
  /** Whether the devices are wanted that have the step before and not this one. Null: false. Refused for the first step. */
  dropped?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether it is the line of the other values. Null: false. */
  isOther?: InputMaybe<Scalars['Boolean']['input']>;
  /** `FunnelStep.index`. */
  step: Scalars['Int']['input'];
};

/**
 * The input of `funnel`.
 *
 * - A unit enters with its first event of the first step from `from` to `to`. A later one begins nothing anew. It may
 *   finish after `to`.
 * - A later step is at or after the step before it, and not later than `within` after the entering event. Events of one
 *   time follow one another by "Times of events and sessions".
 * - One event serves one step. A step that is there twice needs two events.
 * - With `ANY` a unit has a step when an event of its own, which serves no other step, fits it.
 */
export type FunnelInput = {
  /** The application. */
  applicationId: Scalars['UUID']['input'];
  /** A property of the entering event, by which the units are broken down. Null or absent: none. */
  breakdown?: InputMaybe<BreakdownInput>;
  /** The first day. */
  from: Scalars['Date']['input'];
  /** Whether test devices count too. Null: false. */
  includeTest?: InputMaybe<Scalars['Boolean']['input']>;
  /** The order of the steps. Null: `ORDERED`. */
  order?: InputMaybe<FunnelOrder>;
  /** Two to eight steps. */
  steps: Array<EventSelectionInput>;
  /**
   * The time zone of the days: a name of the IANA time zone database, at most 64 characters. Null or absent: the
   * application's.
   */
  timeZone?: InputMaybe<Scalars['String']['input']>;
  /** The last day, not before `from`. At most 731 days with `from`. */
  to: Scalars['Date']['input'];
  /** What is counted. Null: `DEVICE`. */
  unit?: InputMaybe<AnalyticsUnit>;
  /** The time from the entering event to the last step. */
  within: FunnelWindowInput;
};

/** The order in which a unit takes the steps of a funnel. */
export type FunnelOrder =
  /** The first step first, and the others in any order at or after it. */
  | 'ANY'
  /** Each step at or after the one before it. */
  | 'ORDERED';

/** One step of a funnel. */
export type FunnelStep = {
  /** Their share of the units that entered, from 0 to 1. Null when no unit entered. */
  conversion?: Maybe<Scalars['Float']['output']>;
  /** The units that have this step and all before it in the list. */
  count: Scalars['Int']['output'];
  /**
   * Their share of the units of the step before, from 0 to 1. Of the first step as `conversion`. Null when the step before
   * has no unit.
   */
  fromPrevious?: Maybe<Scalars['Float']['output']>;
  /** The place of the step, from 0 on. */
  index: Scalars['Int']['output'];
  /**
   * The median time since the step before, in seconds, of these units. Of two in the middle it is the mean. Null for the
   * first step, for `ANY`, and without a unit.
   */
  medianSeconds?: Maybe<Scalars['Float']['output']>;
};

/** How much time a unit has from its entering event to its last step, the last instant included. */
export type FunnelWindowInput = {
  /** The unit. */
  unit: FunnelWindowUnit;
  /** How many of `unit`, 1 or more. At most 366 days. */
  value: Scalars['Int']['input'];
};

/** The unit of `FunnelWindowInput.value`. */
export type FunnelWindowUnit =
  /** 86,400 seconds. */
  | 'DAY'
  /** 3,600 seconds. */
  | 'HOUR'
  /** 60 seconds. */
  | 'MINUTE';

/** What was refused for one reason on one day. */
export type IngestIssue = {
  /** `appVersionNormalized` of the request. Null where it could not be read. */
  appVersion?: Maybe<Scalars['Float']['output']>;
  /** How many uploads were refused so. An upload counts once for each different path. */
  count: Scalars['Int']['output'];
  /** The day in the application's time zone. */
  day: Scalars['Date']['output'];
  /** When the first one arrived. */
  firstAt: Scalars['DateTime']['output'];
  /** When the last one arrived. */
  lastAt: Scalars['DateTime']['output'];
  /** The operation of the public API, for example `reportSessions`. `other` in the line `other`. */
  operation: Scalars['String']['output'];
  /**
   * Where, with `[]` for the indexes, for example `sessions[].events[].name`, at most 256 characters. Empty for the whole
   * request (403, 413, 415).
   */
  path: Scalars['String']['output'];
  /**
   * Why, one word for programs: the `reason` of a 403, the `unit` of a 413, `media_type` of a 415, or a word for the kind of
   * fault, for example `required`. `other`: the lines beyond 200 of the day. New words may come.
   */
  reason: Scalars['String']['output'];
  /** The message in the response to it, for example `is required`. It never holds a value that was sent. */
  sampleMessage: Scalars['String']['output'];
  /** The path in one of them, for example `sessions[0].events[3].name`. */
  samplePath: Scalars['String']['output'];
  /** `sdkVersionNormalized` of the request. Null where it could not be read. */
  sdkVersion?: Maybe<Scalars['Float']['output']>;
  /** The HTTP status, for example `422`. 0 in the line `other`. */
  status: Scalars['Int']['output'];
};

/** A page of `ingestIssues`. */
export type IngestIssuePage = {
  /** Whatever was stored before this instant is in the response. */
  asOf: Scalars['DateTime']['output'];
  /** For `after`, for example `MTA0Mg`. Null on an empty page. */
  endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether there are more nodes after this page. */
  hasMore: Scalars['Boolean']['output'];
  /** The lines, newest `lastAt` first. */
  nodes: Array<IngestIssue>;
};

/**
 * What one operation of the public API has used of its quotas. One entry counts signed uploads of sessions. In the others only
 * requests that nobody signed count, of devices that no signed upload has reported.
 */
export type IngestQuota = {
  /** The bytes that requests have added since then. */
  bytes: Scalars['Float']['output'];
  /** The most bytes in an hour. Null: there is no quota of bytes. */
  bytesPerHour?: Maybe<Scalars['Float']['output']>;
  /** The device ids that requests have added since then. Always 0 of signed uploads, whose quota is of bytes alone. */
  newDevices: Scalars['Int']['output'];
  /** The most new device ids in an hour. Null: there is no quota of devices. Without either quota nothing is counted. */
  newDevicesPerHour?: Maybe<Scalars['Int']['output']>;
  /** The operation: `reportSessions`, `reportAttribution` or `reportStoreTransactions`. */
  operation: Scalars['String']['output'];
  /** The requests that were refused since then because a quota was used up: 503 with a `Retry-After` of about an hour. */
  refused: Scalars['Int']['output'];
  /** The same in the present hour and the 23 hours before. */
  refusedInDay: Scalars['Int']['output'];
  /** The entry counts what signed uploads of `reportSessions` bring, which have a quota of bytes of their own. */
  signed: Scalars['Boolean']['output'];
  /** When the present hour began: the last full hour in UTC. */
  since: Scalars['DateTime']['output'];
};

/** A device in a list. `device` shows all of it. */
export type ListedDevice = {
  /** The version of the app that it reported last (`appVersionNormalized`). Null while no upload of sessions has arrived. */
  appVersion?: Maybe<Scalars['Float']['output']>;
  /** The country that the device reported last, for example `DE`. Null when it reported none. */
  country?: Maybe<Scalars['String']['output']>;
  /** When its first upload of sessions arrived. `Device.firstSeenAt` may be earlier, because it counts every upload. */
  firstSeenAt: Scalars['DateTime']['output'];
  /** `Device.id`, for example `d-7f3c2a90`. */
  id: Scalars['String']['output'];
  /** `Device.lastSeenAt` by uploads of sessions alone. */
  lastSeenAt: Scalars['DateTime']['output'];
  /** `iOS` or `Android`. Null while no upload of sessions has arrived. */
  platform?: Maybe<Scalars['String']['output']>;
  /** The number of sessions that are stored. */
  sessionsCount: Scalars['Int']['output'];
  /** `Device.userId`, for example `user-42`. Null when the app has set none. */
  userId?: Maybe<Scalars['String']['output']>;
};

/** The input of `login`. */
export type LoginInput = {
  /** The e-mail address. White space around it, upper or lower case and the spelling of its domain do not matter. */
  email: Scalars['String']['input'];
  /** The password, exactly as the user set it. */
  password: Scalars['String']['input'];
};

/** One login of the caller, with all tokens that follow from it. */
export type LoginSession = {
  /**
   * The network address of the login, as the service saw it, for example `203.0.113.7`. At most 64 characters. Null for a
   * login before the service stored it.
   */
  address?: Maybe<Scalars['String']['output']>;
  /** When the user logged in or signed up. */
  createdAt: Scalars['DateTime']['output'];
  /** Whether the request's bearer belongs to this session. */
  current: Scalars['Boolean']['output'];
  /** The identifier. It never changes. */
  id: Scalars['UUID']['output'];
  /** When a request last carried a token of the session, accurate to a minute. */
  lastUsedAt: Scalars['DateTime']['output'];
  /**
   * The `User-Agent` of the login, for example `Mozilla/5.0 (X11; Linux x86_64)`: its first 512 characters. It is for
   * people to recognize a device, and a client can send any text. Null when the login had none, and for a login before the
   * service stored it.
   */
  userAgent?: Maybe<Scalars['String']['output']>;
};

/** A monthly amount of one currency. */
export type MonthlyRevenue = {
  /**
   * A decimal text with the digits that the currency has after the point, rounded half up: `"312.40"` of EUR, `"1200"` of
   * JPY.
   */
  amount: Scalars['String']['output'];
  /** The ISO 4217 code, for example `EUR`. */
  currency: Scalars['String']['output'];
};

/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type Mutation = {
  /**
   * Deletes the caller's account, with all its memberships, sessions and tokens. Nobody can undo it. The response is true.
   * The audit log keeps the address in its lines, and the organizations keep what the user made. The address can sign up and
   * be invited again.
   *
   *     mutation DeleteAccount($password: String!) { accountDelete(password: $password) }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN` (a service token), `INVALID_CREDENTIALS` (the password is wrong), `CONFLICT`
   * (`last_owner`: the caller is the last active owner of an organization), `RATE_LIMITED`.
   */
  accountDelete: Scalars['Boolean']['output'];
  /**
   * Creates one more API key of an application. Several keys may be live at once. To replace a key: create the new one,
   * release the app with it, watch `ApiKey.lastUsed` of the old one, then revoke the old one.
   *
   *     mutation NewKey($application: UUID!) {
   *       apiKeyCreate(applicationId: $application, label: "Release 4.2") { public secret label }
   *     }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT` (at `label`, or at `applicationId`: it has 1,000 keys),
   * `NOT_FOUND` (the application), `RATE_LIMITED` (see "Stored bytes").
   */
  apiKeyCreate: ApiKey;
  /**
   * Edits the label of an API key, also of a revoked one. Nothing else of a key changes.
   *
   *     mutation Label($key: String!) { apiKeyEdit(input: { public: $key, label: "Release 4.2" }) { public label } }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `NOT_FOUND`, `RATE_LIMITED` (see "Stored bytes").
   */
  apiKeyEdit: ApiKey;
  /**
   * Revokes an API key for good. Within a second the response of the public API to it is 404 `Application not found`. SDKs
   * that carry it stop sending. They keep their data on the device until a version of the app with another key sends it.
   * Stored data stays. The last key can be revoked too. The response is true. A second time it is `NOT_FOUND`.
   *
   *     mutation Revoke($key: String!) { apiKeyRevoke(public: $key) }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND`.
   */
  apiKeyRevoke: Scalars['Boolean']['output'];
  /**
   * Deletes an application with its keys, campaigns and devices. Within a second the response of the public API to its
   * keys is 404 `Application not found`. Nobody can undo it. The response is true. A second time it is `NOT_FOUND`.
   *
   * ### Removal of the data
   *
   * The service removes the application's data in the background. It starts a minute after the deletion. It runs for the
   * last time an hour after the deletion, so that it also removes an upload that was accepted in the last moment. These
   * stay: the id, the public keys, which nobody else ever gets, and the audit log.
   *
   * Example:
   *
   *     mutation DeleteApplication($id: UUID!) { applicationDelete(id: $id) }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND`.
   */
  applicationDelete: Scalars['Boolean']['output'];
  /**
   * Creates an application (without `id`) or edits one (with it). A new application gets its first API key at once.
   *
   *     mutation Create($project: UUID!) {
   *       applicationEdit(input: { projectId: $project, name: "Shop", bundleId: "com.example.shop", platform: "iOS" }) {
   *         id
   *         apiKeys { public secret }
   *       }
   *     }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `NOT_FOUND` (the application or the project), `RATE_LIMITED`
   * (see "Stored bytes").
   */
  applicationEdit: Application;
  /**
   * Moves a campaign to another state, by the moves in `CampaignState`. A move raises `version` by one. A move to the
   * present state succeeds and changes nothing. The service checks `expectedVersion` before the state.
   *
   * After a move to `SCHEDULED` whose `startAt` has passed, the response has the state `ACTIVE`, and the same move once
   * more is `ILLEGAL_TRANSITION`. With `expectedVersion` a client can recognize its own repeat: it is `CONFLICT`.
   *
   *     mutation Start($id: UUID!, $seen: Int) {
   *       campaignChangeState(id: $id, state: ACTIVE, expectedVersion: $seen) { state version allowedTransitions }
   *     }
   *
   * Access: editor.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND`, `CONFLICT` (`version` with `currentVersion`), `ILLEGAL_TRANSITION`
   * (with `allowed`), `BAD_USER_INPUT` (the campaign lacks a part that the state needs, at `campaign.trigger`,
   * `campaign.action`, `campaign.schedule.startAt` or `campaign.schedule.endAt`; or the application's campaigns would become
   * too long together, at `campaign`), `RATE_LIMITED` (see "Stored bytes").
   */
  campaignChangeState: Campaign;
  /**
   * Creates a campaign as `DRAFT` (without `id`, in `applicationId`) or edits one (with `id`).
   *
   * ### Edits of a campaign
   *
   * - An absent field stays as it is, and an explicit null clears it. The edit replaces `trigger`, `targeting`,
   *   `frequency`, `schedule` and `action` as a whole and does not merge them.
   * - Every edit raises `version` by one.
   * - A `DRAFT` may be incomplete. A `SCHEDULED` or `ACTIVE` campaign must still have what its state needs after the edit
   *   (see `CampaignState`). Otherwise the response is `BAD_USER_INPUT` at `input.trigger`, `input.action`,
   *   `input.schedule.startAt` or `input.schedule.endAt`. A part that the edit leaves as it is has `campaign` in place of
   *   `input`. It is `BAD_USER_INPUT` at `input` where the application's
   *   campaigns would become too long together ("Limits").
   * - A campaign that has begun by the clock stays `ACTIVE`, whatever the edit makes of `schedule.startAt`.
   * - A `FINISHED` or `ARCHIVED` campaign cannot be edited (`CONFLICT`, `not_editable`), by the clock too.
   * - Devices see the new version at their next fetch. The response to their next upload tells them to fetch.
   *
   * Example:
   *
   *     mutation Rename($id: UUID!, $name: String!, $seen: Int!) {
   *       campaignEdit(input: { id: $id, name: $name, expectedVersion: $seen }) { id name version }
   *     }
   *
   * Access: editor.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `NOT_FOUND` (the campaign or the application), `CONFLICT`
   * (`version` with `currentVersion`; `not_editable`: the campaign is over), `RATE_LIMITED` (see "Stored bytes").
   */
  campaignEdit: Campaign;
  /**
   * Begins the change of the caller's e-mail address. The service mails the link `{dashboard}/confirm-email?token=…` to the
   * new address, and a notice that names the new address to the present one. The page of the link calls `emailConfirm`,
   * which makes the change. The token works once and for 24 hours. A later `emailChange` ends it, and so does a new
   * password.
   *
   * The response is true, also where another account has the new address. Nobody gets a token then: the mail to the
   * address says that there is an account. With the caller's own address no notice is sent, and the token confirms that
   * address for 7 days. The service makes links and sends mails as at `resetPassword`.
   *
   *     mutation ChangeEmail($input: EmailChangeInput!) { emailChange(input: $input) }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN` (a service token), `BAD_USER_INPUT` (at `input.newEmail`),
   * `INVALID_CREDENTIALS` (the password is wrong), `RATE_LIMITED`.
   */
  emailChange: Scalars['Boolean']['output'];
  /**
   * Takes the token of a mail of `signup` or `emailChange`: it confirms the account's e-mail address, or makes the new
   * address the account's. It does not log in, and every session goes on. After a change the user logs in with the new
   * address, and the links of reset mails to the old address no longer work. The response is true.
   *
   * An invitation of the new address ends in each organization of which the account is a member: it stays the member it is.
   *
   * Another account may have taken the new address since the mail was sent: the response is then `CONFLICT`, and nothing
   * changes. Only the owner of the mailbox learns that. The token does not work again once it has succeeded.
   *
   *     mutation ConfirmEmail($token: String!) { emailConfirm(token: $token) }
   *
   * Access: public.
   * Errors: `INVALID_TOKEN`, `CONFLICT` (`email_in_use`), `RATE_LIMITED`.
   */
  emailConfirm: Scalars['Boolean']['output'];
  /**
   * Accepts an invitation: adds its membership to the user's account and starts a session there. The user is the bearer's or,
   * with a `challenge`, the one who has got `NO_ORGANIZATION` from `login`. With a challenge the service ignores the bearer.
   * The invitation must be for the account's e-mail address. The account's password and its other memberships stay. The
   * address counts as confirmed. A user without the password calls `updatePassword` with the same token instead.
   *
   *     mutation Join($token: String!) {
   *       invitationAccept(token: $token) { token refreshToken organization { id name } }
   *     }
   *
   * Access: public.
   * Errors: `UNAUTHENTICATED` (neither a bearer nor a challenge), `FORBIDDEN` (a service token), `INVALID_TOKEN`,
   * `RATE_LIMITED`.
   */
  invitationAccept: AuthPayload;
  /**
   * Logs a user in by e-mail address and password and starts a session of its own, in the organization that the user used
   * last. Sessions on other devices go on, 100 at most, see "Sessions". The response is the same for an unknown address and a
   * wrong password.
   *
   *     mutation Login($input: LoginInput!) {
   *       login(input: $input) { token refreshToken user { name role } organization { id name } }
   *     }
   *
   * Access: public.
   * Errors: `INVALID_CREDENTIALS`, `NO_ORGANIZATION` (with `challenge`), `RATE_LIMITED`.
   */
  login: AuthPayload;
  /**
   * Logs the caller out: ends the session of the bearer at once, with its access tokens and refresh tokens. Other sessions
   * go on. The response is true. The next request with the bearer is HTTP 401.
   *
   *     mutation Logout { logout }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN` (a service token).
   */
  logout: Scalars['Boolean']['output'];
  /**
   * Ends every session of the caller but the one of the bearer, at once, with their access tokens and refresh tokens. The
   * response is true, also when there was no other session.
   *
   *     mutation LogoutEverywhere { logoutEverywhere }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN` (a service token).
   */
  logoutEverywhere: Scalars['Boolean']['output'];
  /**
   * Founds an organization, whose `owner` the user is, and starts a session there. The user is the bearer's or, with a
   * `challenge`, the one who has got `NO_ORGANIZATION` from `login`. With a challenge the service ignores the bearer. The
   * other memberships stay.
   *
   *     mutation Found($input: OrganizationCreateInput!) {
   *       organizationCreate(input: $input) { token refreshToken organization { id name } }
   *     }
   *
   * Access: public.
   * Errors: `UNAUTHENTICATED` (neither a bearer nor a challenge), `FORBIDDEN` (a service token), `INVALID_TOKEN` (the
   * challenge), `BAD_USER_INPUT`, `RATE_LIMITED`.
   */
  organizationCreate: AuthPayload;
  /**
   * Edits the caller's organization.
   *
   *     mutation Organization($name: String!) { organizationEdit(input: { name: $name }) { id name } }
   *
   * Access: owner.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `RATE_LIMITED` (see "Stored bytes").
   */
  organizationEdit: Organization;
  /**
   * Ends the caller's membership in the organization of the bearer, with all their sessions there. The account and its other
   * memberships stay. The response is true. Somebody can invite the user again.
   *
   *     mutation Leave { organizationLeave }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN` (a service token), `CONFLICT` (`last_owner`: the last active owner cannot
   * leave).
   */
  organizationLeave: Scalars['Boolean']['output'];
  /**
   * Gives tokens for another organization of the caller: a new session, which lives no longer than the session of the bearer
   * can. The session of the bearer goes on in its own organization. The 101st session of a user ends another, see "Sessions".
   *
   *     mutation Switch($id: UUID!) { organizationSwitch(id: $id) { token refreshToken organization { id name } } }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN` (a service token), `NOT_FOUND` (the caller is not active in such an
   * organization).
   */
  organizationSwitch: AuthPayload;
  /**
   * Gives the caller a new password, for the current one. It ends every other session of the caller, every open reset
   * token and the open token of an `emailChange`. The session of the bearer goes on. The response is true.
   *
   *     mutation ChangePassword($input: PasswordChangeInput!) { passwordChange(input: $input) }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN` (a service token), `BAD_USER_INPUT` (at `input.newPassword` or
   * `input.newPasswordRepeat`), `INVALID_CREDENTIALS` (the current password is wrong), `RATE_LIMITED`.
   */
  passwordChange: Scalars['Boolean']['output'];
  /**
   * Says how long a `NON_RENEWING` product lasts, because the store does not. It counts for every purchase of the product,
   * earlier ones too, from the next query on. The product need not have been sold yet.
   *
   *     mutation Pass($input: ProductEditInput!) { productEdit(input: $input) { productId durationDays } }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `NOT_FOUND` (the application), `RATE_LIMITED` (see "Stored
   * bytes").
   */
  productEdit: Product;
  /**
   * Deletes a project with all its applications, see `applicationDelete`. Nobody can undo it. The response is true. A
   * second time it is `NOT_FOUND`.
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
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `NOT_FOUND`, `RATE_LIMITED` (see "Stored bytes").
   */
  projectEdit: Project;
  /**
   * Exchanges a refresh token for a new token and a new refresh token, its successor. Call it about once an hour, and
   * always keep the latest pair.
   *
   * ### A refresh token that comes again
   *
   * Each refresh token is for one use and has one successor.
   *
   * - Within 30 seconds it gives the same successor, so that two browser tabs do not log each other out.
   * - Later it gives the same successor as long as nobody has used that: the response with it was lost, and the client
   *   retries. A client may retry for 30 days.
   * - The successor is in use as soon as anybody has sent it to `refreshToken`, or has sent an access token that came with
   *   it as the bearer. A refresh token that comes again after that, and later than 30 seconds, is taken for stolen: its
   *   session ends with all its tokens, and the response is `INVALID_TOKEN`.
   * - With it end the sessions that began from it or from which it began (`organizationSwitch`, `organizationCreate`,
   *   `invitationAccept` with a bearer): a thief may have them.
   *
   * Example:
   *
   *     mutation Refresh($token: String!) { refreshToken(token: $token) { token refreshToken } }
   *
   * Access: public.
   * Errors: `INVALID_TOKEN`, `RATE_LIMITED`.
   */
  refreshToken: AuthPayload;
  /**
   * Starts a password reset: an account gets a mail with the link `{dashboard}/reset-password?token=…`.
   * `{dashboard}` is `DASHBOARD_URL` in the service's configuration and never comes from a request. The page of the link
   * takes the token out of the address bar, asks for a password and calls `updatePassword`. The token works once and for
   * 30 minutes. Several tokens may be open at once, and a new password ends them all.
   *
   * The response to an e-mail address is always true, at the same speed, whether the account exists or not, unless there
   * were too many attempts from the network address. The mail is sent after the response, see "Mails". A mailbox gets at
   * most two mails in 15 minutes, see "Attempts".
   *
   *     mutation Reset($input: ResetPasswordInput!) { resetPassword(input: $input) }
   *
   * Access: public.
   * Errors: `BAD_USER_INPUT` (no e-mail address), `RATE_LIMITED`.
   */
  resetPassword: Scalars['Boolean']['output'];
  /**
   * Makes a token for a program, see "Service tokens". Only this response has the token.
   *
   *     mutation NewToken($application: UUID!) {
   *       serviceTokenCreate(input: { name: "Shop server", role: "viewer", applicationIds: [$application] }) {
   *         token
   *         serviceToken { id name role }
   *       }
   *     }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `NOT_FOUND` (an application), `RATE_LIMITED` (see "Stored
   * bytes").
   */
  serviceTokenCreate: ServiceTokenCreated;
  /**
   * Ends a service token for good. The next request with it is HTTP 401. The response is true. A second time it is
   * `NOT_FOUND`.
   *
   *     mutation RevokeToken($id: UUID!) { serviceTokenRevoke(id: $id) }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND`.
   */
  serviceTokenRevoke: Scalars['Boolean']['output'];
  /**
   * Ends one session of the caller at once, with its access tokens and refresh tokens. It may be the session of the bearer.
   * The response is true. A second time it is `NOT_FOUND`.
   *
   *     mutation EndSession($id: UUID!) { sessionRevoke(id: $id) }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN` (a service token), `NOT_FOUND` (the caller has no live session with this id).
   */
  sessionRevoke: Scalars['Boolean']['output'];
  /**
   * Registers a new organization and its first user, who is its `owner` and `active` at once, and logs them in. A user
   * joins an existing organization by invitation instead (`userInvite`), and an invitation does not keep the address from
   * signing up. The account works at once, see "Unconfirmed addresses". The service mails the link
   * `{dashboard}/confirm-email?token=…` to the address, whose page calls `emailConfirm`. The service makes links and sends
   * mails as at `resetPassword`.
   *
   * `email_in_use` tells anybody that an address has an account: somebody who has forgotten their account needs to know. The
   * attempts of a network address bound how many addresses anybody can try, see "Attempts".
   *
   *     mutation Signup($input: RegistrationUserInput!) {
   *       signup(input: $input) { token refreshToken organization { id } }
   *     }
   *
   * Access: public.
   * Errors: `FORBIDDEN` (by a setting of the service, see "Sign-up"), `BAD_USER_INPUT`, `CONFLICT`
   * (`email_in_use`), `RATE_LIMITED`.
   */
  signup: AuthPayload;
  /**
   * Sets or clears the credentials with which the service asks the store's server API about the transactions of an
   * application. After new credentials the service looks up at once all transactions that wait for another look-up, whatever
   * the `reason` but `waiting_in_line`. A pause for which the store asked (`Retry-After`) ends, and the service looks up the
   * transactions that the pause delayed as well. The service stores the credentials encrypted and never returns
   * them: no operation reads them. The response is true.
   *
   *     mutation Credentials($input: StoreCredentialsEditInput!) { storeCredentialsEdit(input: $input) }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT` (only some of the values, an invalid key or an invalid
   * `storeAppId`), `NOT_FOUND` (the application), `RATE_LIMITED` (see "Stored bytes").
   */
  storeCredentialsEdit: Scalars['Boolean']['output'];
  /**
   * Sets a password with the token of a reset mail or of an invitation mail. It ends every session of the user, on all
   * devices, every open reset token and challenge, and the open token of an `emailChange`. An invitation's token also adds
   * the membership to the account of its address, and creates the account where there is none. The account's e-mail address
   * counts as confirmed from then on. An account that had never confirmed it loses its memberships to invitations, see
   * "Unconfirmed addresses".
   *
   * It does not log in. Call `login` next, with the e-mail address that the page asks the user for. Neither the link nor
   * the response contains the address. Both mails name it in their text.
   *
   * The service checks the input before the token. A refused attempt (passwords differ, too short, too common) does not
   * use up the token. The response is true.
   *
   *     mutation NewPassword($input: UpdatePasswordInput!) { updatePassword(input: $input) }
   *
   * Access: public.
   * Errors: `INVALID_TOKEN`, `BAD_USER_INPUT` (at `input.newPassword` or `input.newPasswordRepeat`), `RATE_LIMITED`.
   */
  updatePassword: Scalars['Boolean']['output'];
  /**
   * Edits a user of the caller's organization: the caller without `email`, another user with it.
   *
   * ### Edits of a user
   *
   * Every user edits their own name and avatar, which belong to the account, and nobody else does (`BAD_USER_INPUT` at
   * `input.name`, `input.avatar`). Role and status belong to the membership and need admin. Owners are edited only by owners.
   * Only an owner makes somebody an owner. Every user changes their own e-mail address, with `emailChange`.
   *
   * ### Status of a user
   *
   * | Status | can become | by |
   * |---|---|---|
   * | `invited` | `active` | the user, `invitationAccept` or `updatePassword` with the invitation's token |
   * | `invited` | `disabled` | `userEdit`; the invitation's token no longer works |
   * | `active` | `disabled` | `userEdit`; the sessions in this organization, with their access tokens, end with this request |
   * | `active` | `invited` | `updatePassword` with a mailed token, where the account never confirmed its address, see "Unconfirmed addresses" |
   * | `disabled` | `active` | `userEdit`, when the user has accepted the invitation |
   * | `disabled` | `invited` | `userInvite`, when the user has not accepted the invitation |
   *
   * Other changes of status are `BAD_USER_INPUT` at `input.status`.
   *
   * Example:
   *
   *     mutation Promote($email: String!) { userEdit(input: { email: $email, role: "editor" }) { email role } }
   *
   * Access: viewer (own name and avatar), admin (others, role, status), owner (owners).
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `NOT_FOUND` (no such user in this organization), `CONFLICT`
   * (`last_owner`: the last active owner cannot be demoted or disabled), `RATE_LIMITED` (see "Stored bytes").
   */
  userEdit: ServiceUser;
  /**
   * Invites somebody into the caller's organization. The service creates an invitation, a user with status `invited`, and
   * sends a mail with the link `{dashboard}/accept-invitation?token=…`. The page of the link calls `invitationAccept` for a
   * user who logs in, or asks for a password and calls `updatePassword`. The token works once and for 7 days. The invitation
   * reserves nothing: the response is the same whether the address has an account, or invitations elsewhere, or not.
   *
   * A further invitation of somebody who has not accepted sends a new mail and takes over the new name and role. It makes them
   * `invited` again if they were `disabled`, and the earlier token no longer works. The service makes links and sends mails as
   * at `resetPassword`. `userRemove` withdraws an invitation.
   *
   *     mutation Invite($input: UserInviteInput!) { userInvite(input: $input) { email status } }
   *
   * Access: admin; owner to invite an owner.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `CONFLICT` (`already_member`: an active or disabled user
   * of this organization; `email_unconfirmed`: the caller's own address, send `emailChange` with it for another mail),
   * `RATE_LIMITED` (see "Attempts": also where the mailbox has got many mails).
   */
  userInvite: ServiceUser;
  /**
   * Ends the membership of a user of the caller's organization, with all their sessions there, or withdraws an invitation.
   * The account and its other memberships stay. The response is true. A second time it is `NOT_FOUND`.
   *
   *     mutation Remove($email: String!) { userRemove(email: $email) }
   *
   * Access: admin; owner to remove an owner.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND` (no such user in this organization), `CONFLICT` (`last_owner`:
   * the last active owner cannot be removed).
   */
  userRemove: Scalars['Boolean']['output'];
  /**
   * Deletes a webhook with its deliveries. A delivery that is being sent may still arrive. The response is true. A second
   * time it is `NOT_FOUND`.
   *
   *     mutation DeleteWebhook($id: UUID!) { webhookDelete(id: $id) }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND`.
   */
  webhookDelete: Scalars['Boolean']['output'];
  /**
   * Creates a webhook (without `id`, in `applicationId`) or edits one (with `id`), see "Webhooks". An application has at most
   * 20. The secret is in the response to the creation, and after `rotateSecret: true` a new one. From then on the service
   * signs with the new one alone, retries included. A disabled webhook gets no event, and what waits for it is parked.
   *
   *     mutation Webhook($app: UUID!) {
   *       webhookEdit(input: { applicationId: $app, url: "https://shop.example.com/hooks", events: [CAMPAIGN_STATE_CHANGED] }) {
   *         webhook { id }
   *         secret
   *       }
   *     }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `NOT_FOUND` (the webhook or the application), `RATE_LIMITED`
   * (see "Stored bytes").
   */
  webhookEdit: WebhookEdited;
  /**
   * Sends a delivery again, in any state, with the same `webhook-id` and body. It is sent at once and out of order: it waits
   * for no other delivery, and none waits for it.
   *
   *     mutation Redeliver($id: UUID!) { webhookRedeliver(deliveryId: $id) { id state } }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND`, `CONFLICT` (`disabled`: the webhook is disabled; `full`: too many
   * deliveries of it wait), `RATE_LIMITED` (see "Stored bytes").
   */
  webhookRedeliver: WebhookDelivery;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationAccountDeleteArgs = {
  password: Scalars['String']['input'];
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationApiKeyCreateArgs = {
  applicationId: Scalars['UUID']['input'];
  label?: InputMaybe<Scalars['String']['input']>;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationApiKeyEditArgs = {
  input: ApiKeyEditInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationApiKeyRevokeArgs = {
  public: Scalars['String']['input'];
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationApplicationDeleteArgs = {
  id: Scalars['UUID']['input'];
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationApplicationEditArgs = {
  input: ApplicationEditInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationCampaignChangeStateArgs = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['UUID']['input'];
  state: CampaignState;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationCampaignEditArgs = {
  input: CampaignEditInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationEmailChangeArgs = {
  input: EmailChangeInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationEmailConfirmArgs = {
  token: Scalars['String']['input'];
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationInvitationAcceptArgs = {
  challenge?: InputMaybe<Scalars['String']['input']>;
  token: Scalars['String']['input'];
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationLoginArgs = {
  input: LoginInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationOrganizationCreateArgs = {
  input: OrganizationCreateInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationOrganizationEditArgs = {
  input: OrganizationEditInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationOrganizationSwitchArgs = {
  id: Scalars['UUID']['input'];
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationPasswordChangeArgs = {
  input: PasswordChangeInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationProductEditArgs = {
  input: ProductEditInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationProjectDeleteArgs = {
  id: Scalars['UUID']['input'];
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationProjectEditArgs = {
  input: ProjectEditInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationRefreshTokenArgs = {
  token: Scalars['String']['input'];
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationResetPasswordArgs = {
  input: ResetPasswordInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationServiceTokenCreateArgs = {
  input: ServiceTokenCreateInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationServiceTokenRevokeArgs = {
  id: Scalars['UUID']['input'];
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationSessionRevokeArgs = {
  id: Scalars['UUID']['input'];
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationSignupArgs = {
  input: RegistrationUserInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationStoreCredentialsEditArgs = {
  input: StoreCredentialsEditInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationUpdatePasswordArgs = {
  input: UpdatePasswordInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationUserEditArgs = {
  input: UserEditInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationUserInviteArgs = {
  input: UserInviteInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationUserRemoveArgs = {
  email: Scalars['String']['input'];
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationWebhookDeleteArgs = {
  id: Scalars['UUID']['input'];
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationWebhookEditArgs = {
  input: WebhookEditInput;
};


/**
 * All operations that change something. The service executes several mutations of one request one after the other, each in
 * its own transaction. A mutation that fails does not undo those before it. The service records each change, see
 * `auditLog`.
 */
export type MutationWebhookRedeliverArgs = {
  deliveryId: Scalars['UUID']['input'];
};

/** A customer of the service, with its users and its projects. Organizations share nothing. */
export type Organization = {
  /** The identifier. It never changes. */
  id: Scalars['UUID']['output'];
  /**
   * The logo, normally a URL, at most 2,048 characters of free text, for example `https://example.com/logo.png`. Null when
   * there is none.
   */
  logo?: Maybe<Scalars['String']['output']>;
  /** The name, 1 to 256 characters, for example `Example Games`. It need not be unique. */
  name: Scalars['String']['output'];
  /** All projects, oldest first. Null as `users`. */
  projects?: Maybe<Array<Project>>;
  /** The number of projects. Null as `users`. */
  projectsCount?: Maybe<Scalars['Int']['output']>;
  /**
   * All users, invited and disabled ones included, in the order in which they were invited or came. Null below
   * `organizations` where the organization is not the bearer's, and never null elsewhere.
   */
  users?: Maybe<Array<ServiceUser>>;
};

/** The input of `organizationCreate`. */
export type OrganizationCreateInput = {
  /** `extensions.challenge` of `NO_ORGANIZATION`. Null or absent: the user is the bearer's. */
  challenge?: InputMaybe<Scalars['String']['input']>;
  /** The name, 1 to 256 characters, not blank. */
  name: Scalars['String']['input'];
};

/** The input of `organizationEdit`. Absent fields stay as they are. */
export type OrganizationEditInput = {
  /** The new logo, at most 2,048 characters. Null or an empty text clears it. */
  logo?: InputMaybe<Scalars['String']['input']>;
  /** The new name, 1 to 256 characters, not blank. Null is refused. */
  name?: InputMaybe<Scalars['String']['input']>;
};

/** The input of `passwordChange`. */
export type PasswordChangeInput = {
  /** The password that the caller has now, exactly as the user set it. */
  currentPassword: Scalars['String']['input'];
  /** 8 to 256 characters, and not one of the most common passwords, see "Passwords". */
  newPassword: Scalars['String']['input'];
  /** The new password once more. If it differs: `BAD_USER_INPUT` at `input.newPasswordRepeat`. */
  newPasswordRepeat: Scalars['String']['input'];
};

/** A product of the store in one application. */
export type Product = {
  /**
   * How long a `NON_RENEWING` product lasts, in days of 24 hours, for example 30. Null where nobody has said so: it then does
   * not end.
   */
  durationDays?: Maybe<Scalars['Int']['output']>;
  /** The kind of product. Null while the store has told of no transaction of it. */
  kind?: Maybe<EntitlementKind>;
  /** The store's product identifier, for example `com.example.shop.pass`. */
  productId: Scalars['String']['output'];
};

/** The input of `productEdit`. */
export type ProductEditInput = {
  /** The application that sells the product. */
  applicationId: Scalars['UUID']['input'];
  /** How long the product lasts, 1 to 36,500 days of 24 hours. Null: the product does not end. Absent: as before. */
  durationDays?: InputMaybe<Scalars['Int']['input']>;
  /** The store's product identifier, 1 to 256 characters, not blank. */
  productId: Scalars['String']['input'];
};

/** A group of applications, for example one product on two platforms. */
export type Project = {
  /** All applications, oldest first. Never null. */
  applications?: Maybe<Array<Application>>;
  /** The identifier. It never changes. */
  id: Scalars['UUID']['output'];
  /**
   * The picture, normally a URL, at most 2,048 characters of free text, for example `https://example.com/picture.png`.
   * Null when there is none.
   */
  image?: Maybe<Scalars['String']['output']>;
  /** The name, 1 to 256 characters, for example `Shop`. It need not be unique. */
  name: Scalars['String']['output'];
};

/** The input of `projectEdit`. In an edit absent fields stay as they are. */
export type ProjectEditInput = {
  /** The project to edit. Null or absent: a new project. */
  id?: InputMaybe<Scalars['UUID']['input']>;
  /** The picture, at most 2,048 characters. Null or an empty text clears it. */
  image?: InputMaybe<Scalars['String']['input']>;
  /** The name, 1 to 256 characters, not blank. Required for a new project. Null is refused. */
  name?: InputMaybe<Scalars['String']['input']>;
};

/** A condition on a property, see "Filters". */
export type PropertyFilterInput = {
  /** The comparison. */
  op: ConditionOperator;
  /** The name, 1 to 256 characters, not blank, taken as it is. With `DEVICE` one of the names in "Filters". */
  property: Scalars['String']['input'];
  /** Where the property belongs. */
  scope: PropertyScope;
  /** The value to compare with, as `CampaignTriggerFilterInput.value` says. "Filters" says how a version is read. */
  value?: InputMaybe<Scalars['JSON']['input']>;
};

/** A name of a property or a parameter that has arrived. */
export type PropertyName = {
  /**
   * Up to three different values, for example `["pro", "free"]`: those that are there most often, and of equally frequent
   * ones the first in the order of "Breakdowns". Texts of more than 256 characters are cut.
   */
  examples: Array<Scalars['JSON']['output']>;
  /** The name, for example `price`. */
  name: Scalars['String']['output'];
  /** The types of its values, in the order of the enum. */
  types: Array<PropertyType>;
};

/** A page of `propertyNames`. */
export type PropertyNamePage = {
  /** Whatever was stored before this instant is in the response. */
  asOf: Scalars['DateTime']['output'];
  /** For `after`, for example `MTA0Mg`. Null on an empty page. */
  endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether there are more nodes after this page. */
  hasMore: Scalars['Boolean']['output'];
  /** The names, in order. */
  nodes: Array<PropertyName>;
};

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

/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type Query = {
  /**
   * How many devices or users are active and new, and how many sessions and events there are, for each day, week or month
   * and for the whole range.
   *
   *     query Activity($app: UUID!) {
   *       activity(input: { applicationId: $app, from: "2026-03-01", to: "2026-03-28", interval: WEEK, compare: true }) {
   *         points { start complete active new sessions medianSessionSeconds events }
   *         totals { active new sessions }
   *         previous { totals { active } }
   *         stickiness
   *         asOf
   *       }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application), `ANALYTICS_UNAVAILABLE`.
   */
  activity?: Maybe<Activity>;
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
   * The changes in the caller's organization, newest first: who made them, what and when. For the next page pass the `at`
   * of the last entry as `before`. Entries of the same millisecond are never split between pages. A page that would end
   * inside such a group holds all of it, and is that much longer than `limit`. Only entries of one change share a
   * millisecond (the secrets that one request has read, for instance). `at` grows in the order in which changes took
   * effect, so paging back misses no entry.
   *
   *     query Audit($before: DateTime, $campaign: String) {
   *       auditLog(limit: 20, before: $before, objectType: "campaign", objectId: $campaign) { at actor action details }
   *     }
   *
   * An entry must fit all given filters. A filter that fits nothing gives an empty list.
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`.
   */
  auditLog: Array<AuditEntry>;
  /**
   * One campaign, or null when the caller's organization has no campaign with this id.
   *
   *     query Campaign($id: UUID!) { campaign(id: $id) { name state version allowedTransitions } }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT` (at an argument of `Campaign.history`).
   */
  campaign?: Maybe<Campaign>;
  /**
   * The campaigns of the caller's organization that fit all given filters, in the order of `sort`. When a page has fewer
   * than `limit` campaigns, it is the last one. `campaignsCount` counts all pages.
   *
   *     query Running($app: UUID!) {
   *       campaigns(applicationId: $app, states: [SCHEDULED, ACTIVE], sort: PRIORITY, limit: 20) {
   *         id
   *         name
   *         priority
   *         stats { shown }
   *       }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application).
   */
  campaigns: Array<Campaign>;
  /**
   * The number of campaigns that `campaigns` with the same filters has on all its pages together.
   *
   *     query Count($app: UUID!) { campaignsCount(applicationId: $app, states: [SCHEDULED, ACTIVE]) }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application).
   */
  campaignsCount: Scalars['Int']['output'];
  /**
   * The countries of ISO 3166-1 with their English names, in alphabetical order of the name. Use them for pickers of
   * `CampaignTargeting.countries`. Never null and without null items, although the type allows both.
   *
   *     query Countries { countries { code name } }
   *
   * Access: public.
   * Errors: none of its own.
   */
  countries?: Maybe<Array<Maybe<Country>>>;
  /**
   * The data stored for one device, so that an SDK team can see its uploads. Null when nothing has arrived from this
   * device for this application, and when the application does not belong to the caller's organization. Attribution or a
   * transaction alone make a device known.
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
   * The devices of an application that fit all given arguments, in the order of `sort`. Devices of one rank are in the
   * order of their id by code points. `device` shows each of them. A device of which only attribution or a transaction has
   * arrived is not in the list.
   *
   *     query Devices($app: UUID!) {
   *       devices(
   *         applicationId: $app
   *         filters: [{ property: "country", scope: DEVICE, op: EQ, value: "DE" }]
   *         sort: SESSIONS
   *         limit: 20
   *       ) {
   *         nodes { id userId platform country appVersion firstSeenAt lastSeenAt sessionsCount }
   *         total
   *         endCursor
   *         hasMore
   *         asOf
   *       }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application), `ANALYTICS_UNAVAILABLE`.
   */
  devices?: Maybe<DevicePage>;
  /**
   * The devices that one figure of `activity`, `eventSeries`, `funnel` or `retention` has counted. The one seen last comes
   * first. With `unit: DEVICE` these are the counted devices, and `total` is the figure. With `unit: USER` these are all
   * devices with a session of a counted user, and the counted devices without a user. A figure made of sessions or events
   * counts no user: with either unit these are the devices that have brought the sessions or events. Such figures are
   * `SESSIONS` of `activity`, and `eventSeries` with any measure but `UNIQUE` and `PER_UNIT`.
   *
   *     query Behind($app: UUID!) {
   *       devicesBehind(
   *         of: { activity: { applicationId: $app, from: "2026-03-01", to: "2026-03-28" } }
   *         point: { activity: { start: "2026-03-02T00:00:00Z", figure: NEW } }
   *       ) {
   *         nodes { id userId lastSeenAt }
   *         total
   *         endCursor
   *         hasMore
   *         asOf
   *       }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application), `ANALYTICS_UNAVAILABLE`.
   */
  devicesBehind?: Maybe<DevicePage>;
  /**
   * What the customers of an application own, newest first: by `purchasedAt`, then by `id`, downwards. For the next page pass
   * `endCursor` as `after`.
   *
   *     query Owned($app: UUID!, $customer: String!) {
   *       entitlements(applicationId: $app, externalId: $customer, active: true) {
   *         nodes { id productId environment expiresAt owner { externalId } }
   *         endCursor
   *         hasMore
   *       }
   *     }
   *
   * A server grants by `externalId` and not by `deviceId`. An `external_id` is not proven: anybody with the public key can
   * name one ("Owners", at `Entitlement`). Only an account token (`appAccountToken`) proves the owner.
   *
   * An entitlement must fit all given filters. A filter that fits nothing gives an empty list. A line that is renewed gets a
   * later `purchasedAt` and moves to the front. To meet it too, read the first pages again.
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application).
   */
  entitlements: EntitlementPage;
  /**
   * The names of the events that have arrived, in the order of the name by code points, `CUSTOM` before `SYSTEM`, with
   * their parameters. For editors that complete a name.
   *
   *     query EventNames($app: UUID!) {
   *       eventNames(applicationId: $app, search: "cart", limit: 20) {
   *         nodes { name type firstSeenAt lastSeenAt count30Days params { name types examples } }
   *         endCursor
   *         hasMore
   *         asOf
   *       }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application), `ANALYTICS_UNAVAILABLE`.
   */
  eventNames?: Maybe<EventNamePage>;
  /**
   * A measure of one to five events over time, where wanted by the values of a property.
   *
   *     query Sales($app: UUID!) {
   *       eventSeries(
   *         input: {
   *           applicationId: $app
   *           events: [{ name: "Purchased", type: CUSTOM }]
   *           measure: SUM
   *           property: "price"
   *           breakdown: { scope: DEVICE, property: "country" }
   *           from: "2026-03-01"
   *           to: "2026-03-28"
   *         }
   *       ) {
   *         series { index event breakdownValue isOther points { start complete value } total }
   *         asOf
   *       }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application), `ANALYTICS_UNAVAILABLE`.
   */
  eventSeries?: Maybe<EventSeries>;
  /**
   * How many devices or users go through two to eight steps, one after the other.
   *
   *     query Checkout($app: UUID!) {
   *       funnel(
   *         input: {
   *           applicationId: $app
   *           steps: [{ name: "CartOpened", type: CUSTOM }, { name: "Purchased", type: CUSTOM }]
   *           within: { value: 1, unit: DAY }
   *           from: "2026-03-01"
   *           to: "2026-03-28"
   *         }
   *       ) {
   *         steps { index count conversion fromPrevious medianSeconds }
   *         asOf
   *       }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application), `ANALYTICS_UNAVAILABLE`.
   */
  funnel?: Maybe<Funnel>;
  /**
   * The caller's user id, or null without a valid bearer and for a service token. It is a cheap way to ask "am I still logged in?", because its
   * response is never 401. The id is a UUID as text.
   *
   *     query Id { id }
   *
   * Access: public.
   * Errors: none of its own.
   */
  id?: Maybe<Scalars['String']['output']>;
  /**
   * What the service has refused of requests with a valid key, so that an SDK team sees a bug at once: one line for each
   * day, operation, status, reason and path, SDK and app. The newest `lastAt` comes first. A refusal is in the list after
   * 15 seconds. The list never holds a value that was sent. It needs no copy of the events and works where the other reads
   * are `ANALYTICS_UNAVAILABLE`. A day has at most 200 lines, and counts what goes beyond them in one more line with the
   * reason `other`. The service keeps 90 days.
   *
   *     query Issues($app: UUID!) {
   *       ingestIssues(applicationId: $app, from: "2026-03-01", to: "2026-03-28") {
   *         nodes { day operation status reason path sdkVersion appVersion count firstAt lastAt samplePath sampleMessage }
   *         endCursor
   *         hasMore
   *         asOf
   *       }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application).
   */
  ingestIssues?: Maybe<IngestIssuePage>;
  /**
   * The user who is calling.
   *
   *     query Me { me { email name role status avatar } }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN` (a service token).
   */
  me: ServiceUser;
  /**
   * The caller's organization.
   *
   *     query Home { me { name role } organization { name projectsCount users { email role status } } }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN` (a service token).
   */
  organization: Organization;
  /**
   * The organizations in which the caller is active, in the order in which the caller came to them. Below an organization
   * that is not the bearer's, `users`, `projects` and `projectsCount` are null: call `organizationSwitch` for a token there.
   *
   *     query Organizations { organizations { id name logo } }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN` (a service token).
   */
  organizations: Array<Organization>;
  /**
   * The products of an application that the store or `productEdit` has named, in the order of `productId`.
   *
   *     query Products($applicationId: UUID!) { products(applicationId: $applicationId) { productId kind durationDays } }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `NOT_FOUND` (the application).
   */
  products: Array<Product>;
  /**
   * The projects of the caller's organization, oldest first.
   *
   *     query Projects { projects { id name applications { id name platform } } }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN` (a service token).
   */
  projects: Array<Project>;
  /**
   * The names of the properties of one scope, in the order of the name by code points. For editors that complete a name.
   * `USER` and `DEVICE` are what the devices have now. `EVENT` is what `params` of all `eventNames` show.
   *
   *     query PropertyNames($app: UUID!) {
   *       propertyNames(applicationId: $app, scope: USER, search: "pl") {
   *         nodes { name types examples }
   *         endCursor
   *         hasMore
   *         asOf
   *       }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application), `ANALYTICS_UNAVAILABLE`.
   */
  propertyNames?: Maybe<PropertyNamePage>;
  /**
   * The events that have arrived last, newest arrival first. Events of one arrival are in the reverse of their order
   * ("Times of events and sessions"). A page after `endCursor` goes on to older events. A live view asks without `after`
   * again and again.
   *
   *     query Live($app: UUID!) {
   *       recentEvents(applicationId: $app, limit: 20) {
   *         nodes { deviceId sessionId userId name type timestamp receivedAt params }
   *         endCursor
   *         hasMore
   *         asOf
   *       }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application), `ANALYTICS_UNAVAILABLE`.
   */
  recentEvents?: Maybe<RecentEventPage>;
  /**
   * How many of the devices or users that begin in a day, week or month come back in those after it.
   *
   *     query Retention($app: UUID!) {
   *       retention(
   *         input: {
   *           applicationId: $app
   *           start: { firstSeen: true }
   *           returning: { any: true }
   *           interval: WEEK
   *           periods: 4
   *           from: "2026-03-01"
   *           to: "2026-03-28"
   *         }
   *       ) {
   *         cohorts { start size periods { index count complete } }
   *         asOf
   *       }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application), `ANALYTICS_UNAVAILABLE`.
   */
  retention?: Maybe<Retention>;
  /**
   * What the purchases of one currency brought, for each day, week or month and for the whole range, before taxes and the
   * store's share. Amounts of several currencies are never added up.
   *
   * - A purchase is a transaction in which the store says that the customer bought the product. It counts at the time of
   *   the purchase with `price` × `quantity`. A transaction without a price or of another currency does not count.
   * - A refund counts at the time at which the store took the transaction back, with that amount × `revocationPercent` ÷
   *   100 (all of it without a percentage). The end of family sharing is no refund.
   * - A renewal is a purchase of a line that began with another transaction. One that the store has booked early counts from its
   *   begin on, and so does its refund where the store took it back before.
   * - Amounts are exact. They have as many digits after the point as the currency, or more where the amount needs more: half
   *   of 9.99 is `"4.995"`.
   *
   *     query Revenue($app: UUID!) {
   *       revenue(input: { applicationId: $app, currency: "EUR", from: "2026-03-01", to: "2026-03-28", breakdown: PRODUCT }) {
   *         points { start complete gross refunds purchases payers renewals }
   *         totals { gross refunds purchases payers renewals }
   *         breakdown { value points { start gross } }
   *         asOf
   *       }
   *     }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application), `ANALYTICS_UNAVAILABLE`.
   */
  revenue?: Maybe<Revenue>;
  /**
   * The currencies of an application's purchases, as ISO 4217 codes in alphabetical order.
   *
   *     query Currencies($app: UUID!) { revenueCurrencies(applicationId: $app) }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `NOT_FOUND` (the application), `ANALYTICS_UNAVAILABLE`.
   */
  revenueCurrencies?: Maybe<Array<Scalars['String']['output']>>;
  /**
   * The organization's service tokens, newest first: those that nobody has revoked, expired ones included.
   *
   *     query ServiceTokens { serviceTokens { id name role applicationIds expiresAt lastUsedAt } }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`.
   */
  serviceTokens: Array<ServiceToken>;
  /**
   * The caller's own live sessions, the latest login first. A session is live until something ends it, until 90 days after
   * its login, or until nobody has used it for 30 days.
   *
   *     query Sessions { sessions { id createdAt lastUsedAt userAgent address current } }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN` (a service token).
   */
  sessions: Array<LoginSession>;
  /**
   * The store transactions of an application, newest first: by `purchasedAt`, then by `receivedAt`, then by `id`, downwards.
   * Those without `purchasedAt`, which are not resolved yet, come before all others. For the next page pass `endCursor` as
   * `after`.
   *
   *     query Sold($app: UUID!, $from: DateTime, $to: DateTime, $after: String) {
   *       storeTransactions(applicationId: $app, state: RESOLVED, from: $from, to: $to, after: $after) {
   *         nodes { id productId originalId purchasedAt price currency offer revokedAt environment }
   *         endCursor
   *         hasMore
   *       }
   *     }
   *
   * A transaction must fit all given filters. A filter that fits nothing gives an empty list. The pages hold each
   * transaction once, however many are added meanwhile. A transaction that is resolved while you read moves back in the
   * order: you may meet it twice, and never miss it.
   *
   * `reason` is never `owned_by_another` here: it speaks of one device (`Device.transactions`).
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application).
   */
  storeTransactions: StoreTransactionPage;
  /**
   * The subscriptions of an application at an instant. A subscription is a line of an `AUTO_RENEWABLE` product.
   *
   * Of each line the period counts that held at the instant (`Entitlement`, "Periods"), and what the store had said of its renewal
   * by then. A period has ended at its `expiresAt`, also while the service waits to hear of the renewal. Lines of family members
   * count too, and bring no revenue.
   *
   * A period for 0 in a line that was paid for before, as the store or the app gives it to keep a payer, is no trial: it counts
   * for the monthly revenue with the last paid period of the line, unless that one was refunded. An extension of a period keeps its
   * price over its own days: the days until the earliest end that the store has said. For example:
   *
   * - A period of 31 days for 9.99 counts 9.99 × 30.4 ÷ 31 = 9.80 a month.
   * - After it three months (92 days) for 0.00: still 9.80, and no trial.
   * - Or the period is extended by 62 days: still 9.80, and not 9.99 × 30.4 ÷ 93 = 3.27.
   *
   *     query Subscriptions($app: UUID!) { subscriptions(applicationId: $app) { active inGrace inRetry trials mrr {
   *     currency amount } asOf } }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application), `ANALYTICS_UNAVAILABLE`.
   */
  subscriptions?: Maybe<Subscriptions>;
  /**
   * The devices that belong or have belonged to one user: those that have it as their present user, and those with a
   * session of it. The one seen last comes first.
   *
   *     query UserDevices($app: UUID!) { userDevices(applicationId: $app, userId: "user-42") { nodes { id lastSeenAt }
   *     total endCursor hasMore asOf } }
   *
   * Access: viewer.
   * Errors: `UNAUTHENTICATED`, `BAD_USER_INPUT`, `NOT_FOUND` (the application), `ANALYTICS_UNAVAILABLE`.
   */
  userDevices?: Maybe<DevicePage>;
  /**
   * What the service has sent to a webhook or is to send, newest first. For the next page pass `endCursor` as `after`. The
   * service keeps a delivery for 30 days after it was delivered or parked.
   *
   *     query Deliveries($webhook: UUID!) {
   *       webhookDeliveries(webhookId: $webhook, limit: 20) {
   *         nodes { id event state attempts lastStatus lastError }
   *         endCursor
   *         hasMore
   *       }
   *     }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `BAD_USER_INPUT`, `NOT_FOUND` (the webhook).
   */
  webhookDeliveries: WebhookDeliveryPage;
  /**
   * The webhooks of an application, oldest first.
   *
   *     query Webhooks($app: UUID!) { webhooks(applicationId: $app) { id url events enabled } }
   *
   * Access: admin.
   * Errors: `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND` (the application).
   */
  webhooks: Array<Webhook>;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryActivityArgs = {
  input: ActivityInput;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryApplicationsArgs = {
  projectId?: InputMaybe<Scalars['UUID']['input']>;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryAuditLogArgs = {
  action?: InputMaybe<Scalars['String']['input']>;
  actor?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['DateTime']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
  objectId?: InputMaybe<Scalars['String']['input']>;
  objectType?: InputMaybe<Scalars['String']['input']>;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryCampaignArgs = {
  id: Scalars['UUID']['input'];
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryCampaignsArgs = {
  applicationId?: InputMaybe<Scalars['UUID']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  search?: InputMaybe<Scalars['String']['input']>;
  sort?: InputMaybe<CampaignSort>;
  state?: InputMaybe<CampaignState>;
  states?: InputMaybe<Array<CampaignState>>;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryCampaignsCountArgs = {
  applicationId?: InputMaybe<Scalars['UUID']['input']>;
  search?: InputMaybe<Scalars['String']['input']>;
  state?: InputMaybe<CampaignState>;
  states?: InputMaybe<Array<CampaignState>>;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryDeviceArgs = {
  applicationId: Scalars['UUID']['input'];
  id: Scalars['String']['input'];
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryDevicesArgs = {
  activeSince?: InputMaybe<Scalars['DateTime']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  applicationId: Scalars['UUID']['input'];
  filters?: InputMaybe<Array<PropertyFilterInput>>;
  includeTest?: InputMaybe<Scalars['Boolean']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
  search?: InputMaybe<Scalars['String']['input']>;
  sort?: InputMaybe<DeviceSort>;
  timeZone?: InputMaybe<Scalars['String']['input']>;
  userId?: InputMaybe<Scalars['String']['input']>;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryDevicesBehindArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
  of: DevicesBehindInput;
  point: DevicesBehindPointInput;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryEntitlementsArgs = {
  active?: InputMaybe<Scalars['Boolean']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  applicationId: Scalars['UUID']['input'];
  deviceId?: InputMaybe<Scalars['String']['input']>;
  externalId?: InputMaybe<Scalars['String']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryEventNamesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  applicationId: Scalars['UUID']['input'];
  includeTest?: InputMaybe<Scalars['Boolean']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
  search?: InputMaybe<Scalars['String']['input']>;
  timeZone?: InputMaybe<Scalars['String']['input']>;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryEventSeriesArgs = {
  input: EventSeriesInput;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryFunnelArgs = {
  input: FunnelInput;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryIngestIssuesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  applicationId: Scalars['UUID']['input'];
  from: Scalars['Date']['input'];
  limit?: InputMaybe<Scalars['Int']['input']>;
  to: Scalars['Date']['input'];
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryProductsArgs = {
  applicationId: Scalars['UUID']['input'];
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryPropertyNamesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  applicationId: Scalars['UUID']['input'];
  includeTest?: InputMaybe<Scalars['Boolean']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
  scope: PropertyScope;
  search?: InputMaybe<Scalars['String']['input']>;
  timeZone?: InputMaybe<Scalars['String']['input']>;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryRecentEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  applicationId: Scalars['UUID']['input'];
  filters?: InputMaybe<Array<PropertyFilterInput>>;
  includeTest?: InputMaybe<Scalars['Boolean']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
  timeZone?: InputMaybe<Scalars['String']['input']>;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryRetentionArgs = {
  input: RetentionInput;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryRevenueArgs = {
  input: RevenueInput;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryRevenueCurrenciesArgs = {
  applicationId: Scalars['UUID']['input'];
  includeTest?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryStoreTransactionsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  applicationId: Scalars['UUID']['input'];
  deviceId?: InputMaybe<Scalars['String']['input']>;
  externalId?: InputMaybe<Scalars['String']['input']>;
  from?: InputMaybe<Scalars['DateTime']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
  productId?: InputMaybe<Scalars['String']['input']>;
  state?: InputMaybe<StoreTransactionState>;
  to?: InputMaybe<Scalars['DateTime']['input']>;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QuerySubscriptionsArgs = {
  applicationId: Scalars['UUID']['input'];
  at?: InputMaybe<Scalars['DateTime']['input']>;
  includeTest?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryUserDevicesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  applicationId: Scalars['UUID']['input'];
  includeTest?: InputMaybe<Scalars['Boolean']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
  timeZone?: InputMaybe<Scalars['String']['input']>;
  userId: Scalars['String']['input'];
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryWebhookDeliveriesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
  state?: InputMaybe<WebhookDeliveryState>;
  webhookId: Scalars['UUID']['input'];
};


/**
 * All operations that read. They change nothing, and a client may repeat them freely. The service records a reading of
 * `ApiKey.secret`, see `auditLog`.
 */
export type QueryWebhooksArgs = {
  applicationId: Scalars['UUID']['input'];
};

/** An event in `recentEvents`. */
export type RecentEvent = {
  /** `Device.id` of its device, for example `d-7f3c2a90`. */
  deviceId: Scalars['String']['output'];
  /** The name, for example `ProductViewed`. */
  name: Scalars['String']['output'];
  /** The parameters as an object of name and value, for example `{"price": 49.9}`. An empty object when there are none. */
  params: Scalars['JSON']['output'];
  /** When it arrived, by the service's clock. */
  receivedAt: Scalars['DateTime']['output'];
  /** `DeviceSession.id` of its session, for example `s-01`. */
  sessionId: Scalars['String']['output'];
  /** When it happened: the earlier of the time by the device's clock and the arrival. */
  timestamp: Scalars['DateTime']['output'];
  /** Whether the app or the SDK recorded it. */
  type: EventType;
  /** `DeviceSession.userId` of its session, for example `user-42`. Null when the app had set none. */
  userId?: Maybe<Scalars['String']['output']>;
};

/** A page of `recentEvents`. */
export type RecentEventPage = {
  /** Whatever was stored before this instant is in the response. */
  asOf: Scalars['DateTime']['output'];
  /** For `after`, for example `MTA0Mg`. Null on an empty page. */
  endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether there are more nodes after this page. */
  hasMore: Scalars['Boolean']['output'];
  /** The events, newest arrival first. */
  nodes: Array<RecentEvent>;
  /** Whether the question has used properties of users or devices. They are those of now, and not of the time of the event. */
  presentProperties: Scalars['Boolean']['output'];
};

/** The input of `signup`. */
export type RegistrationUserInput = {
  /** The e-mail address, at most 254 characters. No account may have it already. An invitation does not matter. */
  email: Scalars['String']['input'];
  /** The name of the user, 1 to 256 characters, not blank. */
  name: Scalars['String']['input'];
  /** The name of the new organization, 1 to 256 characters, not blank. */
  organization: Scalars['String']['input'];
  /** 8 to 256 characters, and not one of the most common passwords, see "Passwords". */
  password: Scalars['String']['input'];
};

/** The length of the points of a report. */
export type ReportInterval =
  /** Calendar days. */
  | 'DAY'
  /** Calendar months. */
  | 'MONTH'
  /** Weeks from Monday. */
  | 'WEEK';

/** The input of `resetPassword`. */
export type ResetPasswordInput = {
  /** The account's e-mail address, at most 254 characters. */
  email: Scalars['String']['input'];
};

/** The response of `retention`. */
export type Retention = {
  /** Whatever was stored before this instant is in the response. */
  asOf: Scalars['DateTime']['output'];
  /** The cohorts from `from` to `to`, in order. */
  cohorts: Array<RetentionCohort>;
  /** Whether the question has used properties of users or devices. They are those of now, and not of the time of the event. */
  presentProperties: Scalars['Boolean']['output'];
};

/** The units that began in one interval. */
export type RetentionCohort = {
  /** As many as `periods` of the input says, in order. */
  periods: Array<RetentionPeriod>;
  /** The number of units in the cohort. */
  size: Scalars['Int']['output'];
  /** The first instant of the cohort's interval. The first one begins with `from`. */
  start: Scalars['DateTime']['output'];
};

/** A figure of `retention`. */
export type RetentionFigureInput = {
  /** `RetentionCohort.start`. No device is behind any other instant. */
  cohort: Scalars['DateTime']['input'];
  /** `RetentionPeriod.index`. Null or absent: the whole cohort. */
  index?: InputMaybe<Scalars['Int']['input']>;
};

/**
 * The input of `retention`.
 *
 * - A unit is in one cohort at most: that of its start.
 * - A return is at or after the start. The event of the start counts as a return when it fits.
 * - Periods are whole calendar intervals, also where the range cuts the cohort's own interval.
 */
export type RetentionInput = {
  /** The application. */
  applicationId: Scalars['UUID']['input'];
  /** The first day. */
  from: Scalars['Date']['input'];
  /** Whether test devices count too. Null: false. */
  includeTest?: InputMaybe<Scalars['Boolean']['input']>;
  /** The length of cohorts and periods. Null: `DAY`. */
  interval?: InputMaybe<ReportInterval>;
  /** When a unit counts in a period. Null: `ON`. */
  mode?: InputMaybe<RetentionMode>;
  /** The number of periods of each cohort, its own interval included, 1 to 53. Null: 12. */
  periods?: InputMaybe<Scalars['Int']['input']>;
  /** What counts as a return. */
  returning: RetentionReturnInput;
  /** What puts a unit into a cohort. */
  start: RetentionStartInput;
  /**
   * The time zone of the days: a name of the IANA time zone database, at most 64 characters. Null or absent: the
   * application's.
   */
  timeZone?: InputMaybe<Scalars['String']['input']>;
  /** The last day, not before `from`. At most 731 days with `from`. */
  to: Scalars['Date']['input'];
  /** What is counted. Null: `DEVICE`. */
  unit?: InputMaybe<AnalyticsUnit>;
};

/** When a unit counts in a period. */
export type RetentionMode =
  /** When it returns in the period. */
  | 'ON'
  /** When it returns in the period or at any time later. */
  | 'ON_OR_AFTER';

/** How many of a cohort have returned in one interval. */
export type RetentionPeriod = {
  /** Whether the end of the interval is more than an hour past. Before, the number may still grow. */
  complete: Scalars['Boolean']['output'];
  /** The units that have returned. */
  count: Scalars['Int']['output'];
  /** How many intervals after the cohort's own: 0 is the cohort's own. */
  index: Scalars['Int']['output'];
};

/** What counts as a return. Exactly one field. */
export type RetentionReturnInput =
  /** True: any activity. False is refused. */
  { any: Scalars['Boolean']['input']; event?: never; }
  |  /** One of these events. */
  { any?: never; event: EventSelectionInput; };

/** What puts a unit into a cohort. Exactly one field. */
export type RetentionStartInput =
  /** Its first ever event of these. With filters the events that the service has removed for their age are not looked at. */
  { event: EventSelectionInput; firstSeen?: never; }
  |  /** True: its first activity ever. False is refused. */
  { event?: never; firstSeen: Scalars['Boolean']['input']; };

/** The response of `revenue`. Amounts are in the currency that was asked for. */
export type Revenue = {
  /** Whatever was stored before this instant is in the response. */
  asOf: Scalars['DateTime']['output'];
  /**
   * The points for each value with a purchase or a refund in the range: the 20 with the highest gross, equal ones by
   * value, and the others together. Null with `NONE`.
   */
  breakdown?: Maybe<Array<RevenueBreakdownLine>>;
  /** The points from `from` to `to`, in order. */
  points: Array<RevenuePoint>;
  /** The same over the whole range. `payers` is counted and not summed. */
  totals: RevenueTotals;
};

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

/** The revenue of one value. */
export type RevenueBreakdownLine = {
  /** Whether it holds the values beyond the first 20. */
  isOther: Scalars['Boolean']['output'];
  /** The points from `from` to `to`, in order. */
  points: Array<RevenuePoint>;
  /**
   * The product id, country or platform, for example `pro_yearly`. Null where the store or the device did not say it, and
   * where `isOther` is true.
   */
  value?: Maybe<Scalars['String']['output']>;
};

/** The input of `revenue`. */
export type RevenueInput = {
  /** The application. */
  applicationId: Scalars['UUID']['input'];
  /** By what it is broken down. Null: `NONE`. */
  breakdown?: InputMaybe<RevenueBreakdown>;
  /** An ISO 4217 code, three capital letters, for example `EUR`. */
  currency: Scalars['String']['input'];
  /** The first day. */
  from: Scalars['Date']['input'];
  /** Whether purchases in the sandbox count too. Null: false. */
  includeTest?: InputMaybe<Scalars['Boolean']['input']>;
  /** The length of the points. Null: `DAY`. */
  interval?: InputMaybe<ReportInterval>;
  /**
   * The time zone of the days: a name of the IANA time zone database, at most 64 characters. Null or absent: the
   * application's.
   */
  timeZone?: InputMaybe<Scalars['String']['input']>;
  /** The last day, not before `from`. At most 731 days with `from`. */
  to: Scalars['Date']['input'];
};

/** The revenue of one point. */
export type RevenuePoint = {
  /** Whether the end of the point is more than an hour past. A point that is not complete may still grow. */
  complete: Scalars['Boolean']['output'];
  /** What was paid, before refunds: a decimal text, for example `"1249.90"`. */
  gross: Scalars['String']['output'];
  /**
   * The different payers of purchases and renewals: the owner's `externalId`, and without one the device that first
   * brought the line.
   */
  payers: Scalars['Int']['output'];
  /** The purchases that are no renewals. */
  purchases: Scalars['Int']['output'];
  /** What was paid back: a decimal text, for example `"9.99"`. */
  refunds: Scalars['String']['output'];
  /** The renewals. */
  renewals: Scalars['Int']['output'];
  /** The first instant of the point. */
  start: Scalars['DateTime']['output'];
};

/** The revenue of a whole range. */
export type RevenueTotals = {
  /** What was paid, before refunds: a decimal text, for example `"1249.90"`. */
  gross: Scalars['String']['output'];
  /**
   * The different payers of purchases and renewals: the owner's `externalId`, and without one the device that first
   * brought the line.
   */
  payers: Scalars['Int']['output'];
  /** The purchases that are no renewals. */
  purchases: Scalars['Int']['output'];
  /** What was paid back: a decimal text, for example `"9.99"`. */
  refunds: Scalars['String']['output'];
  /** The renewals. */
  renewals: Scalars['Int']['output'];
};

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
  /**
   * The sum of the numbers that `property` has. 0 without a number. Numbers below 10⁹ with at most 18 digits after the point are
   * added as decimals, so that thirty times 0.1 is 3.
   */
  | 'SUM'
  /** The number of units with an event. */
  | 'UNIQUE';

/** A token with which a program calls this API, see "Service tokens". */
export type ServiceToken = {
  /**
   * The applications that it reaches, in the order in which they were given. Null: all applications of the organization,
   * later ones too.
   */
  applicationIds?: Maybe<Array<Scalars['UUID']['output']>>;
  /** When somebody made the token. */
  createdAt: Scalars['DateTime']['output'];
  /** The e-mail address of the user who made the token, for example `ann@example.com`. */
  createdBy: Scalars['String']['output'];
  /** From when on the token does not work. Null: it never expires. */
  expiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** The identifier. It never changes. */
  id: Scalars['UUID']['output'];
  /** When a request last carried the token, accurate to a minute. Null when none did. */
  lastUsedAt?: Maybe<Scalars['DateTime']['output']>;
  /** The name, 1 to 256 characters, for example `Shop server`. It need not be unique. */
  name: Scalars['String']['output'];
  /** `viewer`, `editor` or `admin`. */
  role: Scalars['String']['output'];
};

/** The input of `serviceTokenCreate`. */
export type ServiceTokenCreateInput = {
  /**
   * The applications that the token reaches, 1 to 200. Null or absent: all applications of the organization, later ones
   * too.
   */
  applicationIds?: InputMaybe<Array<Scalars['UUID']['input']>>;
  /** From when on the token does not work. It must be in the future. Null or absent: it never expires. */
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** The name, by the rules of names ("Limits"). It need not be unique. */
  name: Scalars['String']['input'];
  /** `viewer`, `editor` or `admin`. */
  role: Scalars['String']['input'];
};

/** The result of `serviceTokenCreate`. */
export type ServiceTokenCreated = {
  /** What the service stores about the token. */
  serviceToken: ServiceToken;
  /**
   * The token, for `Authorization: Bearer <token>`, for example `svc_3q2-7wEjRk1mZ0Vb8x_TnYc5uLsPa9dHgQoXiKfJ4Bv`. No other
   * response has it.
   */
  token: Scalars['String']['output'];
};

/**
 * A user of the dashboard in one organization, or an invitation. The e-mail address names the user: no two accounts have the
 * same, and no two users of an organization. Of an invitation nothing comes from an account, whether there is one or not.
 */
export type ServiceUser = {
  /**
   * The picture, normally a URL, at most 2,048 characters of free text, for example `https://example.com/picture.png`.
   * Null when there is none, and for an invitation.
   */
  avatar?: Maybe<Scalars['String']['output']>;
  /**
   * The e-mail address in lower case, at most 254 characters, its domain in Unicode, for example `ann@example.com`. Never
   * null.
   */
  email?: Maybe<Scalars['String']['output']>;
  /**
   * Whether the account has confirmed its e-mail address with the token of a mail. An operator's link counts, too ("Tokens").
   * Null for an invitation.
   */
  emailVerified?: Maybe<Scalars['Boolean']['output']>;
  /** The identifier of the account, the same in each of its organizations. It never changes. Null for an invitation. */
  id?: Maybe<Scalars['UUID']['output']>;
  /** When the token of the invitation stops working. Null for a user who has accepted, and for a disabled invitation. */
  invitationExpiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** When a session of the user last began in this organization. Null when none did, and for an invitation. */
  lastLoginAt?: Maybe<Scalars['DateTime']['output']>;
  /**
   * The name to show, 1 to 256 characters, for example `Ann`. Of an invitation it is the name that the inviter wrote, later
   * the account's. Null when there is none.
   */
  name?: Maybe<Scalars['String']['output']>;
  /** `owner`, `admin`, `editor` or `viewer`, in this organization. "Roles" says what each may do. Never null. */
  role?: Maybe<Scalars['String']['output']>;
  /**
   * `active`, `invited` (has not accepted the invitation yet) or `disabled` (cannot act in this organization). Never null.
   * `Mutation.userEdit` has the changes between them.
   */
  status?: Maybe<Scalars['String']['output']>;
};

/**
 * The input of `storeCredentialsEdit`.
 *
 * ## Store credentials
 *
 * Give all of `issuerId`, `keyId` and `privateKey`, or none. All of them replace the credentials. None of them, and no
 * `bundleId`, clears the credentials. Anything between is `BAD_USER_INPUT` with the paths. Here null is the same as
 * absent. The service never returns any of the values.
 *
 * `storeAppId` is outside of this rule: absent leaves it as it is, and null clears it. An input with `storeAppId` and none of
 * the others changes only the number.
 */
export type StoreCredentialsEditInput = {
  /** The application whose transactions the credentials are for. */
  applicationId: Scalars['UUID']['input'];
  /**
   * The bundle identifier to ask for, when it is not `Application.bundleId`. 1 to 256 characters. The service removes
   * white space around it.
   */
  bundleId?: InputMaybe<Scalars['String']['input']>;
  /** The issuer's identifier as the store shows it, 1 to 256 characters. The service removes white space around it. */
  issuerId?: InputMaybe<Scalars['String']['input']>;
  /** The key's identifier as the store shows it, 1 to 256 characters. The service removes white space around it. */
  keyId?: InputMaybe<Scalars['String']['input']>;
  /**
   * The private key as the store gives it: a P-256 key in PKCS#8, PEM text from `-----BEGIN PRIVATE KEY-----` on, at most
   * 4,096 characters.
   */
  privateKey?: InputMaybe<Scalars['String']['input']>;
  /**
   * The store's number of the app, 1 to 15 decimal digits. The service removes white space around it. With it, a notification of
   * the store from production must name this number. Without it, any number is accepted, and the bundle id is compared.
   */
  storeAppId?: InputMaybe<Scalars['String']['input']>;
};

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
 * A store transaction: an identifier that a device uploaded, or a renewal of which the store told, with the state of its
 * look-up. Each device that uploaded it lists it, and so does each device that holds its line.
 *
 * The fields from `productId` on have what the store said of the transaction last, and are null until it is `RESOLVED`. Of
 * two statements of the store the one that the store signed later holds in full, a revocation that has gone included.
 *
 * ## Look-ups
 *
 * The service asks the store about a transaction
 *
 * - when its id is uploaded for the first time;
 * - when its id is uploaded again ("restore purchases") and the last look-up is older than 60 s, whatever its state;
 * - when a period of its subscription ends, at the end of billing grace and on each day of billing retry, for at most 60
 *   days, so that renewals and refunds that nobody uploads are found.
 *
 * The store also tells of changes without a look-up (`receiveStoreNotification` of the public API).
 *
 * A look-up of a `RESOLVED` transaction that brings nothing (the store does not know the transaction, refuses the request or
 * the credentials, or its response does not verify) changes only `lastLookedUpAt` and `lastLookUpError`. A look-up of a
 * `NOT_FOUND` or `FAILED` transaction changes no more, until one succeeds.
 */
export type StoreTransaction = {
  /** The currency of the price, ISO 4217, for example `EUR`. */
  currency?: Maybe<Scalars['String']['output']>;
  /** The store's environment in which the user bought it. */
  environment?: Maybe<StoreEnvironment>;
  /** When the period ends that it paid for. Null when the store gives no end. */
  expiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** The store's transaction identifier as uploaded, for example `730000100200301`. */
  id: Scalars['String']['output'];
  /** The kind of product. */
  kind?: Maybe<EntitlementKind>;
  /**
   * Why the last look-up brought nothing: one of the words of `reason`, for example `store_busy`. Null after a look-up that
   * succeeded.
   */
  lastLookUpError?: Maybe<Scalars['String']['output']>;
  /**
   * When the service last asked the store about it. Null before the first look-up, and where only another look-up or a
   * notification of the store has brought it.
   */
  lastLookedUpAt?: Maybe<Scalars['DateTime']['output']>;
  /** The offer with which the user bought it. */
  offer?: Maybe<StoreOffer>;
  /** How the user pays for the offer. Null without an offer, or where the store does not say. */
  offerMode?: Maybe<StoreOfferMode>;
  /** The first transaction of the same subscription line or purchase. */
  originalId?: Maybe<Scalars['String']['output']>;
  /** Whether the user bought it, or somebody of the user's family shares it. */
  ownership?: Maybe<StoreOwnership>;
  /**
   * The price as the store gives it, decimal text in units of the currency, for example `9.99`. Null where the store does
   * not say.
   */
  price?: Maybe<Scalars['String']['output']>;
  /** The store's product identifier, for example `com.example.shop.pro.monthly`. */
  productId?: Maybe<Scalars['String']['output']>;
  /** When the user bought it, or the subscription was renewed. */
  purchasedAt?: Maybe<Scalars['DateTime']['output']>;
  /** How many the user bought, for example 5 of a consumable. */
  quantity?: Maybe<Scalars['Int']['output']>;
  /**
   * Why the transaction is not resolved, as one word for programs, for example `no_credentials`. Null when there is no
   * reason. For a `RESOLVED` transaction of a device it is null or `owned_by_another`: this device does not hold the line
   * ("Owners", at `Entitlement`).
   *
   * While `PENDING`:
   *
   * - `no_credentials` waits for `storeCredentialsEdit`.
   * - The service itself retries `credentials_refused` with growing pauses of up to an hour, and `credentials_unreadable`,
   *   `no_root_certificates`, `store_busy` and `store_unavailable`.
   * - `not_known_yet`: the store does not know the transaction. The service retries it for 24 hours with growing pauses.
   * - `waiting_for_turn`: the first look-up comes in its turn. Applications take turns, and within an application devices do. It
   *   comes within 15 seconds, unless more proven devices wait than the store allows calls, or no process runs jobs.
   * - `waiting_behind`: the same, behind the look-ups for proven devices.
   * - `store_busy` also stands here before the first look-up, while the store has asked the application to pause.
   * - `waiting_in_line`: devices that are not proven, or this device, have uploaded more than the service looks up at a time.
   *   The service looks it up when a place is free.
   *
   * `storeCredentialsEdit` retries all of these at once, except `waiting_in_line`, `waiting_behind` and `waiting_for_turn`.
   *
   * With `FAILED`: `retries_exhausted`, `store_refused_<code>` (the store's error code, or the status of a response that
   * has no code and may be a proxy's), `wrong_bundle`, `wrong_environment`, `wrong_transaction`, `invalid_certificate`,
   * `not_verified`, `unknown_kind`, `incomplete_transaction`, `invalid_id`, `internal_error`.
   */
  reason?: Maybe<Scalars['String']['output']>;
  /**
   * When the transaction first arrived for this application, or the service first heard of it from the store, by the
   * service's clock.
   */
  receivedAt: Scalars['DateTime']['output'];
  /** When the transaction became `RESOLVED`, `NOT_FOUND` or `FAILED`. Null while `PENDING`. */
  resolvedAt?: Maybe<Scalars['DateTime']['output']>;
  /** How much of the price the store took back, in percent, for example 50. Null where the store does not say. */
  revocationPercent?: Maybe<Scalars['Float']['output']>;
  /** Why the store took it back. */
  revocationReason?: Maybe<StoreRevocationReason>;
  /** How the store took it back. */
  revocationType?: Maybe<StoreRevocationType>;
  /** When the store took it back, for example by a refund. Null when it has not, or no longer. */
  revokedAt?: Maybe<Scalars['DateTime']['output']>;
  /** The state of the look-up. */
  state: StoreTransactionState;
  /** The country of the store, ISO 3166-1 alpha-2, for example `DE`. */
  storefront?: Maybe<Scalars['String']['output']>;
};

/** A page of `storeTransactions`. */
export type StoreTransactionPage = {
  /** For `after`, for example `dCAxNzg5MDAwMDAw`. Do not take it apart: its form may change. Null on an empty page. */
  endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether there are more transactions after this page. */
  hasMore: Scalars['Boolean']['output'];
  /** The transactions, newest first. */
  nodes: Array<StoreTransaction>;
};

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

/** The response of `subscriptions`. A subscription that was taken back is in none of the numbers. */
export type Subscriptions = {
  /** The subscriptions that run, those in a grace period included. */
  active: Scalars['Int']['output'];
  /** Whatever was stored before this instant is in the response. */
  asOf: Scalars['DateTime']['output'];
  /** Those whose paid period is over and whose grace period is not. */
  inGrace: Scalars['Int']['output'];
  /** Those that have ended, and whose renewal the store is still trying to charge. */
  inRetry: Scalars['Int']['output'];
  /**
   * The monthly revenue of the active ones by currency, in the order of the currency. A period's price × quantity × 30.4 ÷
   * its days. Trials, lines of family members and periods without a price or an end are left out. Free and extended periods keep
   * the price that was paid (`subscriptions`).
   */
  mrr: Array<MonthlyRevenue>;
  /** The active ones whose present period is a free trial (`StoreTransaction.offerMode`), in lines that nobody has paid for before. */
  trials: Scalars['Int']['output'];
};

/** The input of `updatePassword`. */
export type UpdatePasswordInput = {
  /** 8 to 256 characters, and not one of the most common passwords, see "Passwords". */
  newPassword: Scalars['String']['input'];
  /** The same password once more. If it differs: `BAD_USER_INPUT` at `input.newPasswordRepeat`. */
  newPasswordRepeat: Scalars['String']['input'];
  /** The token from the link of the reset mail or the invitation mail. */
  token: Scalars['String']['input'];
};

/** The input of `userEdit`. Absent fields stay as they are. */
export type UserEditInput = {
  /** The caller's new picture, at most 2,048 characters. Null or an empty text clears it. Not for another user. */
  avatar?: InputMaybe<Scalars['String']['input']>;
  /**
   * The e-mail address of a user of the caller's organization. Null or absent: the caller. It decides whether `name` and
   * `avatar` may be given.
   */
  email?: InputMaybe<Scalars['String']['input']>;
  /** The caller's new name, 1 to 256 characters, not blank. Null is refused. Not for another user. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** `owner`, `admin`, `editor` or `viewer`. Null is refused. */
  role?: InputMaybe<Scalars['String']['input']>;
  /** `active` or `disabled`, see the table at `Mutation.userEdit`. Null is refused. */
  status?: InputMaybe<Scalars['String']['input']>;
};

/** The input of `userInvite`. */
export type UserInviteInput = {
  /** The address to which the invitation goes, at most 254 characters. */
  email: Scalars['String']['input'];
  /**
   * The name, 1 to 256 characters, not blank. An account that has none takes it when the invitation is accepted. Null or
   * absent: no name. In a further invitation an absent name keeps the stored name.
   */
  name?: InputMaybe<Scalars['String']['input']>;
  /** `owner`, `admin`, `editor` or `viewer`. */
  role: Scalars['String']['input'];
};

/** A condition on one custom property of the user. */
export type UserPropertyCondition = {
  /** The property's name, 1 to 256 characters, for example `plan`. */
  name: Scalars['String']['output'];
  /** The comparison. */
  op: ConditionOperator;
  /**
   * The value to compare with, for example `"pro"`: a string, number or boolean. For `IN` and `NOT_IN` it is a list of
   * them. For `EXISTS` and `NOT_EXISTS` it is null.
   */
  value?: Maybe<Scalars['JSON']['output']>;
};

/** See `UserPropertyCondition`. */
export type UserPropertyConditionInput = {
  /** The property's name, 1 to 256 characters, not blank, taken as it is. */
  name: Scalars['String']['input'];
  /** The comparison. */
  op: ConditionOperator;
  /** The value to compare with, by the rules of `CampaignTriggerFilterInput.value`. */
  value?: InputMaybe<Scalars['JSON']['input']>;
};

/**
 * A range of versions, both ends included. Versions are the comparable whole numbers that the SDK sends, 0 to 2^53-1. The
 * service only compares them. The recommended encoding is `major * 1000000 + minor * 1000 + patch`, so 2.14.3 is 2014003.
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

/** A URL of an application's own server, see "Webhooks". */
export type Webhook = {
  /** `Application.id` of the application whose events it gets. */
  applicationId: Scalars['UUID']['output'];
  /** When somebody created it. */
  createdAt: Scalars['DateTime']['output'];
  /** Who created it, for example `ann@example.com`. */
  createdBy: Scalars['String']['output'];
  /** How many events it has lost, because too many of its deliveries waited. It counts up to 2,147,483,647. */
  droppedEvents: Scalars['Int']['output'];
  /** Whether it gets events. */
  enabled: Scalars['Boolean']['output'];
  /** The events that it gets. Null: all events, later ones too. */
  events?: Maybe<Array<WebhookEvent>>;
  /** Whether a response with status 410 has disabled it. False again when somebody enables it. */
  gone: Scalars['Boolean']['output'];
  /** The identifier. It never changes. */
  id: Scalars['UUID']['output'];
  /** When it last lost an event. Null: never. */
  lastDroppedAt?: Maybe<Scalars['DateTime']['output']>;
  /** When somebody last edited it. */
  updatedAt: Scalars['DateTime']['output'];
  /** Who last edited it, for example `ann@example.com`. */
  updatedBy: Scalars['String']['output'];
  /** The URL, at most 2,048 characters, for example `https://shop.example.com/hooks`. */
  url: Scalars['String']['output'];
};

/** One event for one webhook. */
export type WebhookDelivery = {
  /** The number of attempts, since the last `webhookRedeliver`. */
  attempts: Scalars['Int']['output'];
  /** The body as the receiver gets it, for example `{"type": "campaign.state_changed"}`. */
  body: Scalars['JSON']['output'];
  /** When it happened. */
  createdAt: Scalars['DateTime']['output'];
  /** Of a `DELIVERED` delivery: when. */
  deliveredAt?: Maybe<Scalars['DateTime']['output']>;
  /** The event. */
  event: WebhookEvent;
  /** The identifier, which the receiver gets as `webhook-id`. */
  id: Scalars['UUID']['output'];
  /** When the last attempt began. Null before the first. */
  lastAttemptAt?: Maybe<Scalars['DateTime']['output']>;
  /**
   * Why the last attempt failed, for example `timeout`: `status` (no success), `redirect`, `gone` (410), `timeout`,
   * `connection` (refused, broken, no valid certificate, or no such name), `address` (not of the public internet) or `secret`
   * (the service could not open the webhook's secret). Or why it was parked
   * before an attempt: `gone`, `disabled`. New words may come. Null after a success, and before the first attempt.
   */
  lastError?: Maybe<Scalars['String']['output']>;
  /** The status of the last response. Null when there was none. */
  lastStatus?: Maybe<Scalars['Int']['output']>;
  /** Of a `PENDING` delivery: when the next attempt may begin, or until when the present one may last. */
  nextAttemptAt?: Maybe<Scalars['DateTime']['output']>;
  /** What has become of it. */
  state: WebhookDeliveryState;
  /** `Webhook.id`. */
  webhookId: Scalars['UUID']['output'];
};

/** A page of `webhookDeliveries`. */
export type WebhookDeliveryPage = {
  /** For `after`, for example `1042`. Null on an empty page. */
  endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether there are more deliveries after this page. */
  hasMore: Scalars['Boolean']['output'];
  /** The deliveries, newest first. */
  nodes: Array<WebhookDelivery>;
};

/** What becomes of a delivery. */
export type WebhookDeliveryState =
  /** The receiver has responded with a status from 200 to 299. */
  | 'DELIVERED'
  /** The service has given it up. */
  | 'PARKED'
  /** It waits for its first or for another attempt, or for an earlier event of the same object. */
  | 'PENDING';

/** The input of `webhookEdit`. In an edit absent fields stay as they are. */
export type WebhookEditInput = {
  /** The application. Required for a new webhook. An edit may repeat it but not change it. Null is refused. */
  applicationId?: InputMaybe<Scalars['UUID']['input']>;
  /** Whether it gets events. A new webhook does. Null is refused. */
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  /** The events that it is to get, at least one. Null: all events. For a new webhook absent is the same as null. */
  events?: InputMaybe<Array<WebhookEvent>>;
  /** The webhook to edit. Null or absent: a new webhook. */
  id?: InputMaybe<Scalars['UUID']['input']>;
  /** Whether the webhook gets a new secret. Null or absent: no. A new webhook always gets one. */
  rotateSecret?: InputMaybe<Scalars['Boolean']['input']>;
  /**
   * The URL, at most 2,048 characters, by the rules of "Webhooks", without a user, a password and a fragment. Required for a
   * new webhook. Null is refused.
   */
  url?: InputMaybe<Scalars['String']['input']>;
};

/** The result of `webhookEdit`. */
export type WebhookEdited = {
  /**
   * The secret that verifies its events, for example `whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD6kQmN0LZ5VY=`. No other response
   * has it. Null where it stays as it was.
   */
  secret?: Maybe<Scalars['String']['output']>;
  /** The webhook. */
  webhook: Webhook;
};

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
   * `entitlement.renewed`: another period holds of an active entitlement, an upgrade or downgrade to another product included, or
   * the store has moved its end to a later time. Several periods of which the service learns at once are one event. `data` is
   * the `Entitlement` with the period that holds ("Events of entitlements").
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
  Activity: ResolverTypeWrapper<Activity>;
  ActivityFigure: ActivityFigure;
  ActivityFigureInput: ActivityFigureInput;
  ActivityInput: ActivityInput;
  ActivityPoint: ResolverTypeWrapper<ActivityPoint>;
  ActivityPrevious: ResolverTypeWrapper<ActivityPrevious>;
  ActivityTotals: ResolverTypeWrapper<ActivityTotals>;
  AnalyticsUnit: AnalyticsUnit;
  ApiKey: ResolverTypeWrapper<ViewedApiKey>;
  ApiKeyEditInput: ApiKeyEditInput;
  Application: ResolverTypeWrapper<ViewedApplication>;
  ApplicationEditInput: ApplicationEditInput;
  Attribution: ResolverTypeWrapper<Attribution>;
  AuditEntry: ResolverTypeWrapper<AuditEntry>;
  AuthPayload: ResolverTypeWrapper<Omit<AuthPayload, 'organization'> & { organization: ResolversTypes['Organization'] }>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  BreakdownInput: BreakdownInput;
  Campaign: ResolverTypeWrapper<SeenCampaign>;
  CampaignAction: ResolverTypeWrapper<CampaignAction>;
  CampaignActionInput: CampaignActionInput;
  CampaignChange: ResolverTypeWrapper<CampaignChange>;
  CampaignEditInput: CampaignEditInput;
  CampaignFieldChange: ResolverTypeWrapper<CampaignFieldChange>;
  CampaignFrequency: ResolverTypeWrapper<CampaignFrequency>;
  CampaignFrequencyInput: CampaignFrequencyInput;
  CampaignResolvedStats: ResolverTypeWrapper<CampaignResolvedStats>;
  CampaignSchedule: ResolverTypeWrapper<CampaignSchedule>;
  CampaignScheduleInput: CampaignScheduleInput;
  CampaignSort: CampaignSort;
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
  Date: ResolverTypeWrapper<Scalars['Date']['output']>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Device: ResolverTypeWrapper<SeenDevice>;
  DeviceEvent: ResolverTypeWrapper<DeviceEvent>;
  DeviceInstall: ResolverTypeWrapper<DeviceInstall>;
  DevicePage: ResolverTypeWrapper<DevicePage>;
  DeviceSession: ResolverTypeWrapper<SessionRecord>;
  DeviceSort: DeviceSort;
  DevicesBehindInput: DevicesBehindInput;
  DevicesBehindPointInput: DevicesBehindPointInput;
  EmailChangeInput: EmailChangeInput;
  Entitlement: ResolverTypeWrapper<Entitlement>;
  EntitlementKind: EntitlementKind;
  EntitlementOwner: ResolverTypeWrapper<EntitlementOwner>;
  EntitlementPage: ResolverTypeWrapper<EntitlementPage>;
  EntitlementPolicy: EntitlementPolicy;
  ErrorCode: ErrorCode;
  EventName: ResolverTypeWrapper<EventName>;
  EventNamePage: ResolverTypeWrapper<EventNamePage>;
  EventSelectionInput: EventSelectionInput;
  EventSeries: ResolverTypeWrapper<EventSeries>;
  EventSeriesFigureInput: EventSeriesFigureInput;
  EventSeriesInput: EventSeriesInput;
  EventSeriesLine: ResolverTypeWrapper<EventSeriesLine>;
  EventSeriesPoint: ResolverTypeWrapper<EventSeriesPoint>;
  EventType: EventType;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  Funnel: ResolverTypeWrapper<Funnel>;
  FunnelBreakdown: ResolverTypeWrapper<FunnelBreakdown>;
  FunnelFigureInput: FunnelFigureInput;
  FunnelInput: FunnelInput;
  FunnelOrder: FunnelOrder;
  FunnelStep: ResolverTypeWrapper<FunnelStep>;
  FunnelWindowInput: FunnelWindowInput;
  FunnelWindowUnit: FunnelWindowUnit;
  IngestIssue: ResolverTypeWrapper<IngestIssue>;
  IngestIssuePage: ResolverTypeWrapper<IngestIssuePage>;
  IngestQuota: ResolverTypeWrapper<IngestQuota>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  JSON: ResolverTypeWrapper<Scalars['JSON']['output']>;
  ListedDevice: ResolverTypeWrapper<ListedDevice>;
  LoginInput: LoginInput;
  LoginSession: ResolverTypeWrapper<LoginSession>;
  MonthlyRevenue: ResolverTypeWrapper<MonthlyRevenue>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Organization: ResolverTypeWrapper<ViewedOrganization>;
  OrganizationCreateInput: OrganizationCreateInput;
  OrganizationEditInput: OrganizationEditInput;
  PasswordChangeInput: PasswordChangeInput;
  Product: ResolverTypeWrapper<Product>;
  ProductEditInput: ProductEditInput;
  Project: ResolverTypeWrapper<ViewedProject>;
  ProjectEditInput: ProjectEditInput;
  PropertyFilterInput: PropertyFilterInput;
  PropertyName: ResolverTypeWrapper<PropertyName>;
  PropertyNamePage: ResolverTypeWrapper<PropertyNamePage>;
  PropertyScope: PropertyScope;
  PropertyType: PropertyType;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  RecentEvent: ResolverTypeWrapper<RecentEvent>;
  RecentEventPage: ResolverTypeWrapper<RecentEventPage>;
  RegistrationUserInput: RegistrationUserInput;
  ReportInterval: ReportInterval;
  ResetPasswordInput: ResetPasswordInput;
  Retention: ResolverTypeWrapper<Retention>;
  RetentionCohort: ResolverTypeWrapper<RetentionCohort>;
  RetentionFigureInput: RetentionFigureInput;
  RetentionInput: RetentionInput;
  RetentionMode: RetentionMode;
  RetentionPeriod: ResolverTypeWrapper<RetentionPeriod>;
  RetentionReturnInput: RetentionReturnInput;
  RetentionStartInput: RetentionStartInput;
  Revenue: ResolverTypeWrapper<Revenue>;
  RevenueBreakdown: RevenueBreakdown;
  RevenueBreakdownLine: ResolverTypeWrapper<RevenueBreakdownLine>;
  RevenueInput: RevenueInput;
  RevenuePoint: ResolverTypeWrapper<RevenuePoint>;
  RevenueTotals: ResolverTypeWrapper<RevenueTotals>;
  SeriesInterval: SeriesInterval;
  SeriesMeasure: SeriesMeasure;
  ServiceToken: ResolverTypeWrapper<ServiceToken>;
  ServiceTokenCreateInput: ServiceTokenCreateInput;
  ServiceTokenCreated: ResolverTypeWrapper<ServiceTokenCreated>;
  ServiceUser: ResolverTypeWrapper<ServiceUser>;
  StoreCredentialsEditInput: StoreCredentialsEditInput;
  StoreEnvironment: StoreEnvironment;
  StoreOffer: StoreOffer;
  StoreOfferMode: StoreOfferMode;
  StoreOwnership: StoreOwnership;
  StoreRevocationReason: StoreRevocationReason;
  StoreRevocationType: StoreRevocationType;
  StoreTransaction: ResolverTypeWrapper<StoreTransaction>;
  StoreTransactionPage: ResolverTypeWrapper<StoreTransactionPage>;
  StoreTransactionState: StoreTransactionState;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Subscriptions: ResolverTypeWrapper<Subscriptions>;
  UUID: ResolverTypeWrapper<Scalars['UUID']['output']>;
  UpdatePasswordInput: UpdatePasswordInput;
  UserEditInput: UserEditInput;
  UserInviteInput: UserInviteInput;
  UserPropertyCondition: ResolverTypeWrapper<UserPropertyCondition>;
  UserPropertyConditionInput: UserPropertyConditionInput;
  VersionRange: ResolverTypeWrapper<VersionRange>;
  VersionRangeInput: VersionRangeInput;
  Webhook: ResolverTypeWrapper<Webhook>;
  WebhookDelivery: ResolverTypeWrapper<WebhookDelivery>;
  WebhookDeliveryPage: ResolverTypeWrapper<WebhookDeliveryPage>;
  WebhookDeliveryState: WebhookDeliveryState;
  WebhookEditInput: WebhookEditInput;
  WebhookEdited: ResolverTypeWrapper<WebhookEdited>;
  WebhookEvent: WebhookEvent;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Activity: Activity;
  ActivityFigureInput: ActivityFigureInput;
  ActivityInput: ActivityInput;
  ActivityPoint: ActivityPoint;
  ActivityPrevious: ActivityPrevious;
  ActivityTotals: ActivityTotals;
  ApiKey: ViewedApiKey;
  ApiKeyEditInput: ApiKeyEditInput;
  Application: ViewedApplication;
  ApplicationEditInput: ApplicationEditInput;
  Attribution: Attribution;
  AuditEntry: AuditEntry;
  AuthPayload: Omit<AuthPayload, 'organization'> & { organization: ResolversParentTypes['Organization'] };
  Boolean: Scalars['Boolean']['output'];
  BreakdownInput: BreakdownInput;
  Campaign: SeenCampaign;
  CampaignAction: CampaignAction;
  CampaignActionInput: CampaignActionInput;
  CampaignChange: CampaignChange;
  CampaignEditInput: CampaignEditInput;
  CampaignFieldChange: CampaignFieldChange;
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
  Date: Scalars['Date']['output'];
  DateTime: Scalars['DateTime']['output'];
  Device: SeenDevice;
  DeviceEvent: DeviceEvent;
  DeviceInstall: DeviceInstall;
  DevicePage: DevicePage;
  DeviceSession: SessionRecord;
  DevicesBehindInput: DevicesBehindInput;
  DevicesBehindPointInput: DevicesBehindPointInput;
  EmailChangeInput: EmailChangeInput;
  Entitlement: Entitlement;
  EntitlementOwner: EntitlementOwner;
  EntitlementPage: EntitlementPage;
  EventName: EventName;
  EventNamePage: EventNamePage;
  EventSelectionInput: EventSelectionInput;
  EventSeries: EventSeries;
  EventSeriesFigureInput: EventSeriesFigureInput;
  EventSeriesInput: EventSeriesInput;
  EventSeriesLine: EventSeriesLine;
  EventSeriesPoint: EventSeriesPoint;
  Float: Scalars['Float']['output'];
  Funnel: Funnel;
  FunnelBreakdown: FunnelBreakdown;
  FunnelFigureInput: FunnelFigureInput;
  FunnelInput: FunnelInput;
  FunnelStep: FunnelStep;
  FunnelWindowInput: FunnelWindowInput;
  IngestIssue: IngestIssue;
  IngestIssuePage: IngestIssuePage;
  IngestQuota: IngestQuota;
  Int: Scalars['Int']['output'];
  JSON: Scalars['JSON']['output'];
  ListedDevice: ListedDevice;
  LoginInput: LoginInput;
  LoginSession: LoginSession;
  MonthlyRevenue: MonthlyRevenue;
  Mutation: Record<PropertyKey, never>;
  Organization: ViewedOrganization;
  OrganizationCreateInput: OrganizationCreateInput;
  OrganizationEditInput: OrganizationEditInput;
  PasswordChangeInput: PasswordChangeInput;
  Product: Product;
  ProductEditInput: ProductEditInput;
  Project: ViewedProject;
  ProjectEditInput: ProjectEditInput;
  PropertyFilterInput: PropertyFilterInput;
  PropertyName: PropertyName;
  PropertyNamePage: PropertyNamePage;
  Query: Record<PropertyKey, never>;
  RecentEvent: RecentEvent;
  RecentEventPage: RecentEventPage;
  RegistrationUserInput: RegistrationUserInput;
  ResetPasswordInput: ResetPasswordInput;
  Retention: Retention;
  RetentionCohort: RetentionCohort;
  RetentionFigureInput: RetentionFigureInput;
  RetentionInput: RetentionInput;
  RetentionPeriod: RetentionPeriod;
  RetentionReturnInput: RetentionReturnInput;
  RetentionStartInput: RetentionStartInput;
  Revenue: Revenue;
  RevenueBreakdownLine: RevenueBreakdownLine;
  RevenueInput: RevenueInput;
  RevenuePoint: RevenuePoint;
  RevenueTotals: RevenueTotals;
  ServiceToken: ServiceToken;
  ServiceTokenCreateInput: ServiceTokenCreateInput;
  ServiceTokenCreated: ServiceTokenCreated;
  ServiceUser: ServiceUser;
  StoreCredentialsEditInput: StoreCredentialsEditInput;
  StoreTransaction: StoreTransaction;
  StoreTransactionPage: StoreTransactionPage;
  String: Scalars['String']['output'];
  Subscriptions: Subscriptions;
  UUID: Scalars['UUID']['output'];
  UpdatePasswordInput: UpdatePasswordInput;
  UserEditInput: UserEditInput;
  UserInviteInput: UserInviteInput;
  UserPropertyCondition: UserPropertyCondition;
  UserPropertyConditionInput: UserPropertyConditionInput;
  VersionRange: VersionRange;
  VersionRangeInput: VersionRangeInput;
  Webhook: Webhook;
  WebhookDelivery: WebhookDelivery;
  WebhookDeliveryPage: WebhookDeliveryPage;
  WebhookEditInput: WebhookEditInput;
  WebhookEdited: WebhookEdited;
};

export type ActivityResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Activity'] = ResolversParentTypes['Activity']> = {
  asOf?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  points?: Resolver<Array<ResolversTypes['ActivityPoint']>, ParentType, ContextType>;
  previous?: Resolver<Maybe<ResolversTypes['ActivityPrevious']>, ParentType, ContextType>;
  stickiness?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  totals?: Resolver<ResolversTypes['ActivityTotals'], ParentType, ContextType>;
};

export type ActivityPointResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['ActivityPoint'] = ResolversParentTypes['ActivityPoint']> = {
  active?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  complete?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  events?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  medianSessionSeconds?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  new?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  sessions?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  start?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type ActivityPreviousResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['ActivityPrevious'] = ResolversParentTypes['ActivityPrevious']> = {
  points?: Resolver<Array<ResolversTypes['ActivityPoint']>, ParentType, ContextType>;
  totals?: Resolver<ResolversTypes['ActivityTotals'], ParentType, ContextType>;
};

export type ActivityTotalsResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['ActivityTotals'] = ResolversParentTypes['ActivityTotals']> = {
  active?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  events?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  medianSessionSeconds?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  new?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  sessions?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ApiKeyResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['ApiKey'] = ResolversParentTypes['ApiKey']> = {
  application?: Resolver<ResolversTypes['Application'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  createdBy?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  label?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  lastUsed?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  public?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  revokedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  secret?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type ApplicationResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Application'] = ResolversParentTypes['Application']> = {
  apiKeys?: Resolver<Maybe<Array<ResolversTypes['ApiKey']>>, ParentType, ContextType, RequireFields<ApplicationApiKeysArgs, 'includeRevoked'>>;
  bundleId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  entitlementPolicy?: Resolver<ResolversTypes['EntitlementPolicy'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  image?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  ingestQuotas?: Resolver<Array<ResolversTypes['IngestQuota']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  platform?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  project?: Resolver<ResolversTypes['Project'], ParentType, ContextType>;
  storeAppId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  storeCredentialsSet?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  testDevices?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  timeZone?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
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
  createdBy?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  frequency?: Resolver<Maybe<ResolversTypes['CampaignFrequency']>, ParentType, ContextType>;
  history?: Resolver<Array<ResolversTypes['CampaignChange']>, ParentType, ContextType, RequireFields<CampaignHistoryArgs, 'limit'>>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  priority?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  schedule?: Resolver<Maybe<ResolversTypes['CampaignSchedule']>, ParentType, ContextType>;
  state?: Resolver<ResolversTypes['CampaignState'], ParentType, ContextType>;
  stats?: Resolver<ResolversTypes['CampaignStats'], ParentType, ContextType>;
  targeting?: Resolver<Maybe<ResolversTypes['CampaignTargeting']>, ParentType, ContextType>;
  trigger?: Resolver<Maybe<ResolversTypes['CampaignTrigger']>, ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  updatedBy?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type CampaignActionResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['CampaignAction'] = ResolversParentTypes['CampaignAction']> = {
  blocking?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  deadlineSeconds?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  payload?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type CampaignChangeResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['CampaignChange'] = ResolversParentTypes['CampaignChange']> = {
  action?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  by?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  changes?: Resolver<Array<ResolversTypes['CampaignFieldChange']>, ParentType, ContextType>;
  fromState?: Resolver<Maybe<ResolversTypes['CampaignState']>, ParentType, ContextType>;
  toState?: Resolver<Maybe<ResolversTypes['CampaignState']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type CampaignFieldChangeResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['CampaignFieldChange'] = ResolversParentTypes['CampaignFieldChange']> = {
  after?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  before?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  field?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  valuesKept?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
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
  suspect?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
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

export interface DateScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Date'], any> {
  name: 'Date';
}

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type DeviceResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Device'] = ResolversParentTypes['Device']> = {
  attribution?: Resolver<Array<ResolversTypes['Attribution']>, ParentType, ContextType>;
  entitlements?: Resolver<Array<ResolversTypes['Entitlement']>, ParentType, ContextType, RequireFields<DeviceEntitlementsArgs, 'limit'>>;
  firstSeenAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  installs?: Resolver<Array<ResolversTypes['DeviceInstall']>, ParentType, ContextType>;
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
  timestampSuspect?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['EventType'], ParentType, ContextType>;
};

export type DeviceInstallResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['DeviceInstall'] = ResolversParentTypes['DeviceInstall']> = {
  firstSeenAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  installedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  lastSeenAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  vendorIdentifier?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type DevicePageResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['DevicePage'] = ResolversParentTypes['DevicePage']> = {
  asOf?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['ListedDevice']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type DeviceSessionResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['DeviceSession'] = ResolversParentTypes['DeviceSession']> = {
  datesSuspect?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  events?: Resolver<Array<ResolversTypes['DeviceEvent']>, ParentType, ContextType, RequireFields<DeviceSessionEventsArgs, 'limit' | 'offset'>>;
  finishedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  globalNumber?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  receivedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  startedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  userId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  utcOffsetMinutes?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  versionNumber?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type EntitlementResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Entitlement'] = ResolversParentTypes['Entitlement']> = {
  active?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  autoRenew?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  currency?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  environment?: Resolver<ResolversTypes['StoreEnvironment'], ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  graceExpiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  inBillingRetry?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['EntitlementKind'], ParentType, ContextType>;
  owner?: Resolver<Maybe<ResolversTypes['EntitlementOwner']>, ParentType, ContextType>;
  ownership?: Resolver<Maybe<ResolversTypes['StoreOwnership']>, ParentType, ContextType>;
  price?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  productId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  purchasedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  quantity?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  revokedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  storeTransactionIds?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
};

export type EntitlementOwnerResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['EntitlementOwner'] = ResolversParentTypes['EntitlementOwner']> = {
  deviceId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  externalId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type EntitlementPageResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['EntitlementPage'] = ResolversParentTypes['EntitlementPage']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['Entitlement']>, ParentType, ContextType>;
};

export type EventNameResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['EventName'] = ResolversParentTypes['EventName']> = {
  count30Days?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  firstSeenAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  lastSeenAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  params?: Resolver<Array<ResolversTypes['PropertyName']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['EventType'], ParentType, ContextType>;
};

export type EventNamePageResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['EventNamePage'] = ResolversParentTypes['EventNamePage']> = {
  asOf?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['EventName']>, ParentType, ContextType>;
};

export type EventSeriesResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['EventSeries'] = ResolversParentTypes['EventSeries']> = {
  asOf?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  presentProperties?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  series?: Resolver<Array<ResolversTypes['EventSeriesLine']>, ParentType, ContextType>;
};

export type EventSeriesLineResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['EventSeriesLine'] = ResolversParentTypes['EventSeriesLine']> = {
  breakdownValue?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  event?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  index?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  isOther?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  points?: Resolver<Array<ResolversTypes['EventSeriesPoint']>, ParentType, ContextType>;
  total?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type EventSeriesPointResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['EventSeriesPoint'] = ResolversParentTypes['EventSeriesPoint']> = {
  complete?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  start?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  value?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type FunnelResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Funnel'] = ResolversParentTypes['Funnel']> = {
  asOf?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  breakdown?: Resolver<Maybe<Array<ResolversTypes['FunnelBreakdown']>>, ParentType, ContextType>;
  presentProperties?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  steps?: Resolver<Array<ResolversTypes['FunnelStep']>, ParentType, ContextType>;
};

export type FunnelBreakdownResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['FunnelBreakdown'] = ResolversParentTypes['FunnelBreakdown']> = {
  isOther?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  steps?: Resolver<Array<ResolversTypes['FunnelStep']>, ParentType, ContextType>;
  value?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
};

export type FunnelStepResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['FunnelStep'] = ResolversParentTypes['FunnelStep']> = {
  conversion?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  fromPrevious?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  index?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  medianSeconds?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type IngestIssueResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['IngestIssue'] = ResolversParentTypes['IngestIssue']> = {
  appVersion?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  day?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  firstAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  lastAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  operation?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  path?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  sampleMessage?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  samplePath?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  sdkVersion?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type IngestIssuePageResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['IngestIssuePage'] = ResolversParentTypes['IngestIssuePage']> = {
  asOf?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['IngestIssue']>, ParentType, ContextType>;
};

export type IngestQuotaResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['IngestQuota'] = ResolversParentTypes['IngestQuota']> = {
  bytes?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  bytesPerHour?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  newDevices?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  newDevicesPerHour?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  operation?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  refused?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  refusedInDay?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  signed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  since?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSON'], any> {
  name: 'JSON';
}

export type ListedDeviceResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['ListedDevice'] = ResolversParentTypes['ListedDevice']> = {
  appVersion?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  country?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  firstSeenAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lastSeenAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  platform?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  sessionsCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  userId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type LoginSessionResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['LoginSession'] = ResolversParentTypes['LoginSession']> = {
  address?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  current?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  lastUsedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  userAgent?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type MonthlyRevenueResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['MonthlyRevenue'] = ResolversParentTypes['MonthlyRevenue']> = {
  amount?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  currency?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type MutationResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  accountDelete?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationAccountDeleteArgs, 'password'>>;
  apiKeyCreate?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType, RequireFields<MutationApiKeyCreateArgs, 'applicationId'>>;
  apiKeyEdit?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType, RequireFields<MutationApiKeyEditArgs, 'input'>>;
  apiKeyRevoke?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationApiKeyRevokeArgs, 'public'>>;
  applicationDelete?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationApplicationDeleteArgs, 'id'>>;
  applicationEdit?: Resolver<ResolversTypes['Application'], ParentType, ContextType, RequireFields<MutationApplicationEditArgs, 'input'>>;
  campaignChangeState?: Resolver<ResolversTypes['Campaign'], ParentType, ContextType, RequireFields<MutationCampaignChangeStateArgs, 'id' | 'state'>>;
  campaignEdit?: Resolver<ResolversTypes['Campaign'], ParentType, ContextType, RequireFields<MutationCampaignEditArgs, 'input'>>;
  emailChange?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationEmailChangeArgs, 'input'>>;
  emailConfirm?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationEmailConfirmArgs, 'token'>>;
  invitationAccept?: Resolver<ResolversTypes['AuthPayload'], ParentType, ContextType, RequireFields<MutationInvitationAcceptArgs, 'token'>>;
  login?: Resolver<ResolversTypes['AuthPayload'], ParentType, ContextType, RequireFields<MutationLoginArgs, 'input'>>;
  logout?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  logoutEverywhere?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  organizationCreate?: Resolver<ResolversTypes['AuthPayload'], ParentType, ContextType, RequireFields<MutationOrganizationCreateArgs, 'input'>>;
  organizationEdit?: Resolver<ResolversTypes['Organization'], ParentType, ContextType, RequireFields<MutationOrganizationEditArgs, 'input'>>;
  organizationLeave?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  organizationSwitch?: Resolver<ResolversTypes['AuthPayload'], ParentType, ContextType, RequireFields<MutationOrganizationSwitchArgs, 'id'>>;
  passwordChange?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationPasswordChangeArgs, 'input'>>;
  productEdit?: Resolver<ResolversTypes['Product'], ParentType, ContextType, RequireFields<MutationProductEditArgs, 'input'>>;
  projectDelete?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationProjectDeleteArgs, 'id'>>;
  projectEdit?: Resolver<ResolversTypes['Project'], ParentType, ContextType, RequireFields<MutationProjectEditArgs, 'input'>>;
  refreshToken?: Resolver<ResolversTypes['AuthPayload'], ParentType, ContextType, RequireFields<MutationRefreshTokenArgs, 'token'>>;
  resetPassword?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationResetPasswordArgs, 'input'>>;
  serviceTokenCreate?: Resolver<ResolversTypes['ServiceTokenCreated'], ParentType, ContextType, RequireFields<MutationServiceTokenCreateArgs, 'input'>>;
  serviceTokenRevoke?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationServiceTokenRevokeArgs, 'id'>>;
  sessionRevoke?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationSessionRevokeArgs, 'id'>>;
  signup?: Resolver<ResolversTypes['AuthPayload'], ParentType, ContextType, RequireFields<MutationSignupArgs, 'input'>>;
  storeCredentialsEdit?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationStoreCredentialsEditArgs, 'input'>>;
  updatePassword?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationUpdatePasswordArgs, 'input'>>;
  userEdit?: Resolver<ResolversTypes['ServiceUser'], ParentType, ContextType, RequireFields<MutationUserEditArgs, 'input'>>;
  userInvite?: Resolver<ResolversTypes['ServiceUser'], ParentType, ContextType, RequireFields<MutationUserInviteArgs, 'input'>>;
  userRemove?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationUserRemoveArgs, 'email'>>;
  webhookDelete?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationWebhookDeleteArgs, 'id'>>;
  webhookEdit?: Resolver<ResolversTypes['WebhookEdited'], ParentType, ContextType, RequireFields<MutationWebhookEditArgs, 'input'>>;
  webhookRedeliver?: Resolver<ResolversTypes['WebhookDelivery'], ParentType, ContextType, RequireFields<MutationWebhookRedeliverArgs, 'deliveryId'>>;
};

export type OrganizationResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Organization'] = ResolversParentTypes['Organization']> = {
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  logo?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  projects?: Resolver<Maybe<Array<ResolversTypes['Project']>>, ParentType, ContextType>;
  projectsCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  users?: Resolver<Maybe<Array<ResolversTypes['ServiceUser']>>, ParentType, ContextType>;
};

export type ProductResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Product'] = ResolversParentTypes['Product']> = {
  durationDays?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  kind?: Resolver<Maybe<ResolversTypes['EntitlementKind']>, ParentType, ContextType>;
  productId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type ProjectResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Project'] = ResolversParentTypes['Project']> = {
  applications?: Resolver<Maybe<Array<ResolversTypes['Application']>>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  image?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type PropertyNameResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['PropertyName'] = ResolversParentTypes['PropertyName']> = {
  examples?: Resolver<Array<ResolversTypes['JSON']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  types?: Resolver<Array<ResolversTypes['PropertyType']>, ParentType, ContextType>;
};

export type PropertyNamePageResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['PropertyNamePage'] = ResolversParentTypes['PropertyNamePage']> = {
  asOf?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['PropertyName']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  activity?: Resolver<Maybe<ResolversTypes['Activity']>, ParentType, ContextType, RequireFields<QueryActivityArgs, 'input'>>;
  applications?: Resolver<Array<ResolversTypes['Application']>, ParentType, ContextType, Partial<QueryApplicationsArgs>>;
  auditLog?: Resolver<Array<ResolversTypes['AuditEntry']>, ParentType, ContextType, RequireFields<QueryAuditLogArgs, 'limit'>>;
  campaign?: Resolver<Maybe<ResolversTypes['Campaign']>, ParentType, ContextType, RequireFields<QueryCampaignArgs, 'id'>>;
  campaigns?: Resolver<Array<ResolversTypes['Campaign']>, ParentType, ContextType, RequireFields<QueryCampaignsArgs, 'limit' | 'offset' | 'sort'>>;
  campaignsCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType, Partial<QueryCampaignsCountArgs>>;
  countries?: Resolver<Maybe<Array<Maybe<ResolversTypes['Country']>>>, ParentType, ContextType>;
  device?: Resolver<Maybe<ResolversTypes['Device']>, ParentType, ContextType, RequireFields<QueryDeviceArgs, 'applicationId' | 'id'>>;
  devices?: Resolver<Maybe<ResolversTypes['DevicePage']>, ParentType, ContextType, RequireFields<QueryDevicesArgs, 'applicationId' | 'includeTest' | 'limit' | 'sort'>>;
  devicesBehind?: Resolver<Maybe<ResolversTypes['DevicePage']>, ParentType, ContextType, RequireFields<QueryDevicesBehindArgs, 'limit' | 'of' | 'point'>>;
  entitlements?: Resolver<ResolversTypes['EntitlementPage'], ParentType, ContextType, RequireFields<QueryEntitlementsArgs, 'applicationId' | 'limit'>>;
  eventNames?: Resolver<Maybe<ResolversTypes['EventNamePage']>, ParentType, ContextType, RequireFields<QueryEventNamesArgs, 'applicationId' | 'includeTest' | 'limit'>>;
  eventSeries?: Resolver<Maybe<ResolversTypes['EventSeries']>, ParentType, ContextType, RequireFields<QueryEventSeriesArgs, 'input'>>;
  funnel?: Resolver<Maybe<ResolversTypes['Funnel']>, ParentType, ContextType, RequireFields<QueryFunnelArgs, 'input'>>;
  id?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  ingestIssues?: Resolver<Maybe<ResolversTypes['IngestIssuePage']>, ParentType, ContextType, RequireFields<QueryIngestIssuesArgs, 'applicationId' | 'from' | 'limit' | 'to'>>;
  me?: Resolver<ResolversTypes['ServiceUser'], ParentType, ContextType>;
  organization?: Resolver<ResolversTypes['Organization'], ParentType, ContextType>;
  organizations?: Resolver<Array<ResolversTypes['Organization']>, ParentType, ContextType>;
  products?: Resolver<Array<ResolversTypes['Product']>, ParentType, ContextType, RequireFields<QueryProductsArgs, 'applicationId'>>;
  projects?: Resolver<Array<ResolversTypes['Project']>, ParentType, ContextType>;
  propertyNames?: Resolver<Maybe<ResolversTypes['PropertyNamePage']>, ParentType, ContextType, RequireFields<QueryPropertyNamesArgs, 'applicationId' | 'includeTest' | 'limit' | 'scope'>>;
  recentEvents?: Resolver<Maybe<ResolversTypes['RecentEventPage']>, ParentType, ContextType, RequireFields<QueryRecentEventsArgs, 'applicationId' | 'includeTest' | 'limit'>>;
  retention?: Resolver<Maybe<ResolversTypes['Retention']>, ParentType, ContextType, RequireFields<QueryRetentionArgs, 'input'>>;
  revenue?: Resolver<Maybe<ResolversTypes['Revenue']>, ParentType, ContextType, RequireFields<QueryRevenueArgs, 'input'>>;
  revenueCurrencies?: Resolver<Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType, RequireFields<QueryRevenueCurrenciesArgs, 'applicationId' | 'includeTest'>>;
  serviceTokens?: Resolver<Array<ResolversTypes['ServiceToken']>, ParentType, ContextType>;
  sessions?: Resolver<Array<ResolversTypes['LoginSession']>, ParentType, ContextType>;
  storeTransactions?: Resolver<ResolversTypes['StoreTransactionPage'], ParentType, ContextType, RequireFields<QueryStoreTransactionsArgs, 'applicationId' | 'limit'>>;
  subscriptions?: Resolver<Maybe<ResolversTypes['Subscriptions']>, ParentType, ContextType, RequireFields<QuerySubscriptionsArgs, 'applicationId' | 'includeTest'>>;
  userDevices?: Resolver<Maybe<ResolversTypes['DevicePage']>, ParentType, ContextType, RequireFields<QueryUserDevicesArgs, 'applicationId' | 'includeTest' | 'limit' | 'userId'>>;
  webhookDeliveries?: Resolver<ResolversTypes['WebhookDeliveryPage'], ParentType, ContextType, RequireFields<QueryWebhookDeliveriesArgs, 'limit' | 'webhookId'>>;
  webhooks?: Resolver<Array<ResolversTypes['Webhook']>, ParentType, ContextType, RequireFields<QueryWebhooksArgs, 'applicationId'>>;
};

export type RecentEventResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['RecentEvent'] = ResolversParentTypes['RecentEvent']> = {
  deviceId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  params?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  receivedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  sessionId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['EventType'], ParentType, ContextType>;
  userId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type RecentEventPageResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['RecentEventPage'] = ResolversParentTypes['RecentEventPage']> = {
  asOf?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['RecentEvent']>, ParentType, ContextType>;
  presentProperties?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type RetentionResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Retention'] = ResolversParentTypes['Retention']> = {
  asOf?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  cohorts?: Resolver<Array<ResolversTypes['RetentionCohort']>, ParentType, ContextType>;
  presentProperties?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type RetentionCohortResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['RetentionCohort'] = ResolversParentTypes['RetentionCohort']> = {
  periods?: Resolver<Array<ResolversTypes['RetentionPeriod']>, ParentType, ContextType>;
  size?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  start?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type RetentionPeriodResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['RetentionPeriod'] = ResolversParentTypes['RetentionPeriod']> = {
  complete?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  index?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type RevenueResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Revenue'] = ResolversParentTypes['Revenue']> = {
  asOf?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  breakdown?: Resolver<Maybe<Array<ResolversTypes['RevenueBreakdownLine']>>, ParentType, ContextType>;
  points?: Resolver<Array<ResolversTypes['RevenuePoint']>, ParentType, ContextType>;
  totals?: Resolver<ResolversTypes['RevenueTotals'], ParentType, ContextType>;
};

export type RevenueBreakdownLineResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['RevenueBreakdownLine'] = ResolversParentTypes['RevenueBreakdownLine']> = {
  isOther?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  points?: Resolver<Array<ResolversTypes['RevenuePoint']>, ParentType, ContextType>;
  value?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type RevenuePointResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['RevenuePoint'] = ResolversParentTypes['RevenuePoint']> = {
  complete?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  gross?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  payers?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  purchases?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  refunds?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  renewals?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  start?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type RevenueTotalsResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['RevenueTotals'] = ResolversParentTypes['RevenueTotals']> = {
  gross?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  payers?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  purchases?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  refunds?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  renewals?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ServiceTokenResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['ServiceToken'] = ResolversParentTypes['ServiceToken']> = {
  applicationIds?: Resolver<Maybe<Array<ResolversTypes['UUID']>>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  createdBy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  lastUsedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  role?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type ServiceTokenCreatedResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['ServiceTokenCreated'] = ResolversParentTypes['ServiceTokenCreated']> = {
  serviceToken?: Resolver<ResolversTypes['ServiceToken'], ParentType, ContextType>;
  token?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type ServiceUserResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['ServiceUser'] = ResolversParentTypes['ServiceUser']> = {
  avatar?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  email?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  emailVerified?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  id?: Resolver<Maybe<ResolversTypes['UUID']>, ParentType, ContextType>;
  invitationExpiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  lastLoginAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  role?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type StoreTransactionResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['StoreTransaction'] = ResolversParentTypes['StoreTransaction']> = {
  currency?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  environment?: Resolver<Maybe<ResolversTypes['StoreEnvironment']>, ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  kind?: Resolver<Maybe<ResolversTypes['EntitlementKind']>, ParentType, ContextType>;
  lastLookUpError?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  lastLookedUpAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  offer?: Resolver<Maybe<ResolversTypes['StoreOffer']>, ParentType, ContextType>;
  offerMode?: Resolver<Maybe<ResolversTypes['StoreOfferMode']>, ParentType, ContextType>;
  originalId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  ownership?: Resolver<Maybe<ResolversTypes['StoreOwnership']>, ParentType, ContextType>;
  price?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  productId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  purchasedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  quantity?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  receivedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  resolvedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  revocationPercent?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  revocationReason?: Resolver<Maybe<ResolversTypes['StoreRevocationReason']>, ParentType, ContextType>;
  revocationType?: Resolver<Maybe<ResolversTypes['StoreRevocationType']>, ParentType, ContextType>;
  revokedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  state?: Resolver<ResolversTypes['StoreTransactionState'], ParentType, ContextType>;
  storefront?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type StoreTransactionPageResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['StoreTransactionPage'] = ResolversParentTypes['StoreTransactionPage']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['StoreTransaction']>, ParentType, ContextType>;
};

export type SubscriptionsResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Subscriptions'] = ResolversParentTypes['Subscriptions']> = {
  active?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  asOf?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  inGrace?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  inRetry?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  mrr?: Resolver<Array<ResolversTypes['MonthlyRevenue']>, ParentType, ContextType>;
  trials?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
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

export type WebhookResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['Webhook'] = ResolversParentTypes['Webhook']> = {
  applicationId?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  createdBy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  droppedEvents?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  enabled?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  events?: Resolver<Maybe<Array<ResolversTypes['WebhookEvent']>>, ParentType, ContextType>;
  gone?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  lastDroppedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  updatedBy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  url?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type WebhookDeliveryResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['WebhookDelivery'] = ResolversParentTypes['WebhookDelivery']> = {
  attempts?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  body?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  deliveredAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  event?: Resolver<ResolversTypes['WebhookEvent'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
  lastAttemptAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  lastError?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  lastStatus?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  nextAttemptAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  state?: Resolver<ResolversTypes['WebhookDeliveryState'], ParentType, ContextType>;
  webhookId?: Resolver<ResolversTypes['UUID'], ParentType, ContextType>;
};

export type WebhookDeliveryPageResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['WebhookDeliveryPage'] = ResolversParentTypes['WebhookDeliveryPage']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['WebhookDelivery']>, ParentType, ContextType>;
};

export type WebhookEditedResolvers<ContextType = AdminContext, ParentType extends ResolversParentTypes['WebhookEdited'] = ResolversParentTypes['WebhookEdited']> = {
  secret?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  webhook?: Resolver<ResolversTypes['Webhook'], ParentType, ContextType>;
};

export type Resolvers<ContextType = AdminContext> = {
  Activity?: ActivityResolvers<ContextType>;
  ActivityPoint?: ActivityPointResolvers<ContextType>;
  ActivityPrevious?: ActivityPreviousResolvers<ContextType>;
  ActivityTotals?: ActivityTotalsResolvers<ContextType>;
  ApiKey?: ApiKeyResolvers<ContextType>;
  Application?: ApplicationResolvers<ContextType>;
  Attribution?: AttributionResolvers<ContextType>;
  AuditEntry?: AuditEntryResolvers<ContextType>;
  AuthPayload?: AuthPayloadResolvers<ContextType>;
  Campaign?: CampaignResolvers<ContextType>;
  CampaignAction?: CampaignActionResolvers<ContextType>;
  CampaignChange?: CampaignChangeResolvers<ContextType>;
  CampaignFieldChange?: CampaignFieldChangeResolvers<ContextType>;
  CampaignFrequency?: CampaignFrequencyResolvers<ContextType>;
  CampaignResolvedStats?: CampaignResolvedStatsResolvers<ContextType>;
  CampaignSchedule?: CampaignScheduleResolvers<ContextType>;
  CampaignStats?: CampaignStatsResolvers<ContextType>;
  CampaignTargeting?: CampaignTargetingResolvers<ContextType>;
  CampaignTrigger?: CampaignTriggerResolvers<ContextType>;
  CampaignTriggerFilter?: CampaignTriggerFilterResolvers<ContextType>;
  CampaignUnavailableStats?: CampaignUnavailableStatsResolvers<ContextType>;
  Country?: CountryResolvers<ContextType>;
  Date?: GraphQLScalarType;
  DateTime?: GraphQLScalarType;
  Device?: DeviceResolvers<ContextType>;
  DeviceEvent?: DeviceEventResolvers<ContextType>;
  DeviceInstall?: DeviceInstallResolvers<ContextType>;
  DevicePage?: DevicePageResolvers<ContextType>;
  DeviceSession?: DeviceSessionResolvers<ContextType>;
  Entitlement?: EntitlementResolvers<ContextType>;
  EntitlementOwner?: EntitlementOwnerResolvers<ContextType>;
  EntitlementPage?: EntitlementPageResolvers<ContextType>;
  EventName?: EventNameResolvers<ContextType>;
  EventNamePage?: EventNamePageResolvers<ContextType>;
  EventSeries?: EventSeriesResolvers<ContextType>;
  EventSeriesLine?: EventSeriesLineResolvers<ContextType>;
  EventSeriesPoint?: EventSeriesPointResolvers<ContextType>;
  Funnel?: FunnelResolvers<ContextType>;
  FunnelBreakdown?: FunnelBreakdownResolvers<ContextType>;
  FunnelStep?: FunnelStepResolvers<ContextType>;
  IngestIssue?: IngestIssueResolvers<ContextType>;
  IngestIssuePage?: IngestIssuePageResolvers<ContextType>;
  IngestQuota?: IngestQuotaResolvers<ContextType>;
  JSON?: GraphQLScalarType;
  ListedDevice?: ListedDeviceResolvers<ContextType>;
  LoginSession?: LoginSessionResolvers<ContextType>;
  MonthlyRevenue?: MonthlyRevenueResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Organization?: OrganizationResolvers<ContextType>;
  Product?: ProductResolvers<ContextType>;
  Project?: ProjectResolvers<ContextType>;
  PropertyName?: PropertyNameResolvers<ContextType>;
  PropertyNamePage?: PropertyNamePageResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  RecentEvent?: RecentEventResolvers<ContextType>;
  RecentEventPage?: RecentEventPageResolvers<ContextType>;
  Retention?: RetentionResolvers<ContextType>;
  RetentionCohort?: RetentionCohortResolvers<ContextType>;
  RetentionPeriod?: RetentionPeriodResolvers<ContextType>;
  Revenue?: RevenueResolvers<ContextType>;
  RevenueBreakdownLine?: RevenueBreakdownLineResolvers<ContextType>;
  RevenuePoint?: RevenuePointResolvers<ContextType>;
  RevenueTotals?: RevenueTotalsResolvers<ContextType>;
  ServiceToken?: ServiceTokenResolvers<ContextType>;
  ServiceTokenCreated?: ServiceTokenCreatedResolvers<ContextType>;
  ServiceUser?: ServiceUserResolvers<ContextType>;
  StoreTransaction?: StoreTransactionResolvers<ContextType>;
  StoreTransactionPage?: StoreTransactionPageResolvers<ContextType>;
  Subscriptions?: SubscriptionsResolvers<ContextType>;
  UUID?: GraphQLScalarType;
  UserPropertyCondition?: UserPropertyConditionResolvers<ContextType>;
  VersionRange?: VersionRangeResolvers<ContextType>;
  Webhook?: WebhookResolvers<ContextType>;
  WebhookDelivery?: WebhookDeliveryResolvers<ContextType>;
  WebhookDeliveryPage?: WebhookDeliveryPageResolvers<ContextType>;
  WebhookEdited?: WebhookEditedResolvers<ContextType>;
};

