// Refuses a further object where a place has as many as it may have (schema.graphql, "Numbers of objects").
import { AppError } from './errors.ts';

interface Room {
  /** Those that are there. */
  count: number;
  most: number;
  /** The argument that names the place. */
  path: string;
  /** In the plural. */
  objects: string;
}

/** Throws `validation_failed`. Where the transaction holds the place, many at once never go beyond `most`. */
export function assertRoom({ count, most, path, objects }: Room): void {
  if (count < most) return;
  throw new AppError('validation_failed', { fields: [{ path, message: `has ${most} ${objects} already` }] });
}
