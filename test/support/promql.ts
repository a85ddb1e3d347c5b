// Parses the part of PromQL that the alerts and the dashboard use, strictly: an unknown form is an error.

export interface Selector {
  name: string;
  labels: Record<string, string>;
  /** True inside a function that takes a range, where the selector has one. */
  range: boolean;
  /** The function around it, such as `rate`. */
  within: string | null;
}

interface Reader {
  next: () => string | undefined;
  take: (expected?: string) => string;
  is: (...tokens: string[]) => boolean;
}

const aggregations = ['sum', 'avg', 'min', 'max', 'count'];
const ofRanges = ['rate', 'increase', 'avg_over_time', 'min_over_time', 'max_over_time'];
const functions = [...ofRanges, 'absent', 'histogram_quantile'];
/** From the weakest to the strongest. */
const operators = [['or'], ['and', 'unless'], ['==', '!=', '<=', '>=', '<', '>'], ['+', '-'], ['*', '/']];
const tokenForm = /\s*("[^"]*"|\[\d+[smhd]\]|\d+(?:\.\d+)?|[a-zA-Z_:][a-zA-Z0-9_:]*|[=!<>]=|[-+*/()<>{}=,])/y;

/** All selectors of the expression. Throws where it is not PromQL, or takes a range where none belongs. */
export function selectorsOf(expression: string): Selector[] {
  const tokens = tokensOf(expression);
  let at = 0;
  const reader: Reader = {
    next: () => tokens[at],
    take(expected) {
      const token = tokens[at++];
      if (token === undefined || (expected !== undefined && token !== expected))
        throw new Error(`${expected ?? 'more'} expected, not ${token ?? 'the end'}: ${expression}`);
      return token;
    },
    is: (...wanted) => tokens[at] !== undefined && wanted.includes(tokens[at]!),
  };
  const found: Selector[] = [];
  binary(reader, found, 0);
  if (at < tokens.length) throw new Error(`the end expected, not ${tokens[at]!}: ${expression}`);
  return found;
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  tokenForm.lastIndex = 0;
  for (let end = 0; end < expression.trimEnd().length; end = tokenForm.lastIndex) {
    const token = tokenForm.exec(expression)?.[1];
    if (token === undefined) throw new Error(`no PromQL from character ${end}: ${expression}`);
    tokens.push(token);
  }
  return tokens;
}

function binary(reader: Reader, found: Selector[], level: number): void {
  if (level === operators.length) return operand(reader, found, null);
  binary(reader, found, level + 1);
  while (reader.is(...operators[level]!)) {
    reader.take();
    binary(reader, found, level + 1);
  }
}

function operand(reader: Reader, found: Selector[], within: string | null): void {
  const token = reader.take();
  if (token === '(') {
    binary(reader, found, 0);
    reader.take(')');
  } else if (aggregations.includes(token)) {
    if (reader.is('by')) labelNames(reader);
    reader.take('(');
    binary(reader, found, 0);
    reader.take(')');
    if (reader.is('by')) labelNames(reader);
  } else if (functions.includes(token)) {
    call(reader, found, token);
  } else if (/^[a-z_]/.test(token)) {
    found.push(selector(reader, token, within));
  } else if (!/^\d/.test(token)) throw new Error(`no operand: ${token}`);
}

function call(reader: Reader, found: Selector[], name: string): void {
  reader.take('(');
  if (name === 'histogram_quantile') {
    if (!/^0?\.?\d/.test(reader.take())) throw new Error('histogram_quantile takes a number first');
    reader.take(',');
  }
  if (ofRanges.includes(name)) operand(reader, found, name);
  else binary(reader, found, 0);
  reader.take(')');
}

function labelNames(reader: Reader): void {
  reader.take('by');
  reader.take('(');
  do if (!/^[a-z_]+$/.test(reader.take())) throw new Error('no name of a label');
  while (reader.is(',') && reader.take());
  reader.take(')');
}

function selector(reader: Reader, name: string, within: string | null): Selector {
  const labels: Record<string, string> = {};
  if (reader.is('{')) {
    do {
      reader.take();
      const label = reader.take();
      reader.take('=');
      labels[label] = JSON.parse(reader.take()) as string;
    } while (reader.is(','));
    reader.take('}');
  }
  const range = /^\[/.test(reader.next() ?? '');
  if (range) reader.take();
  if (range !== (within !== null && ofRanges.includes(within)))
    throw new Error(`${name} ${range ? 'must have no range' : 'needs a range'} in ${within ?? 'an expression'}`);
  return { name, labels, range, within };
}
