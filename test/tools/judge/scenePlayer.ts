// Walks through the script, one request after the other, and skips a scene that takes too long.
import type { OperationId } from '../../../src/http/publicOperations.ts';
import type { SessionReport } from './recording.ts';
import type { Act, Action, Scene, Step } from './scenes.ts';

export interface ScenePosition {
  scene: string;
  action: Action;
  /** True after the last scene: the app under test may end. */
  done: boolean;
}

/** Longer than the longest wait between two attempts of one scene. */
const sceneMillis = 180_000;

export class ScenePlayer {
  readonly skipped: string[] = [];
  readonly #scenes: Scene[];
  readonly #uptime: () => number;
  #scene = 0;
  #step = 0;
  #since: number | null = null;

  constructor(scenes: Scene[], uptime: () => number) {
    this.#scenes = scenes;
    this.#uptime = uptime;
  }

  get position(): ScenePosition {
    const scene = this.#scenes[this.#scene];
    if (!scene) return { scene: 'all played', action: 'record', done: true };
    return { scene: scene.name, action: scene.steps[this.#step]!.action, done: false };
  }

  /** The act for this request, without moving on. */
  actFor(operation: OperationId, body: unknown): Act {
    const step = this.#stepFor(operation);
    return step?.fits(body as SessionReport) ? step.act : { kind: 'serve' };
  }

  /** Moves on when this request was the one that the step waits for. */
  note(operation: OperationId, body: unknown): void {
    if (!this.#stepFor(operation)?.fits(body as SessionReport)) return;
    this.#step += 1;
    if (this.#step === this.#scenes[this.#scene]!.steps.length) this.#next();
    this.#since = this.#uptime();
  }

  /** Call it for every request, also for one that the checks refuse. */
  begin(): void {
    this.#since ??= this.#uptime();
  }

  #stepFor(operation: OperationId): Step | undefined {
    const scene = this.#scenes[this.#scene];
    return scene?.operation === operation ? scene.steps[this.#step] : undefined;
  }

  /**
   * Returns whether it has left a scene. Call it often: an SDK that is stuck sends nothing, or nothing that moves the
   * script on. The time of the first scene begins with the first request, because the app under test may start late.
   */
  skipOld(): boolean {
    if (this.#since === null || this.#uptime() - this.#since < sceneMillis || this.position.done) return false;
    this.skipped.push(this.position.scene);
    this.#next();
    this.#since = this.#uptime();
    return true;
  }

  /** The scenes from the present one on, which a run that ends now does not play. */
  get left(): string[] {
    return this.#scenes.slice(this.#scene).map(({ name }) => name);
  }

  #next(): void {
    this.#scene += 1;
    this.#step = 0;
  }
}
