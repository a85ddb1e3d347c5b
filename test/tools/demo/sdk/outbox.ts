// Sends the waiting sessions batch by batch, and keeps each batch until a 2xx: openapi.yaml, "Retries".
// Refused batches are kept or set aside: openapi.yaml, "What becomes of refused data".
import { cutIntoBatches, halve } from './batches.ts';
import { acknowledgeBatch, setBatchAside, unsentSessions, type DeviceStore } from './deviceStore.ts';
import type { SdkSettings } from './settings.ts';
import type { Delivery, Uploader, UploadStep } from './uploader.ts';
import { acknowledgeUser, userReport } from './userState.ts';
import type { Session } from './wire.ts';

/** `refused`: the server does not accept these keys or this client. The outbox sends nothing until the next start. */
export type FlushResult = 'sent' | 'unreachable' | 'refused';

export interface OutboxParts {
  store: DeviceStore;
  uploader: Uploader;
  settings: SdkSettings;
  /** Default: oldest first. Every order is right, because the server merges sessions. */
  orderBatches?: ((batches: Session[][]) => Session[][]) | undefined;
  environment: { warn(message: string): void };
  observer: { onUpload(step: UploadStep | 'halved'): void; onAcknowledged(batch: Session[]): void };
}

export class Outbox {
  readonly #parts: OutboxParts;
  #refused = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  async sendAll(): Promise<FlushResult> {
    const { store, settings, orderBatches = (batches) => batches } = this.#parts;
    const queue = orderBatches(cutIntoBatches(unsentSessions(store), settings));
    for (let batch = queue.shift(); batch && !this.#refused; batch = queue.shift()) {
      const delivery = await this.#send(batch);
      if (delivery.kind === 'unreachable') return 'unreachable';
      if (delivery.kind === 'too_large') queue.unshift(...this.#cutSmaller(batch));
      else if (delivery.kind === 'refused') this.#handleRefusal(batch, delivery);
    }
    return this.#refused ? 'refused' : 'sent';
  }

  async #send(batch: Session[]): Promise<Delivery> {
    const { store, uploader, observer } = this.#parts;
    // Made for each batch, not once for the flush: the batch before has changed the delta.
    const user = userReport(store.user, batch);
    const device = { id: store.deviceId, properties: store.deviceProperties };
    const delivery = await uploader.deliver({ user, device, sessions: batch });
    if (delivery.kind === 'acknowledged') {
      acknowledgeBatch(store, batch);
      acknowledgeUser(store.user, user, delivery.timestamp);
      store.revisionHeard = delivery.revision ?? store.revisionHeard;
      observer.onAcknowledged(batch);
    }
    return delivery;
  }

  #cutSmaller(batch: Session[]): Session[][] {
    const halves = halve(batch);
    if (halves) this.#parts.observer.onUpload('halved');
    else this.#setAside(batch, 'one event alone is too large');
    return halves ?? [];
  }

  /** A 422 concerns only this batch. Every other refusal would meet the next batch too. */
  #handleRefusal(batch: Session[], { status, body }: Delivery & { kind: 'refused' }): void {
    if (status === 422) return this.#setAside(batch, body);
    this.#parts.environment.warn(`the server refuses this client: ${status} ${body}`);
    this.#refused = true;
  }

  #setAside(batch: Session[], reason: string): void {
    this.#parts.environment.warn(`a batch was refused for its content: ${reason}`);
    setBatchAside(this.#parts.store, batch);
  }
}
