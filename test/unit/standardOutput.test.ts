// A blocked standard output loses log lines but never stops the service.
import { standardOutput } from '../../src/platform/observability/standardOutput.ts';

/** Accepts `room` bytes, then fails as the operating system does. */
function outlet() {
  const taken: Buffer[] = [];
  const state = { room: Infinity, code: 'ENOSPC' };
  const write = (bytes: Buffer): number => {
    if (state.room === 0) throw Object.assign(new Error('no room'), { code: state.code });
    const part = bytes.subarray(0, Math.min(bytes.length, state.room));
    state.room -= part.length;
    taken.push(Buffer.from(part));
    return part.length;
  };
  return { state, sink: standardOutput(write), text: () => Buffer.concat(taken).toString() };
}

test.each(['ENOSPC', 'EPIPE', 'EAGAIN'])('%s costs lines, and the next one that gets through says how many', (code) => {
  const { state, sink, text } = outlet();
  state.code = code;
  sink.write('{"one":1}\n');
  state.room = 0;
  sink.write('{"two":2}\n');
  sink.write('{"three":3}\n');
  state.room = Infinity;
  sink.write('{"four":4}\n');
  const lines = text().split('\n');
  expect(lines.map((line) => line && (JSON.parse(line) as object))).toEqual([
    { one: 1 },
    { level: 'warn', time: expect.any(String) as string, lines: 2, msg: 'log lines were lost' },
    { four: 4 },
    '',
  ]);
});

test('a line that was taken in part ends before the next one begins', () => {
  const { state, sink, text } = outlet();
  state.room = 4;
  sink.write('{"one":1}\n');
  state.room = Infinity;
  sink.write('{"two":2}\n');
  const [torn, loss, two] = text().split('\n');
  expect([torn, JSON.parse(loss!), two]).toEqual(['{"on', expect.objectContaining({ lines: 1 }), '{"two":2}']);
});

test('a reader that is a little behind costs no line', () => {
  const taken: string[] = [];
  let behind = 3;
  const sink = standardOutput((bytes) => {
    if (behind-- > 0) throw Object.assign(new Error('try again'), { code: 'EAGAIN' });
    taken.push(bytes.toString());
    return bytes.length;
  });
  sink.write('{"one":1}\n');
  expect(taken).toEqual(['{"one":1}\n']);
});

test('characters of several bytes are whole where the outlet takes them in pieces', () => {
  const taken: Buffer[] = [];
  const sink = standardOutput((bytes) => {
    taken.push(Buffer.from(bytes.subarray(0, 1)));
    return 1;
  });
  sink.write('🚀é\n');
  expect(Buffer.concat(taken).toString()).toBe('🚀é\n');
});
