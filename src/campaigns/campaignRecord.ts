// The plain records of a campaign as it is stored, in the words of both contracts.

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

/** What is null or absent restricts nothing. */
export interface StoredTargeting {
  platforms?: ('iOS' | 'Android')[] | null;
  appVersion?: StoredRange | null;
  osVersion?: StoredRange | null;
  sdkVersion?: StoredRange | null;
  appInstallVersion?: StoredRange | null;
  countries?: string[] | null;
  /** Any of all-ofs. */
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

/** What an edit or a move may change. */
export interface CampaignContent {
  name: string;
  description: string | null;
  /** As somebody last set it; `stateAt` (campaignState.ts) derives what the clock makes of it. */
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
}
