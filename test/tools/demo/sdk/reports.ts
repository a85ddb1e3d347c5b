// Sends attribution and the ids of store transactions until they are acknowledged: openapi.yaml, "Idempotency".
// Refused reports are set aside: openapi.yaml, "What becomes of refused data".
import type { DeviceStore } from './deviceStore.ts';
import type { Reply } from './exchange.ts';
import type { FlushResult } from './outbox.ts';
import { fieldsOf, partOf, type RefusedPart } from './refusedPart.ts';
import { sendUnsigned, type RequestParts } from './unsignedRequest.ts';
import type { AttributionPayloads, AttributionReport, StoreTransactionReport } from './wire.ts';

export interface ReportsParts {
  store: DeviceStore;
  request: RequestParts;
  observer: { onAttribution(): void; onTransactions(ids: string[]): void };
}

export class Reports {
  readonly #parts: ReportsParts;
  /** The server refuses a required field: no transactions are sent until the next start. */
  #held = false;

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
    for (let size = request.settings.transactionsPerUpload; store.transactionIds.length > 0 && !this.#held;) {
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
        if (reply.status === 413) this.#setAside(ids);
        else this.#takeOut(ids, reply.body);
      }
    }
    return this.#held ? 'held' : 'sent';
  }

  /** The loop sends the rest again: openapi.yaml, "Take out what a 422 names". */
  #takeOut(ids: string[], body: string): void {
    const { store } = this.#parts;
    const parts = fieldsOf(body).map(({ path }) => partOf(path));
    const named = (part: RefusedPart): string[] => {
      if (part.kind === 'everything') return ids;
      return part.kind === 'transaction' ? ids.slice(part.index, part.index + 1) : [];
    };
    const refused = [...new Set(parts.flatMap(named))];
    // Without one in the request, the same request would get the same response for ever.
    const sentOne = this.#device().external_id !== undefined;
    const leavesOut = sentOne && parts.some((part) => part.kind === 'optional' && part.path === 'device.external_id');
    if (leavesOut) store.leftOut['device.external_id'] = store.user.id;
    this.#setAside(refused);
    this.#held = !leavesOut && refused.length === 0;
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
    const { deviceId, user, leftOut } = this.#parts.store;
    const isSent = user.id !== null && leftOut['device.external_id'] !== user.id;
    return { id: deviceId, ...(isSent && { external_id: user.id! }) };
  }
}

/** The server never accepts the same bytes then, but it may accept later reports. */
function isAboutContent({ status }: Reply): boolean {
  return status === 413 || status === 422;
}
