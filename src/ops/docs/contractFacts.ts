// The facts that the overview page repeats of the two contracts, read from them, so that the page cannot contradict them.
import { buildSchema, isEnumType } from 'graphql';
import type { OpenAPIV3 } from 'openapi-types';

export interface PublicOperationFact {
  method: string;
  path: string;
  operationId: string;
  /** The first tag: the reference lists the operation below it. */
  tag: string;
  summary: string;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

export function listOperations({ paths }: OpenAPIV3.Document): PublicOperationFact[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const { operationId = '', summary = '', tags: [tag = 'default'] = [] } = item?.[method] ?? {};
      return operationId ? [{ method: method.toUpperCase(), path, operationId, tag, summary }] : [];
    }),
  );
}

/** The rows, without the head, of the first table below a heading of Markdown. Throws when there is none. */
export function tableBelow(markdown: string, heading: string): string[][] {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => line.trim() === heading);
  const first = start < 0 ? -1 : lines.findIndex((line, index) => index > start && line.startsWith('|'));
  if (first < 0) throw new Error(`the contract has no table below "${heading}"`);
  const end = lines.findIndex((line, index) => index > first && !line.startsWith('|'));
  const rows = lines.slice(first + 2, end < 0 ? undefined : end);
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

export interface ErrorCodeFact {
  code: string;
  /** The first paragraph of its description, as Markdown. */
  meaning: string;
}

/** The codes of the admin API, in the order of the contract. */
export function listErrorCodes(sdl: string): ErrorCodeFact[] {
  const codes = buildSchema(sdl).getType('ErrorCode');
  if (!isEnumType(codes)) throw new Error('the contract has no enum ErrorCode');
  return codes.getValues().map(({ name, description }) => {
    const [paragraph = ''] = (description ?? '').split(/\n\s*\n/);
    return { code: name, meaning: paragraph.replaceAll(/\s+/g, ' ').trim() };
  });
}
