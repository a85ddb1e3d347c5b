// What is sent beside sessions, each once: the attribution of this installation, and the ids of store transactions.
import type { DeviceStore } from './deviceStore.ts';
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
    store.attribution ??= { body: JSON.stringify(report), acknowledged: false };
  }

  addTransaction(id: string): void {
    const { transactionIds } = this.#parts.store;
    if (!transactionIds.includes(id)) transactionIds.push(id);
  }

  async sendAll(): Promise<FlushResult> {
    const result = await this.#sendAttribution();
    return result === 'sent' ? this.#sendTransactions() : result;
  }

  async #sendAttribution(): Promise<FlushResult> {
    const { store, observer } = this.#parts;
    const { attribution } = store;
    if (!attribution || attribution.acknowledged) return 'sent';
    const status = await this.#post('/api/v1/attribution', attribution.body);
    if (status === null) return 'unreachable';
    if (status >= 300) return 'refused';
    attribution.acknowledged = true;
    observer.onAttribution();
    return 'sent';
  }

  async #sendTransactions(): Promise<FlushResult> {
    const { store, request, observer } = this.#parts;
    for (let size = request.settings.transactionsPerUpload; store.transactionIds.length > 0;) {
      const ids = store.transactionIds.slice(0, size);
      const report: StoreTransactionReport = { device: this.#device(), transactions: ids.map((id) => ({ id })) };
      const status = await this.#post('/api/v1/tm/store', JSON.stringify(report));
      if (status === null) return 'unreachable';
      if (status === 413 && ids.length > 1) size = ids.length >> 1;
      else if (status >= 300) return 'refused';
      else {
        // Those reported while this upload was under way stay.
        store.transactionIds = store.transactionIds.filter((id) => !ids.includes(id));
        observer.onTransactions(ids);
      }
    }
    return 'sent';
  }

  /** The status, or null without an answer. */
  async #post(path: string, body: string): Promise<number | null> {
    const { request } = this.#parts;
    const reply = await sendUnsigned({ path, body }, request);
    if (reply && reply.status >= 300 && reply.status !== 413) {
      request.environment.warn(`the server refuses a report to ${path}: ${reply.status} ${reply.body}`);
    }
    return reply?.status ?? null;
  }

  #device(): { id: string; external_id?: string } {
    const { deviceId, user } = this.#parts.store;
    return { id: deviceId, ...(user.id !== null && { external_id: user.id }) };
  }
}
