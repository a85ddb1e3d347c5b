// One service under a fault: a steady load and a prober send through a ledger, and every response is timed and judged.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { RandomSource } from '../../tools/demo/simulation/randomSource.ts';
import { createContractCheck } from '../../support/contractClient.ts';
import type { TestApplication } from '../../support/testWorkspace.ts';
import { slack } from './form.ts';
import { Ledger, type Account, type Reply, type Transport } from './ledger.ts';
import { ReportSource } from './reportSource.ts';
import { uploadTo } from './transports.ts';

export interface TrialOptions {
  databaseUrl: string;
  application: TestApplication;
  /** The service's address, called for each upload. */
  url: () => string;
  /** Replaces plain HTTP to `url`. */
  transport?: Transport;
  /** Set when the process or the network itself fails: then a missing response is no problem. */
  mayBeCut?: boolean;
  campaignIds?: string[];
}

export interface Findings extends Account {
  /** Null when no steady load could have noticed an outage. */
  longestOutageMillis: number | null;
  responses: Record<string, number>;
}

type Send = () => Promise<Reply | null>;

const respondWithinMillis = 5_500 * slack;
const backWithinMillis = 5_000 * slack;
const probeEveryMillis = 100;

export class Trial {
  readonly ledger: Ledger;
  readonly source: ReportSource;
  readonly transport: Transport;
  readonly #options: TrialOptions;
  readonly #random: RandomSource;
  readonly #check: Awaited<ReturnType<typeof createContractCheck>>;
  readonly #lag = monitorEventLoopDelay();
  readonly #running: Promise<void>[] = [];
  readonly #responses: Record<string, number> = {};
  readonly #problems = new Map<string, number>();
  #over = false;
  #probed = false;
  #lastSuccess = { sentAt: 0, at: Date.now() };
  #longestOutageMillis = 0;

  constructor(options: TrialOptions, random: RandomSource, check: Awaited<ReturnType<typeof createContractCheck>>) {
    this.#options = options;
    this.#random = random;
    this.#check = check;
    this.ledger = new Ledger(options.application, random);
    this.source = new ReportSource(random, options.campaignIds);
    this.transport = this.watched(options.transport ?? uploadTo(options.url));
    this.#lag.enable();
  }

