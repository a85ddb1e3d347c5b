// Answers that are given together, once all that has come is read: each answer wakes its client, which then takes the core.
import type { ServerResponse } from 'node:http';

/** Kept on the response, as the id is on the request: a set of them would cost each collection of garbage a look. */
const isSoon = Symbol('is answered soon');
let waiting: (() => void)[] = [];

/** Before the event loop waits again. Until then nothing else may answer. */
export function answerSoon(response: ServerResponse & { [isSoon]?: true }, answer: () => void): void {
  response[isSoon] = true;
  if (waiting.push(answer) === 1) setImmediate(answerAll);
}

/** Such a response need not be remembered as unanswered. */
export function isAnsweredSoon(response: ServerResponse & { [isSoon]?: true }): boolean {
  return response[isSoon] === true;
}

function answerAll(): void {
  const answers = waiting;
  waiting = [];
  for (const answer of answers) answer();
}
