// Sends attribution and the ids of store transactions until they are acknowledged: openapi.yaml, "Idempotency".
// Refused reports are set aside: openapi.yaml, "What becomes of refused data".
import type { DeviceStore } from './deviceStore.ts';
import type { Reply } from './exchange.ts';
import type { FlushResult } from './outbox.ts';
import { sendUnsigned, type RequestParts } from './unsignedRequest.ts';
import type { AttributionPayloads, AttributionReport, StoreTransactionReport } from './wire.ts';

export interface ReportsParts {
  store: DeviceStore;
  request: RequestParts;
  observer: { onAttribution(): void; onTransactions(ids: string[]): void };
}

export class Reports {
  readonly #parts: ReportsParts;

  constructor(parts: ReportsParts) {
    this.#parts = parts;
  }

  /** Only the first report of an installation is sent. Another one may replace it after a refusal. */
  attribute(attribution: AttributionPayloads, custom: Record<string, unknown> | null): void {
    const { store, request } = this.#parts;
    const system = { os_version: request.environment.osVersion() };
    const report: AttributionReport = { device: this.#device(), system, attribution, custom };
    const body = JSON.stringify(report);
    if (store.refusedReports.attributions.includes(body)) return;
    store.attribution ??= { body, acknowledged: false };
  }

  addTransaction(id: string): void {
    const { transactionIds, refusedReports } = this.#parts.store;
    if (!transactionIds.includes(id) && !refusedReports.transactionIds.includes(id)) transactionIds.push(id);
  }

  async sendAll(): Promise<FlushResult> {
    const result = await this.#sendAttribution();
    return result === 'sent' ? this.#sendTransactions() : result;
  }

  async #sendAttribution(): Promise<FlushResult> {
    const { store, observer } = this.#parts;
    const { attribution } = store;
    if (!attribution || attribution.acknowledged) return 'sent';
    const reply = await this.#post('/api/v1/attribution', attribution.body);
    if (!reply) return 'unreachable';
    if (reply.status >= 300) this.#warn(reply, 'an attribution');
    if (isAboutContent(reply)) {
      // The app may report another one, for example in a newer version.
      store.refusedReports.attributions.push(attribution.body);
      store.attribution = null;
      return 'sent';
    }
    if (reply.status >= 300) return 'refused';
    attribution.acknowledged = true;
    observer.onAttribution();
    return 'sent';
  }

  async #sendTransactions(): Promise<FlushResult> {
    const { store, request, observer } = this.#parts;
    for (let size = request.settings.transactionsPerUpload; store.transactionIds.length > 0;) {
      const ids = store.transactionIds.slice(0, size);
      const report: StoreTransactionReport = { device: this.#device(), transactions: ids.map((id) => ({ id })) };
      const reply = await this.#post('/api/v1/tm/store', JSON.stringify(report));
      if (!reply) return 'unreachable';
      if (reply.status === 413 && ids.length > 1) size = ids.length >> 1;
      else if (reply.status < 300) {
        this.#forget(ids);
        observer.onTransactions(ids);
      } else {
        this.#warn(reply, 'transactions');
        if (!isAboutContent(reply)) return 'refused';
        this.#setAside(refusedOf(ids, reply.body));
      }
    }
    return 'sent';
  }

  #setAside(ids: string[]): void {
    this.#forget(ids);
    this.#parts.store.refusedReports.transactionIds.push(...ids);
  }

  /** Ids that the app reported during the request stay. */
  #forget(ids: string[]): void {
    const { store } = this.#parts;
    store.transactionIds = store.transactionIds.filter((id) => !ids.includes(id));
  }

  /** Null when no attempt brought a response below 500. */
  #post(path: string, body: string): Promise<Reply | null> {
    return sendUnsigned({ path, body }, this.#parts.request);
  }

  #warn({ status, body }: Reply, what: string): void {
    this.#parts.request.environment.warn(`the server refuses ${what}: ${status} ${body}`);
  }

  #device(): { id: string; external_id?: string } {
    const { deviceId, user } = this.#parts.store;
    return { id: deviceId, ...(user.id !== null && { external_id: user.id }) };
  }
}

/** The server never accepts the same bytes then, but it may accept later reports. */
function isAboutContent({ status }: Reply): boolean {
  return status === 413 || status === 422;
}

/** The ids that the response to a refused upload names. All ids when it names none: something else is wrong then. */
function refusedOf(ids: string[], body: string): string[] {
  const named = new Set([...body.matchAll(/"transactions\[(\d+)\]/g)].map(([, index]) => ids[Number(index)]));
  const refused = ids.filter((id) => named.has(id));
  return refused.length > 0 ? refused : ids;
}
