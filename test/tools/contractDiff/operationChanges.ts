// Compares one operation of openapi.yaml: its parameters, its request body, its responses and its name.
import type { OpenAPIV3 } from 'openapi-types';
import { breaking, compatible, paired, same, type Change, type Sides } from './change.ts';
import { schemaChanges, type Direction, type Schema } from './schemaChanges.ts';

type Operation = OpenAPIV3.OperationObject;
type Response = OpenAPIV3.ResponseObject;

/** A parameter, a header, or a body in one media type. References are resolved. */
interface Holder {
  required?: boolean;
  schema?: unknown;
}
type Holders = Record<string, Holder> | undefined;

export function operationChanges(sides: Sides<Operation>): Change[] {
  const { at, was, is } = sides;
  const changes = [...parameterChanges(sides), ...bodyChanges(sides), ...responseChanges(sides)];
  // Generated clients name their functions after the operationId.
  if (was.operationId !== is.operationId) changes.push(breaking(at, `its operationId is ${is.operationId} now`));
  if (!same(was.security, is.security)) changes.push(breaking(at, 'its security was changed'));
  return changes;
}

function parameterChanges({ at, was, is }: Sides<Operation>): Change[] {
  const byPlace = ({ parameters = [] }: Operation): Holders =>
    Object.fromEntries((parameters as OpenAPIV3.ParameterObject[]).map((one) => [`${one.in} ${one.name}`, one]));
  return paired({ at, was: byPlace(was), is: byPlace(is) }).flatMap(({ at, was, is }) => {
    if (!is) return [breaking(at, 'was removed')];
    if (!was) return [is.required ? breaking(at, 'is new and required') : compatible(at, 'was added')];
    const needed = !was.required && is.required ? [breaking(at, 'is required now')] : [];
    return [...needed, ...valueChanges({ at, was, is }, 'request')];
  });
}

function bodyChanges({ at, was, is }: Sides<Operation>): Change[] {
  const place = `${at} request`;
  const [one, other] = [was.requestBody, is.requestBody] as (OpenAPIV3.RequestBodyObject | undefined)[];
  if (!one && !other) return [];
  if (!one || !other) return [breaking(place, one ? 'has no body any more' : 'has a body now')];
  const needed = !one.required && other.required ? [breaking(place, 'its body is required now')] : [];
  return [...needed, ...contentChanges({ at: place, was: one.content, is: other.content }, 'request')];
}

/** A client treats an unknown error by its class: openapi.yaml, "Versioning". It would misread an unknown success. */
function responseChanges({ at, was, is }: Sides<Operation>): Change[] {
  const results = { at, was: was.responses as Record<string, Response>, is: is.responses as Record<string, Response> };
  return paired(results).flatMap(({ name, at, was, is }) => {
    if (!is) return [breaking(at, 'the status was removed')];
    if (!was) return [Number(name) < 400 ? breaking(at, 'is a new success') : compatible(at, 'is a new error')];
    const headers = headerChanges({ at, was: was.headers as Holders, is: is.headers as Holders });
    return [...headers, ...contentChanges({ at, was: was.content, is: is.content }, 'response')];
  });
}

function headerChanges(headers: Sides<Holders>): Change[] {
  return paired(headers).flatMap(({ at, was, is }) => {
    if (!is) return [breaking(at, 'was removed')];
    if (!was) return [compatible(at, 'was added')];
    const optional = was.required && !is.required ? [breaking(at, 'is not always there any more')] : [];
    return [...optional, ...valueChanges({ at, was, is }, 'response')];
  });
}

function contentChanges(content: Sides<Holders>, direction: Direction): Change[] {
  return paired(content, () => content.at).flatMap(({ name, at, was, is }) => {
    if (!is) return [breaking(at, `${name} was removed`)];
    return was ? valueChanges({ at, was, is }, direction) : [compatible(at, `${name} was added`)];
  });
}

function valueChanges({ at, was, is }: Sides<Holder>, direction: Direction): Change[] {
  return schemaChanges({ at, was: was.schema as Schema, is: is.schema as Schema, direction });
}
