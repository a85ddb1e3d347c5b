// Says what a run waits for: a hang would last until CI ends it, and nothing would name the file.
import { execFileSync } from 'node:child_process';

const minute = 60_000;
/** A file of minutes is named once in a while; the longest takes eight. */
const saidAfter = 10 * minute;
/** `.ci/run` alone ends here: the long form of a fault test may take longer. */
const endedAfter = 30 * minute;
/** The end of the projects takes seconds. */
const openAfter = 3 * minute;

export default class StuckReporter {
  #running = new Set();
  #changedAt = Date.now();
  #saidAt = 0;
  #timer;

  onRunStart() {
    this.#timer = setInterval(() => this.#look(), minute / 2).unref();
  }

  onTestFileStart({ path }) {
    this.#running.add(path);
    this.#changedAt = Date.now();
  }

  onTestFileResult({ path }) {
    this.#running.delete(path);
    this.#changedAt = Date.now();
  }

  /** Jest waits for everything that is still open. The result stays, unless the end of a project is what does not end. */
  onRunComplete() {
    clearInterval(this.#timer);
    setTimeout(() => {
      say(`all tests have run, and this process is still open: ${process.getActiveResourcesInfo().join(', ')}`);
      process.exit(globalThis.testRun?.isEnding ? 1 : process.exitCode);
    }, openAfter).unref();
  }

  #look() {
    const silent = Date.now() - this.#changedAt;
    if (silent < saidAfter || Date.now() - this.#saidAt < saidAfter) return;
    this.#saidAt = Date.now();
    say(`for ${Math.round(silent / minute)} minutes no test file has ended; running: ${[...this.#running].join(', ')}`);
    if (silent < endedAfter || !process.env.TEST_COUNTS) return;
    say(execFileSync('ps', ['-N', '--ppid', '2', '-o', 'pid,ppid,etime,time,args'], { encoding: 'utf8' }));
    process.exit(1);
  }
}

function say(text) {
  process.stderr.write(`${text}\n`);
}
