// Answers that are given together, once all that has come is read: each answer wakes its client, which then takes the core.

let waiting: (() => void)[] = [];

/** Before the event loop waits again, in the order asked. */
export function answerSoon(answer: () => void): void {
  if (waiting.push(answer) === 1) setImmediate(answerAll);
}

function answerAll(): void {
  const answers = waiting;
  waiting = [];
  for (const answer of answers) answer();
}
