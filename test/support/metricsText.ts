// Parses the text of /metrics (Prometheus' exposition format) strictly: an unknown form is an error.

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface MetricFamily {
  name: string;
  help: string;
  type: string;
  samples: Sample[];
}

const sampleForm = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;

export function readMetrics(text: string): Map<string, MetricFamily> {
  const families = new Map<string, MetricFamily>();
  let current: MetricFamily | undefined;
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, keyword, name, rest] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      if (families.has(name!)) throw new Error(`${name} is there twice`);
      families.set(name!, (current = { name: name!, help: rest!, type: '', samples: [] }));
    } else if (keyword === 'TYPE') {
      if (current?.name !== name) throw new Error(`TYPE without HELP: ${line}`);
      current!.type = rest!;
    } else {
      const sample = readSample(line);
      if (!current || !sample.name.startsWith(current.name)) throw new Error(`a sample outside its family: ${line}`);
      current.samples.push(sample);
    }
  }
  return families;
}

function readSample(line: string): Sample {
  const [, name, labels = '', value] = sampleForm.exec(line) ?? [];
  if (name === undefined) throw new Error(`no line of the format: ${line}`);
  const pairs = [...labels.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/g)];
  return { name, labels: Object.fromEntries(pairs.map(([, key, text]) => [key!, text!])), value: Number(value) };
}

/** The value of one sample, 0 if there is none. */
export function valueOf(
  families: Map<string, MetricFamily>,
  name: string,
  labels: Record<string, string> = {},
): number {
  const wanted = Object.entries(labels);
  const samples = [...families.values()].flatMap((family) => family.samples);
  const found = samples.filter(
    (sample) => sample.name === name && wanted.every(([key, text]) => sample.labels[key] === text),
  );
  return found.reduce((sum, { value }) => sum + value, 0);
}

/** The problems that `promtool check metrics` would report about the service's own metrics. */
export function lintMetrics(families: Iterable<MetricFamily>): string[] {
  return [...families].flatMap((family) => problemsOf(family).map((problem) => `${family.name}: ${problem}`));
}

const baseUnits = ['seconds', 'bytes', 'ratio', 'celsius', 'meters'];
const otherUnits = /_(milliseconds|millis|ms|minutes|hours|days|kilobytes|megabytes|kb|mb|percent)(_|$)/;
const ownSuffix = /_(count|sum|bucket)$/;

function problemsOf({ name, help, type, samples }: MetricFamily): string[] {
  const problems: string[] = [];
  const say = (wrong: boolean, problem: string): void => void (wrong && problems.push(problem));
  const counts = type === 'counter';
  say(help.length < 10 || !/[.?!]$/.test(help), 'HELP is missing or no sentence');
  say(!['counter', 'gauge', 'histogram'].includes(type), `TYPE is "${type}"`);
  say(!/^[a-z][a-z0-9_]*$/.test(name) || name.includes('__'), 'the name is not in snake_case');
  say(counts !== name.endsWith('_total'), 'exactly counters end in _total');
  say(ownSuffix.test(name) || /_(counter|gauge|histogram)(_|$)/.test(name), 'the name says a type');
  say(otherUnits.test(name), 'the unit is no base unit');
  const unit = baseUnits.find((each) => new RegExp(`_${each}(_|$)`).test(name));
  say(unit !== undefined && !name.replace(/_total$/, '').endsWith(unit), 'the unit is not at the end');
  say(counts && samples.some(({ value }) => value < 0), 'a counter is negative');
  const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
  say(
    [...labels].some((label) => !/^[a-z][a-z0-9_]*$/.test(label)),
    'a label is not in snake_case',
  );
  say(type !== 'histogram' && ['le', 'quantile'].some((label) => labels.has(label)), 'a label is reserved');
  return problems;
}
