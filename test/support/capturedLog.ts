// Collects the log at its most detailed level in memory, together with everything that is written to the console meanwhile.
import { createLog, type Log } from '../../src/platform/observability/log.ts';

export interface CapturedLog {
  log: Log;
  text(): string;
  stop(): void;
}

const methods = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const;

export function captureLog(): CapturedLog {
  const lines: string[] = [];
  const originals = methods.map((name) => [name, console[name]] as const);
  for (const name of methods) console[name] = (...words: unknown[]) => void lines.push(words.map(String).join(' '));
  return {
    log: createLog('trace', { write: (line: string) => void lines.push(line) }),
    text: () => lines.join('\n'),
    stop: () => originals.forEach(([name, original]) => (console[name] = original)),
  };
}
