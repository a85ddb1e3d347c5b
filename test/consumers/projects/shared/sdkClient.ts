// What an SDK needs of a client of the public API, whichever generator made that client.
import type { Sign } from './signing.ts';

export interface SdkSettings {
  baseUrl: string;
  publicKey: string;
  sign: Sign;
}

/** What an SDK does next is decided by these, not by `message`. */
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

/** The types are the generator's own. */
export interface SdkClient<SessionReport, AttributionReport, StoreTransactionReport, Config> {
  uploadSessions: (report: SessionReport) => Promise<UploadOutcome>;
  reportAttribution: (report: AttributionReport) => Promise<ReportOutcome>;
  reportStoreTransactions: (report: StoreTransactionReport) => Promise<ReportOutcome>;
  /** `tag` is that of the configuration held. */
  fetchCampaigns: (facts: Facts, tag?: string) => Promise<FetchOutcome<Config>>;
}
