// Reads quicktype's Swift and Kotlin models back from their text: this environment has no compiler of either language.

/** A type's fields by their names on the wire, each with its type as written: `String?` may be absent or null. */
export type Fields = Record<string, string>;

export interface Models {
  types: Record<string, Fields>;
  /** The values on the wire. */
  enums: Record<string, string[]>;
  /** The kinds of value that a union holds, as names of `case` or class. */
  unions: Record<string, string[]>;
}

export function readSwift(text: string): Models {
  const models: Models = { types: {}, enums: {}, unions: {} };
  for (const { kind, name, body } of declarations(text, /^public (struct|enum) (\w+).* \{$/)) {
    if (kind === 'struct') models.types[name] = swiftFields(body);
    else if (/^ {4}case \w+ = "/m.test(body)) models.enums[name] = all(body, /^ {4}case \w+ = "(.*)"$/gm);
    else models.unions[name] = all(body, /^ {4}case \w+\((.*)\)$/gm);
  }
  return models;
}

function swiftFields(body: string): Fields {
  const onWire = new Map(pairs(body, /^ {8}case (\w+) = "(.*)"$/gm));
  return Object.fromEntries(
    pairs(body, /^ {4}public let (\w+): (.*)$/gm).map(([name, type]) => [onWire.get(name) ?? name, type]),
  );
}

export function readKotlin(text: string): Models {
  const models: Models = { types: {}, enums: {}, unions: {} };
  for (const { kind, name, body } of declarations(text, /^(data class|class|enum class|sealed class) (\w+).*[({]$/)) {
    if (kind === 'data class') models.types[name] = kotlinFields(body);
    else if (kind === 'enum class') models.enums[name] = all(body, /^ {4}\w+\("(.*)"\)[,;]$/gm);
    else if (kind === 'sealed class') models.unions[name] = all(body, /^ {4}class \w+\(val value: (.*)\) +: /gm);
  }
  return models;
}

function kotlinFields(body: string): Fields {
  const fields = [...body.matchAll(/^ {4}((?:@.*\n {4})?)val (\w+): (.*?)(?: = null)?,?$/gm)];
  return Object.fromEntries(
    fields.map(([, annotations, name, type]) => [/JsonProperty\("(.*?)"/.exec(annotations!)?.[1] ?? name!, type!]),
  );
}

/** The top-level declarations, each up to the line that ends it. */
function declarations(text: string, opening: RegExp): { kind: string; name: string; body: string }[] {
  return text.split(/^(?=\w)/m).flatMap((block) => {
    const [, kind, name] = opening.exec(block.split('\n', 1)[0]!) ?? [];
    return kind === undefined ? [] : [{ kind, name: name!, body: block }];
  });
}

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found]) => found!);
}

function pairs(text: string, pattern: RegExp): [string, string][] {
  return [...text.matchAll(pattern)].map(([, first, second]) => [first!, second!]);
}
