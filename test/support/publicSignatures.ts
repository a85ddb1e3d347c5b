// Compiles a generator's output, and searches everything that it exports for an `any`.
import path from 'node:path';
import ts from 'typescript';

export interface SignatureCheck {
  /** The compiler's errors in the whole project. */
  errors: string[];
  /** The place of each `any` as a way from an export: `sdk.ts reportSessions() → response`. Each type is visited once. */
  anys: string[];
  /** The number of types visited, so that a test notices an empty search. */
  seen: number;
}

/** Checks the exports of some files of the project with this tsconfig. */
export function checkSignatures(tsconfig: string, files: string[]): SignatureCheck {
  const { config } = ts.readConfigFile(tsconfig, ts.sys.readFile) as { config: unknown };
  const folder = path.dirname(tsconfig);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const program = ts.createProgram({ rootNames: fileNames, options });
  const errors = ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
  const walk = new Walk(program);
  for (const file of files) walk.exportsOf(file, path.join(folder, file));
  return { errors, anys: walk.anys, seen: walk.seen.size };
}

class Walk {
  readonly anys: string[] = [];
  readonly seen = new Set<ts.Type>();
  private readonly program: ts.Program;
  private readonly checker: ts.TypeChecker;

  constructor(program: ts.Program) {
    this.program = program;
    this.checker = program.getTypeChecker();
  }

  exportsOf(name: string, file: string): void {
    const source = this.program.getSourceFile(file);
    const module = source && this.checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} is no module of the project`);
    for (const found of this.checker.getExportsOfModule(module)) {
      const symbol = found.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(found) : found;
      const way = `${name} ${found.name}`;
      if (symbol.flags & ts.SymbolFlags.Type) this.look(this.checker.getDeclaredTypeOfSymbol(symbol), way);
      if (symbol.flags & ts.SymbolFlags.Value) this.look(this.checker.getTypeOfSymbol(symbol), way);
    }
  }

  private look(type: ts.Type, way: string): void {
    if (type.flags & ts.TypeFlags.Any) this.anys.push(way);
    if (this.seen.has(type)) return;
    this.seen.add(type);
    const parts = [...this.typeArguments(type)];
    if (type.isUnionOrIntersection()) parts.push(...type.types);
    for (const part of parts) this.look(part, way);
    if (type.flags & ts.TypeFlags.Conditional) this.branches(type as ts.ConditionalType, way);
    if (!(type.flags & ts.TypeFlags.Object) || this.isForeign(type)) return;
    for (const { type: value } of this.checker.getIndexInfosOfType(type)) this.look(value, `${way}[]`);
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) this.call(signature, way);
    for (const property of this.checker.getPropertiesOfType(type)) {
      this.look(this.checker.getTypeOfSymbol(property), `${way} → ${property.name}`);
    }
  }

  private call(signature: ts.Signature, way: string): void {
    for (const parameter of signature.getParameters()) {
      this.look(this.checker.getTypeOfSymbol(parameter), `${way}(${parameter.name})`);
    }
    this.look(signature.getReturnType(), `${way}()`);
  }

  /** A conditional type is decided by its type parameter: both outcomes count. */
  private branches({ root }: ts.ConditionalType, way: string): void {
    for (const node of [root.node.trueType, root.node.falseType])
      this.look(this.checker.getTypeFromTypeNode(node), way);
  }

  private typeArguments(type: ts.Type): readonly ts.Type[] {
    const reference =
      type.flags & ts.TypeFlags.Object && (type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference;
    return reference ? this.checker.getTypeArguments(type as ts.TypeReference) : [];
  }

  /** True for types of the platform such as `Promise` and `Request`: no generator wrote them. */
  private isForeign(type: ts.Type): boolean {
    if (this.checker.isTupleType(type)) return true;
    const { symbol } = type;
    // `Record` and the like belong to the platform too; their members do not.
    if (!symbol || !(symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class))) return false;
    return (symbol.declarations ?? []).some((declaration) => {
      const file = declaration.getSourceFile();
      if (this.program.isSourceFileDefaultLibrary(file)) return true;
      return /\/node_modules\/(@types|undici-types|graphql)\//.test(file.fileName);
    });
  }
}
