// The questions of the analytics reads as plain records, checked and with every default (schema.graphql, "Analytics").
import type { Condition, ConditionValue } from '../campaigns/campaignRecord.ts';

export type Unit = 'DEVICE' | 'USER';
export type ReportInterval = 'DAY' | 'WEEK' | 'MONTH';
export type SeriesInterval = 'HOUR' | ReportInterval;
export type Scope = 'EVENT' | 'USER' | 'DEVICE';

/** `value` of a breakdown, with its type: `"10"` and `10` are two. */
export type PropertyValue = string | number | boolean;

export interface Property {
  scope: Scope;
  /** With DEVICE one of `deviceProperties`. */
  property: string;
}

export type Filter = Property & Condition & { value?: ConditionValue | null | undefined };

export interface EventSelection {
  name: string;
  system: boolean;
  filters: readonly Filter[];
}

/** Dates as `YYYY-MM-DD`, both included, in an IANA time zone. */
export interface Calendar {
  from: string;
  to: string;
  timeZone: string;
}

export interface Report extends Calendar {
  applicationId: string;
  includeTest: boolean;
}

export interface ActivityQuestion extends Report {
  interval: ReportInterval;
  unit: Unit;
  compare: boolean;
}

export type Measure = 'COUNT' | 'UNIQUE' | 'PER_UNIT' | 'SUM' | 'AVERAGE' | 'MEDIAN' | 'P90';

export interface EventSeriesQuestion extends Report {
  interval: SeriesInterval;
  unit: Unit;
  events: readonly EventSelection[];
  measure: Measure;
  /** The parameter whose numbers are measured; null with COUNT, UNIQUE and PER_UNIT. */
  property: string | null;
  breakdown: Property | null;
}

export interface FunnelQuestion extends Report {
  unit: Unit;
  steps: readonly EventSelection[];
  /** From the entering event, its last instant included. */
  withinMicros: bigint;
  order: 'ORDERED' | 'ANY';
  breakdown: Property | null;
}

export interface RetentionQuestion extends Report {
  interval: ReportInterval;
  unit: Unit;
  /** Null: the first activity ever. */
  start: EventSelection | null;
  /** Null: any activity. */
  returning: EventSelection | null;
  mode: 'ON' | 'ON_OR_AFTER';
  periods: number;
}

export interface RevenueQuestion extends Report {
  interval: ReportInterval;
  currency: string;
  breakdown: 'PRODUCT' | 'COUNTRY' | 'PLATFORM' | 'NONE';
}

/** One value of a breakdown; `value` null without the property. */
export interface BreakdownValue {
  value: PropertyValue | null;
  isOther: boolean;
}

/** A figure of a response, with the question that gave it. `start` null: the whole range. */
export type Figure =
  | { of: 'activity'; question: ActivityQuestion; start: Date | null; figure: 'ACTIVE' | 'NEW' | 'SESSIONS' }
  | {
      of: 'eventSeries';
      question: EventSeriesQuestion;
      series: number;
      start: Date | null;
      /** Null without a breakdown. */
      line: BreakdownValue | null;
    }
  | {
      of: 'funnel';
      question: FunnelQuestion;
      step: number;
      dropped: boolean;
      /** Null: all values. */
      line: BreakdownValue | null;
    }
  | {
      of: 'retention';
      question: RetentionQuestion;
      cohort: Date;
      /** Null: the whole cohort. */
      index: number | null;
    };

/** The properties of a device by the names of "Filters", with those of `device.properties`. */
export const deviceProperties: Readonly<Record<string, string>> = {
  platform: 'platform',
  country: 'country',
  deviceModel: 'deviceModel',
  appVersion: 'appVersionNormalized',
  osVersion: 'osVersionNormalized',
  sdkVersion: 'sdkVersionNormalized',
  appInstallVersion: 'appInstallVersionNormalized',
};

/** Of these, the versions: whole numbers. */
export const versionProperties: ReadonlySet<string> = new Set([
  'appVersion',
  'osVersion',
  'sdkVersion',
  'appInstallVersion',
]);

/** Whether a question uses properties that are those of now. */
export function usesPresentProperties(parts: readonly (Property | null)[]): boolean {
  return parts.some((part) => part !== null && part.scope !== 'EVENT');
}
