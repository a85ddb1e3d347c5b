// Prints the progress of the run as one line: rewritten in a terminal, repeated every 3 s elsewhere.
import type { Tally } from './tally.ts';

/** The returned function stops it. */
export function showProgress(tally: Tally, devices: number, output: NodeJS.WriteStream): () => void {
  const draw = (): void => {
    const line = progressLine(tally, devices);
    output.write(output.isTTY ? `\r\x1b[2K${line.slice(0, (output.columns ?? 80) - 1)}` : `${line}\n`);
  };
  const timer = setInterval(draw, output.isTTY ? 200 : 3_000);
  return () => {
    clearInterval(timer);
    draw();
    if (output.isTTY) output.write('\n');
  };
}

export function progressLine(tally: Tally, devices: number): string {
  const away = tally.awayForMillis();
  const parts = [
    `${tally.devicesDone}/${devices} devices done`,
    `${tally.acknowledgedUploads} uploads acknowledged`,
    `${tally.events} events recorded`,
    `${tally.steps.retried} retries`,
  ];
  if (away !== null && away > 1_000) parts.push(`no success for ${Math.round(away / 1_000)} s`);
  return parts.join(' · ');
}
