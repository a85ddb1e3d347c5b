// The stored campaign as plain records, with the names of both contracts.

export type CampaignState = 'DRAFT' | 'SCHEDULED' | 'ACTIVE' | 'PAUSED' | 'FINISHED' | 'ARCHIVED';

export type ConditionOperator =
  'EQ' | 'NEQ' | 'GT' | 'GTE' | 'LT' | 'LTE' | 'IN' | 'NOT_IN' | 'CONTAINS' | 'EXISTS' | 'NOT_EXISTS';

export type ConditionValue = string | number | boolean | (string | number | boolean)[];

/** `value` is null or absent for EXISTS and NOT_EXISTS. */
export interface Condition {
  op: ConditionOperator;
  value?: ConditionValue | null | undefined;
}

export interface StoredTrigger {
  event: string;
  type: 'CUSTOM' | 'SYSTEM';
  filters?: (Condition & { param: string })[] | null;
}

export interface StoredRange {
  min?: number | null;
  max?: number | null;
}

/** A null or absent member restricts nothing. */
export interface StoredTargeting {
  platforms?: ('iOS' | 'Android')[] | null;
  appVersion?: StoredRange | null;
  osVersion?: StoredRange | null;
  sdkVersion?: StoredRange | null;
  appInstallVersion?: StoredRange | null;
  countries?: string[] | null;
  /** A user matches when all conditions of any group hold. */
  userProperties?: (Condition & { name: string })[][] | null;
}

export interface StoredFrequency {
  perSession?: number | null;
  perDay?: number | null;
  total?: number | null;
  cooldownSeconds?: number | null;
}

export interface StoredAction {
  type: string;
  /** Any JSON value. */
  payload?: unknown;
  blocking?: boolean | null;
  deadlineSeconds?: number | null;
}

/** The part that an edit or a move may change. */
export interface CampaignContent {
  name: string;
  description: string | null;
  /** The state that a user last set. `stateAt` (campaignState.ts) derives the state now. */
  state: CampaignState;
  priority: number;
  trigger: StoredTrigger | null;
  targeting: StoredTargeting | null;
  frequency: StoredFrequency | null;
  action: StoredAction | null;
  startAt: Date | null;
  endAt: Date | null;
}

export interface StoredCampaign extends CampaignContent {
  id: string;
  applicationId: string;
  version: number;
  createdAt: Date;
  updatedAt: Date;
  /** E-mail addresses; null where the campaign is older than the column. */
  createdBy: string | null;
  updatedBy: string | null;
}
