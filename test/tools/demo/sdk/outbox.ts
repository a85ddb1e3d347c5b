// Sends the waiting sessions batch by batch, and keeps each batch until a 2xx: openapi.yaml, "Retries".
// What a 422 names is taken out: openapi.yaml, "Take out what a 422 names".
import { cutIntoBatches, halve } from './batches.ts';
import { acknowledgeBatch, forgetFormerUsers, unsentSessions, type DeviceStore } from './deviceStore.ts';
import { fieldsOf } from './refusedPart.ts';
import { sessionReport } from './sessionReport.ts';
import type { SdkSettings } from './settings.ts';
import { setBatchAside, takeOut, type RefusedUpload } from './takeOut.ts';
import type { Delivery, Uploader, UploadStep } from './uploader.ts';
import { acknowledgeUser, type UserState } from './userState.ts';
import type { Session, SessionReport } from './wire.ts';

/**
 * `refused`: the server does not accept these keys or this client. Nothing is sent until the next start.
 * `held`: the server refuses a required field of the device. No sessions are sent until the next start.
 */
export type FlushResult = 'sent' | 'unreachable' | 'refused' | 'held';

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
  #stopped: 'refused' | 'held' | null = null;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Each user's sessions go with that user, and before those of the next one: openapi.yaml, "Change of user". */
  async sendAll(): Promise<FlushResult> {
    const { store } = this.#parts;
    for (const user of [...store.formerUsers, store.user]) {
      const result = await this.#sendAllOf(user);
      if (result !== 'sent') return result;
    }
    forgetFormerUsers(store);
    return 'sent';
  }

  async #sendAllOf(user: UserState): Promise<FlushResult> {
    const { store, settings, orderBatches = (batches) => batches } = this.#parts;
    const queue = orderBatches(cutIntoBatches(unsentSessions(store, user.number), settings));
    for (let batch = queue.shift(); batch && !this.#stopped; batch = queue.shift()) {
      const sent = await this.#send(batch, user);
      if (sent.kind === 'unreachable') return 'unreachable';
      if (sent.kind === 'too_large') queue.unshift(...this.#cutSmaller(batch, sent));
      else if (sent.kind === 'refused') queue.unshift(...this.#afterRefusal(sent));
    }
    return this.#stopped ?? 'sent';
  }

  async #send(batch: Session[], user: UserState): Promise<Sent> {
    const { store, uploader, observer } = this.#parts;
    let report!: SessionReport;
    // Made for each batch, not once for the flush: the batch before has changed the delta.
    const delivery = await uploader.deliver(() => (report = sessionReport(store, user, batch)));
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
    if (halves) this.#parts.observer.onUpload('halved');
    else setBatchAside(upload, { path: '', message: 'one event alone is too large' });
    return halves ?? [];
  }

  /** A 422 concerns only this batch, and its rest is sent again. Every other refusal would meet the next batch too. */
  #afterRefusal({ upload, status, body }: Sent & { kind: 'refused' }): Session[][] {
    const { environment, observer } = this.#parts;
    if (status !== 422) {
      environment.warn(`the server refuses this client: ${status} ${body}`);
      this.#stopped = 'refused';
      return [];
    }
    const { sessions, held } = takeOut(fieldsOf(body), upload);
    observer.onUpload('taken_out');
    if (held) {
      environment.warn(`no sessions are sent until the next start: ${body}`);
      this.#stopped = 'held';
    }
    return sessions.length > 0 ? [sessions] : [];
  }
}
