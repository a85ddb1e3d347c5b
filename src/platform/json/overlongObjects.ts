// Finds objects of a body that are longer than they may be stored: those that are kept as their text (openapi.yaml, "Limits").
import type { FieldError } from '../errors.ts';
import { fieldPath } from './fieldPath.ts';
import { objectTexts } from './objectTexts.ts';
import type { Schema } from './schema.ts';

/** Made once for each schema. `bytes` are those of the whole text: a short body needs no further look. */
export function compileOverlongObjects(schema: Schema): (text: string, bytes: number) => FieldError[] {
  const limits = limitsOf(schema);
  const paths = limits.map(({ path }) => path);
  const least = Math.min(...limits.map(({ most }) => most));
  return (text, bytes) => {
    if (bytes <= least) return [];
    const texts = objectTexts(text, paths);
    return limits.flatMap(({ path, most }) => {
      const found = texts.get(path) ?? '';
      if (isEmpty.test(found) || Buffer.byteLength(found) <= most) return [];
      return [{ path, message: `must have at most ${most.toLocaleString('en')} bytes of JSON text in UTF-8` }];
    });
  };
}

/** Without a member nothing is stored, however much white space there is. */
const isEmpty = /^\{\s*\}$/;

interface Limit {
  path: string;
  most: number;
}

function limitsOf(schema: Schema, at: string[] = []): Limit[] {
  const most = schema['x-max-stored-bytes'];
  const own = most === undefined ? [] : [{ path: fieldPath(at), most }];
  const members = Object.entries(schema.properties ?? {});
  return [...own, ...members.flatMap(([name, member]) => limitsOf(member, [...at, name]))];
}