  /**
   * Each sender sends one upload after the other, and pauses like an SDK after an upload without a 200. Beside them a
   * prober measures outages.
   */
  load(senders: number, pauseMillis = 5): void {
    this.#probe();
    const sendOn = async (): Promise<void> => {
      while (!this.#over) {
        const reply = await this.send();
        await pause(reply?.status === 200 ? this.#random.between(0, 2 * pauseMillis) : 200);
      }
    };
    for (let sender = 0; sender < senders; sender++) this.#running.push(sendOn());
  }

  /** Ten uploads a second, without waiting for earlier ones. */
  #probe(): void {
    this.#probed = true;
    this.#lastSuccess.at = Date.now();
    const probing = async (): Promise<void> => {
      const sent: Promise<unknown>[] = [];
      for (; !this.#over; await pause(probeEveryMillis)) sent.push(this.send());
      await Promise.all(sent);
    };
    this.#running.push(probing());
  }

  /** Most uploads are those of an SDK, one at a time of each device. Of the others, several of a device may be under way. */
  readonly send: Send = async () => {
    if (this.#random.chance(0.25)) return this.ledger.send(this.source.next(), this.transport);
    const { report, acknowledged } = this.source.nextInTurn();
    const reply = await this.ledger.send(report, this.transport);
    if (reply?.status === 200) acknowledged();
    return reply;
  };

  /** Times and judges the responses of a transport, which may be a test's own. */
  watched(transport: Transport): Transport {
    return async (upload) => {
      const sentAt = Date.now();
      try {
        const reply = await transport(upload);
        this.#judge(reply, sentAt);
        return reply;
      } catch (error) {
        this.#count('none');
        const reason = reasonOf(error);
        if (!this.#options.mayBeCut) this.#note(`no response after ${Date.now() - sentAt} ms: ${reason}`);
        throw error;
      }
    };
  }

  /** Resolves with the first 200 to an upload sent after this call: the fault is over. */
  async recovered(withinMillis = backWithinMillis): Promise<void> {
    const from = Date.now();
    while (this.#lastSuccess.sentAt < from) {
      if (Date.now() - from > 180_000)
        throw new Error('no upload was acknowledged within three minutes after recovery');
      await pause(10);
    }
    const took = this.#lastSuccess.at - from - this.#ownLagMillis();
    if (took > withinMillis) this.#note(`the first 200 came ${took} ms after recovery`);
  }

  /** Resolves after 50 acknowledged uploads in a row: each connection of the service may notice a cut only at its next use. */
  async wellAgain(): Promise<void> {
    for (let inRow = 0; inRow < 50; inRow += 1) {
      if ((await this.send())?.status !== 200) inRow = 0;
    }
  }

  /** Resolves once an upload is not acknowledged: the fault has an effect. */
  async refused(): Promise<void> {
    const acknowledged = (): number => this.#responses['200'] ?? 0;
    const others = (): number => Object.values(this.#responses).reduce((sum, count) => sum + count, 0) - acknowledged();
    const [before, from] = [others(), Date.now()];
    while (others() === before) {
      if (Date.now() - from > 60_000) throw new Error('every upload of a minute was acknowledged under the fault');
      await pause(10);
    }
  }

  /** Stops the load, and compares the ledger with the database. */
  async finish(): Promise<Findings> {
    await this.stop();
    const account = await this.ledger.settle(this.#options.databaseUrl, this.transport);
    const problems = [...this.#problems].map(([text, times]) =>
      times > 1 ? `${text} (and ${times - 1} like it)` : text,
    );
    const longestOutageMillis = this.#probed ? this.#longestOutageMillis : null;
    return {
      ...account,
      problems: [...problems, ...account.problems],
      longestOutageMillis,
      responses: this.#responses,
    };
  }

  async stop(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#running);
    this.#lag.disable();
  }

  #judge(reply: Reply, sentAt: number): void {
    const at = Date.now();
    this.#count(String(reply.status));
    try {
      this.#check('reportSessions', reply);
    } catch (error) {
      this.#note(reasonOf(error));
    }
    if (reply.status === 200) {
      // Uploads repeated after the load do not count for the outage.
      if (!this.#over) this.#longestOutageMillis = Math.max(this.#longestOutageMillis, at - this.#lastSuccess.at);
      if (sentAt > this.#lastSuccess.sentAt) this.#lastSuccess = { sentAt, at };
      else this.#lastSuccess.at = at;
      return;
    }
    const took = at - sentAt - this.#ownLagMillis();
    if (took > respondWithinMillis) this.#note(`${reply.status} after ${took} ms`);
    if (reply.status !== 503) this.#note(`${reply.status} ${JSON.stringify(reply.body)}`);
    else if (!(Number(reply.headers['retry-after']) > 0)) this.#note('503 without Retry-After');
  }

  #count(response: string): void {
    this.#responses[response] = (this.#responses[response] ?? 0) + 1;
  }

  /** Problems that differ only in their numbers count as one. */
  #note(problem: string): void {
    const alike = [...this.#problems.keys()].find(
      (each) => each.replace(/\d+ ms/, '') === problem.replace(/\d+ ms/, ''),
    );
    this.#problems.set(alike ?? problem, (this.#problems.get(alike ?? problem) ?? 0) + 1);
  }

  /** The longest delay of this process itself, on a machine that others use too. */
  #ownLagMillis(): number {
    return this.#lag.max / 1e6;
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ?? message ?? 'unknown';
}

export async function startTrial(options: TrialOptions, random: RandomSource): Promise<Trial> {
  return new Trial(options, random, await createContractCheck());
}
