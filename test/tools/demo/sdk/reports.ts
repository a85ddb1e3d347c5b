// What is sent beside sessions, each once: attribution and the ids of store transactions. What is refused for its content is set aside.
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

  /** Of the calls of one installation the first counts. */
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
      // Another one may be reported in its place, by a newer version of the app, say.
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

  /** Those reported while an upload was under way stay. */
  #forget(ids: string[]): void {
    const { store } = this.#parts;
    store.transactionIds = store.transactionIds.filter((id) => !ids.includes(id));
  }

  /** Null without an answer. */
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

/** The same bytes will never be accepted, but what comes after them may be. */
function isAboutContent({ status }: Reply): boolean {
  return status === 413 || status === 422;
}

/** Of a refused upload the ids that the answer names, all where it names none: something else is wrong with it then. */
function refusedOf(ids: string[], body: string): string[] {
  const named = new Set([...body.matchAll(/"transactions\[(\d+)\]/g)].map(([, index]) => ids[Number(index)]));
  const refused = ids.filter((id) => named.has(id));
  return refused.length > 0 ? refused : ids;
}
