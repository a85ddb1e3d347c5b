// The client of the public API that an SDK needs, whatever generator made it.
import type { Sign } from './signing.ts';

export interface SdkSettings {
  baseUrl: string;
  publicKey: string;
  sign: Sign;
}

/** An SDK decides by these fields, not by `message`. */
export type Refusal =
  | { status: 403; reason: string; serverTime: number }
  | { status: 404; detail: string }
  | { status: 413; unit: string; limit: number }
  | { status: 422; paths: string[] }
  | { status: 415 | 500 | 503 };

export type UploadOutcome = { status: 200; revision: string | null } | Refusal;
export type ReportOutcome = { status: 200 } | Refusal;
export type FetchOutcome<Config> = { status: 200; config: Config; tag: string | null } | { status: 304 } | Refusal;

export interface Facts {
  platform?: 'iOS' | 'Android';
  appVersion?: number;
  country?: string;
}

/** The generator supplies the types. */
export interface SdkClient<SessionReport, AttributionReport, StoreTransactionReport, Config> {
  uploadSessions: (report: SessionReport) => Promise<UploadOutcome>;
  reportAttribution: (report: AttributionReport) => Promise<ReportOutcome>;
  reportStoreTransactions: (report: StoreTransactionReport) => Promise<ReportOutcome>;
  /** `tag` is the ETag of the configuration that the device holds. */
  fetchCampaigns: (facts: Facts, tag?: string) => Promise<FetchOutcome<Config>>;
}
