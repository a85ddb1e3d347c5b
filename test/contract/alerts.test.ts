// Compares docs/operating/metrics-and-alerts.md with the served metrics: an alert on a missing metric would never fire, unnoticed.
import { readFileSync } from 'node:fs';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { readMetrics, type MetricFamily } from '../support/metricsText.ts';

const document = readFileSync(projectFile('docs/operating/metrics-and-alerts.md'), 'utf8');
const rows = document
  .slice(document.indexOf('## Alerts'))
  .split('\n')
  .filter((line) => /^\| [A-Z]\w+ +\| `/.test(line))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
const alerts = rows.map(([, name, expression, meaning, first]) => ({
  name: name!,
  expression: expression!.slice(1, -1),
  meaning: meaning!,
  first: first!,
}));

/** Words of PromQL that are not metrics. */
const language =
  /^(sum|avg|min|max|count|by|and|or|unless|on|le|rate|increase|absent|histogram_quantile|(avg|min|max)_over_time)$/;

function metricsOf(expression: string): { name: string; labels: Record<string, string> }[] {
  const plain = expression.replace(/\[\d+[smhd]\]/g, '').replace(/by \([^)]*\)/g, '');
  return [...plain.matchAll(/\b([a-z][a-z0-9_]*)(?:\{([^}]*)\})?/g)]
    .filter(([, name], index, all) => !language.test(name!) && !/"[^"]*$/.test(plain.slice(0, all[index]!.index)))
    .map(([, name, labels = '']) => ({
      name: name!,
      labels: Object.fromEntries(
        [...labels.matchAll(/(\w+)=~?"([^"]*)"/g)].map(([, label, value]) => [label!, value!]),
      ),
    }));
}

/** The metrics of a process that has just started. */
async function servedFamilies(): Promise<Map<string, MetricFamily>> {
  const metrics = createMetrics();
  metrics.observePool({ totalCount: 0, idleCount: 0, waitingCount: 0 });
  metrics.observeQueue(() => 0);
  return readMetrics(await metrics.registry.metrics());
}

/** Prometheus itself adds `up` for each process that it scrapes. */
async function served(): Promise<Map<string, string>> {
  return new Map([...(await servedFamilies())].map(([name, { type }]) => [name, type] as const)).set('up', 'gauge');
}

test('the table is read, and each alert says what it means and what to do first', () => {
  expect(alerts.length).toBeGreaterThan(20);
  for (const { name, meaning, first } of alerts)
    expect([name, meaning !== '', first !== '']).toEqual([name, true, true]);
  expect(new Set(alerts.map(({ name }) => name)).size).toBe(alerts.length);
});

test.each(alerts.map(({ name, expression }) => [name, expression]))(
  '%s names metrics that are served',
  async (_, expression) => {
    const types = await served();
    const named = metricsOf(expression);
    expect(named.length).toBeGreaterThan(0);
    for (const { name } of named) {
      const family = name.replace(/_bucket$/, '');
      expect([name, types.has(family)]).toEqual([name, true]);
      expect([name, name !== family]).toEqual([name, types.get(family) === 'histogram']);
    }
  },
);

test.each(alerts.map(({ name, expression }) => [name, expression]))(
  '%s takes rates of counters only',
  async (_, expression) => {
    const types = await served();
    for (const [, name] of expression.matchAll(/(?:rate|increase)\(([a-z0-9_]+)/g)) {
      expect([name, ['counter', 'histogram'].includes(types.get(name!.replace(/_bucket$/, ''))!)]).toEqual([
        name,
        true,
      ]);
    }
  },
);

test.each(alerts.map(({ name, expression }) => [name, expression]))(
  '%s can be copied from the file as it is, and sees the first increase',
  async (_, expression) => {
    // Inside a table, Markdown would need \| for PromQL's |.
    expect(expression).not.toContain('\\');
    // The names of tasks are not known in advance.
    if (expression.includes('by (task)')) return;
    const families = await servedFamilies();
    for (const [, counter] of expression.matchAll(/(?:rate|increase)\(([a-z0-9_]+\{[^}]*\})/g)) {
      const [named] = metricsOf(counter!);
      const labelled = families.get(named!.name)!.samples.map(({ labels }) => labels);
      expect(labelled).toContainEqual(expect.objectContaining(named!.labels));
    }
  },
);

test('an alert on a metric that is not served would be found', async () => {
  expect(metricsOf('sum(rate(ingest_lost_total{a="b"}[5m])) > 0')).toEqual([
    { name: 'ingest_lost_total', labels: { a: 'b' } },
  ]);
  expect((await served()).has('ingest_lost_total')).toBe(false);
});
