// Evaluates each recorded event, logs the show and performs the campaign's action: openapi.yaml, getCampaigns, "Evaluation".
import type { DeviceStore } from '../deviceStore.ts';
import type { SdkEnvironment } from '../environment.ts';
import type { SdkSettings } from '../settings.ts';
import { campaignResolved, campaignShown, type NewEvent, type Resolution } from '../systemEvents.ts';
import type { Campaign, SessionEvent } from '../wire.ts';
import { evaluate } from './evaluate.ts';
import { Presentation, type Presenter } from './presentation.ts';

export type Presenters = Readonly<Record<string, Presenter>>;

export interface RunnerParts {
  store: DeviceStore;
  settings: Pick<SdkSettings, 'actionDeadlineSeconds'>;
  environment: Pick<SdkEnvironment, 'after' | 'utcOffsetMinutes' | 'warn'>;
  presenters: Presenters;
  /** Unix milliseconds by the corrected clock. */
  now(): number;
  record(event: NewEvent): void;
}

/** The app's callback for the end of a blocking action. Without a callback the action is skipped. */
export type Continuation = () => void;

export class CampaignRunner {
  readonly #parts: RunnerParts;
  /** The unresolved blocking action of this process; null without one. */
  #presentation: Presentation | null = null;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Returns whether a blocking action has begun. It calls the continuation at its end. */
  handle(event: SessionEvent, sessionId: string, continuation: Continuation | null): boolean {
    const { store, environment, now, record } = this.#parts;
    const { campaign, shows } = evaluate({
      event,
      campaigns: store.configuration?.campaigns ?? [],
      device: store.deviceProperties,
      userProperties: store.user.properties,
      blockingUnresolved: this.#presentation !== null,
      shows: store.shows,
      now: now() / 1_000,
      utcOffsetSeconds: environment.utcOffsetMinutes() * 60,
      sessionId,
    });
    store.shows = shows;
    if (!campaign) return false;
    record(campaignShown(event.name, campaign.id));
    return campaign.action.blocking ? this.#present(campaign, continuation) : this.#pass(campaign.action);
  }

  /** Call it when the process ends. An unresolved action stays unresolved. */
  stop(): void {
    this.#presentation?.drop();
    this.#presentation = null;
  }

  #present({ id, action }: Campaign, continuation: Continuation | null): boolean {
    const { presenters, settings, environment, record } = this.#parts;
    const presenter = presenterOf(presenters, action);
    const skip = (result: 'SkippedNoPresenter' | 'SkippedNoContinuation'): false => {
      record(campaignResolved(id, { result }));
      return false;
    };
    if (!presenter) return skip('SkippedNoPresenter');
    if (!continuation) return skip('SkippedNoContinuation');
    const onResolved = (resolution: Resolution): void => {
      this.#presentation = null;
      record(campaignResolved(id, resolution));
      continuation();
    };
    const deadlineMillis = (action.deadlineSeconds ?? settings.actionDeadlineSeconds) * 1_000;
    this.#presentation = new Presentation({ presenter, action, deadlineMillis, after: environment.after, onResolved });
    this.#presentation.start();
    return true;
  }

  #pass(action: Campaign['action']): false {
    const { presenters, environment } = this.#parts;
    try {
      presenterOf(presenters, action)?.(action, () => {});
    } catch (error) {
      environment.warn(`the action ${action.type} failed: ${String(error)}`);
    }
    return false;
  }
}

function presenterOf(presenters: Presenters, { type }: Campaign['action']): Presenter | undefined {
  return Object.hasOwn(presenters, type) ? presenters[type] : undefined;
}
