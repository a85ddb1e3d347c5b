// Sends responses together after all received requests are read: each response wakes its client, which then uses the core.

let waiting: (() => void)[] = [];

/** Runs before the event loop waits again, in the order of the calls. */
export function answerSoon(answer: () => void): void {
  if (waiting.push(answer) === 1) setImmediate(answerAll);
}

function answerAll(): void {
  const answers = waiting;
  waiting = [];
  for (const answer of answers) answer();
}
