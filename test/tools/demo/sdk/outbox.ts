// Sends the waiting sessions batch by batch, and keeps each batch until a 2xx: openapi.yaml, "Retries".
// What a 422 names is taken out: openapi.yaml, "Take out what a 422 names".
import { cutIntoBatches, halve, limitsOf, type BatchLimits } from './batches.ts';
import { acknowledgeBatch, forgetFormerUsers, unsentSessions, type DeviceStore } from './deviceStore.ts';
import { fieldsOf } from './refusedPart.ts';
import { sessionReport } from './sessionReport.ts';
import type { SdkSettings } from './settings.ts';
import { setBatchAside, takeOut, type RefusedUpload } from './takeOut.ts';
import type { Delivery, Uploader, UploadStep } from './uploader.ts';
import { acknowledgeUser, mostProperties, type UserState } from './userState.ts';
import type { Session, SessionReport } from './wire.ts';

/**
 * `refused`: the server does not accept these keys or this client. Nothing is sent until the next start.
 * `held`: the server refuses a required field. That operation sends nothing until the next start.
 * `postponed`: a new signature did not cure a 403. The sessions wait for the next flush.
 */
export type FlushResult = 'sent' | 'unreachable' | 'refused' | 'held' | 'postponed';

export interface OutboxParts {
  store: DeviceStore;
  uploader: Uploader;
  settings: SdkSettings;
  /** Default: oldest first. Every order is right, because the server merges sessions. */
  orderBatches?: ((batches: Session[][]) => Session[][]) | undefined;
  environment: { warn(message: string): void };
  observer: { onUpload(step: UploadStep | 'halved' | 'taken_out'): void; onAcknowledged(batch: Session[]): void };
}

type Sent = Delivery & { upload: RefusedUpload };

export class Outbox {
  readonly #parts: OutboxParts;
  #held = false;
  /** Smaller after a 413, until everything that waits is sent: the next flush does not begin with the same 413. */
  #limits: BatchLimits;
  #mostProperties = mostProperties;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#limits = parts.settings;
  }

  /** The sessions of each user go before those of the next one: openapi.yaml, reportSessions, "Change of user". */
  async sendAll(): Promise<FlushResult> {
    const { store, settings } = this.#parts;
    if (this.#held) return 'held';
    for (const user of [...store.formerUsers, store.user]) {
      const result = await this.#sendAllOf(user);
      if (result !== 'sent') return result;
    }
    forgetFormerUsers(store);
    [this.#limits, this.#mostProperties] = [settings, mostProperties];
    return 'sent';
  }

  async #sendAllOf(user: UserState): Promise<FlushResult> {
    const { store, uploader, orderBatches = (batches) => batches } = this.#parts;
    const queue = orderBatches(cutIntoBatches(unsentSessions(store, user.number), this.#limits));
    for (let batch = queue.shift(); batch && !this.#held; batch = queue.shift()) {
      if (uploader.refused) return 'refused';
      const sent = await this.#send(batch, user);
      if (sent.kind === 'unreachable' || sent.kind === 'postponed') return sent.kind;
      if (sent.kind === 'too_large') queue.unshift(...this.#cutSmaller(batch, sent));
      else if (sent.kind === 'refused') queue.unshift(...this.#afterRefusal(sent));
    }
    if (uploader.refused) return 'refused';
    return this.#held ? 'held' : 'sent';
  }

  async #send(batch: Session[], user: UserState): Promise<Sent> {
    const { store, uploader, observer } = this.#parts;
    let report!: SessionReport;
    // Made for each batch, not once for the flush: the batch before has changed the delta.
    const delivery = await uploader.deliver(() => (report = sessionReport(store, user, batch, this.#mostProperties)));
    if (delivery.kind === 'acknowledged') {
      acknowledgeBatch(store, report.sessions);
      acknowledgeUser(user, report.user, delivery.timestamp);
      store.revisionHeard = delivery.revision ?? store.revisionHeard;
      observer.onAcknowledged(report.sessions);
    }
    return { ...delivery, upload: { store, user, report } };
  }

  #cutSmaller(batch: Session[], { upload }: Sent): Session[][] {
    const halves = halve(batch);
    const properties = upload.report.user.properties?.length ?? 0;
    if (!halves && properties === 0) {
      setBatchAside(upload, { path: '', message: 'one event alone is too large' });
      return [];
    }
    this.#parts.observer.onUpload('halved');
    if (halves) this.#limits = limitsOf(halves);
    else this.#mostProperties = properties >> 1;
    return halves ?? [batch];
  }

  /** A 422 concerns only this batch, and its rest is sent again. Every other refusal would meet the next batch too. */
  #afterRefusal({ upload, status, body }: Sent & { kind: 'refused' }): Session[][] {
    const { environment, observer } = this.#parts;
    if (status !== 422) {
      environment.warn(`the server refuses this client: ${status} ${body}`);
      return [];
    }
    const { sessions, held } = takeOut(fieldsOf(body), upload);
    observer.onUpload('taken_out');
    if (held) {
      environment.warn(`no sessions are sent until the next start: ${body}`);
      this.#held = true;
    }
    return sessions.length > 0 ? [sessions] : [];
  }
}
