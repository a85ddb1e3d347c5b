// The uploads of a bench: the same for the same seed and name, and different in every phase.
import { shapes } from '../bench/ingest/shapes.ts';
import { uploadSource } from '../bench/ingest/uploads.ts';

const shapeOf = (name: string) => shapes.find((shape) => shape.name === name)!;

function nonces(shape: string, name: string, count: number): string[] {
  const source = uploadSource(shapeOf(shape), { seed: 1, name });
  return Array.from({ length: count }, () => {
    source.next();
    return source.nonce();
  });
}

test('the same seed and name give the same uploads', () => {
  const uploads = () => uploadSource(shapeOf('1x10'), { seed: 3, name: 'again' });
  const [one, other] = [uploads(), uploads()];
  const ids = (source: typeof one) =>
    source.next().sessions.flatMap(({ id, events = [] }) => [id, ...events.map((event) => event.id)]);
  expect(ids(one)).toEqual(ids(other));
  expect(one.nonce()).toBe(other.nonce());
});

test('phases that met while ids and nonces came from a circle of 2³² numbers have none in common', () => {
  const first = new Set(nonces('1x1', '1x1-signed-4-1-lead-in', 17_000));
  const common = nonces('5x40', '5x40-signed-6-1', 700).filter((nonce) => first.has(nonce));
  expect(common).toEqual([]);
});
