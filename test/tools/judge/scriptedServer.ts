// The scripted server: records every request, checks it as the service does, and responds as the script says.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { errorResponse, send, type PublicResponse } from '../../../src/http/responses.ts';
import { loadPublicContract, type PublicContract } from '../../../src/http/publicContract.ts';
import { operations } from '../../../src/http/publicOperations.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { projectFile } from '../../../src/platform/projectRoot.ts';
import { check, type Checked } from './checks.ts';
import type { JudgeClock } from './judgeClock.ts';
import { Recorder } from './recorder.ts';
import type { Loss, Recorded, Recording } from './recording.ts';
import { refusalOf } from './refusals.ts';
import { ScenePlayer, type ScenePosition } from './scenePlayer.ts';
import { script, type Act } from './scenes.ts';
import { ServedState } from './servedState.ts';

export interface JudgeOptions {
  key: { public: string; secret: string };
  clock: JudgeClock;
  /** Longer than the timeout of the SDK under test. */
  slowMillis: number;
  longWaitSeconds: number;
  onPosition?(position: ScenePosition): void;
  /** A refusal that the script did not ask for. */
  onRefusal?(refused: Recorded): void;
}

/** An SDK that heals itself needs fewer: five attempts of a flush, and two flushes a minute in a scene of 180 s. */
const mostRefusedInARow = 100;

/** Outside openapi.yaml: the harness asks here what to do next. */
const positionPath = '/judge';

export class ScriptedServer {
  readonly player: ScenePlayer;
  readonly #options: JudgeOptions;
  readonly #contract: PublicContract;
  readonly #recorder: Recorder;
  readonly #state: ServedState;
  #round = 0;
  #refusedInARow = 0;

  static async open(options: JudgeOptions): Promise<ScriptedServer> {
    return new ScriptedServer(options, await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations)));
  }

  private constructor(options: JudgeOptions, contract: PublicContract) {
    this.#options = options;
    this.#contract = contract;
    this.player = new ScenePlayer(script(options), () => options.clock.uptime());
    this.#state = new ServedState(options.clock);
    this.#recorder = new Recorder(options.clock);
  }

  get recording(): Recording {
    const { key } = this.#options;
    const complete = this.player.position.done && this.player.skipped.length === 0;
    return { publicKey: key.public, secretKey: key.secret, complete, requests: this.#recorder.requests };
  }

  /** The checks refuse upload after upload, so no more can be seen, and each may be a long one. */
  get isStuck(): boolean {
    return this.#refusedInARow >= mostRefusedInARow;
  }

  /** Also without a request: an SDK that holds its queue sends none. */
  skipOldScene(): void {
    if (this.player.skipOld()) this.#options.onPosition?.(this.player.position);
  }

  readonly listener: RequestListener = (request, response) => {
    this.skipOldScene();
    response.sendDate = false;
    response.setHeader('Date', new Date(this.#state.serverTime()).toUTCString());
    if (request.url === positionPath) {
      this.#round += 1;
      return send(response, { status: 200, body: { ...this.player.position } });
    }
    this.player.begin();
    const recorded = this.#recorder.open(request, {
      scene: this.player.position.scene,
      serverTime: this.#state.serverTime(),
      round: this.#round,
    });
    response.on('close', () => this.#recorder.close(recorded, response.writableFinished));
    this.#handle(recorded, request, response).catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      request.socket.destroy();
    });
  };

  async #handle(recorded: Recorded, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const operation = this.#contract.match(request.method!, request.url!);
    const bytes = await buffer(request);
    const body = bytes.toString('base64');
    recorded.body = body;
    if (!operation) return this.#send(recorded, response, errorResponse(new AppError('not_found', undefined)));
    recorded.operation = operation.id;
    const read = async (): Promise<Checked> => {
      const now = new Date(this.#state.serverTime());
      return check({ request, operation, bytes, key: this.#options.key, now });
    };
    let checked = await read();
    const act = checked.refusal ? serveIt : this.player.actFor(operation.id, checked.json);
    if (act.kind === 'clockBack') {
      this.#state.moveClockBack();
      recorded.serverTime = this.#state.serverTime();
      response.setHeader('Date', new Date(recorded.serverTime).toUTCString());
      checked = await read();
    }
    Object.assign(recorded, { signature: checked.signature, faults: checked.faults });
    this.#recorder.noteBody(recorded, { body, json: checked.json });
    if (operation.id === 'reportSessions') this.#refusedInARow = checked.refusal ? this.#refusedInARow + 1 : 0;
    if (!checked.refusal || act.kind === 'clockBack') this.#noteStep(recorded);
    await this.#perform(act, { recorded, request, response, bytes, refusal: checked.refusal });
    if (checked.refusal && act.kind !== 'clockBack') this.#options.onRefusal?.(recorded);
  }

  #noteStep({ operation, json }: Recorded): void {
    const before = this.player.position;
    this.player.note(operation!, json);
    const after = this.player.position;
    if (before.scene !== after.scene || before.action !== after.action) this.#options.onPosition?.(after);
  }

  async #perform(act: Act, call: Call): Promise<void> {
    const { recorded, request, response } = call;
    if (act.kind === 'fail') return this.#send(recorded, response, failure(act));
    const now = new Date(recorded.serverTime);
    const refusal =
      call.refusal ?? refusalOf(act, recorded.json, now) ?? this.#state.nonceRefusal(recorded, call.bytes);
    if (refusal) return this.#send(recorded, response, errorResponse(refusal));
    if (act.kind === 'newRevision') this.#state.changeRevision();
    const result = this.#state.serve(recorded, request, call.bytes);
    if (act.kind === 'slow') await pause(this.#options.slowMillis);
    if (act.kind === 'lose') return breakOff(call, result, 'lost');
    if (act.kind === 'cut') return breakOff(call, result, 'cut');
    this.#send(recorded, response, result);
  }

  #send(recorded: Recorded, response: ServerResponse, result: PublicResponse): void {
    recorded.response = { status: result.status, headers: { ...result.headers }, body: result.body ?? null };
    send(response, result);
  }
}

interface Call {
  recorded: Recorded;
  request: IncomingMessage;
  response: ServerResponse;
  bytes: Buffer;
  refusal: AppError | null;
}

const serveIt: Act = { kind: 'serve' };

function failure({ status, retryAfterSeconds }: Extract<Act, { kind: 'fail' }>): PublicResponse {
  if (status === 500) return errorResponse(null);
  const { body } = errorResponse(
    new AppError('unavailable', { retryAfterSeconds: retryAfterSeconds ?? 1 }),
  ) as Required<PublicResponse>;
  return { status, body, headers: retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) } };
}

/** A cut response is 200 with one byte of two. */
function breakOff({ recorded, request: { socket } }: Call, result: PublicResponse, loss: Loss): void {
  recorded.response = { status: result.status, headers: { ...result.headers }, body: null };
  recorded.loss = loss;
  if (loss === 'lost') socket.destroy();
  else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{', () => socket.destroy());
}
