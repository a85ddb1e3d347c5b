// Compares deploy/alerts.yaml with its page, and both it and deploy/dashboard.json with the served metrics.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { readMetrics } from '../support/metricsText.ts';
import { selectorsOf } from '../support/promql.ts';

interface Rule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

interface Panel {
  id: number;
  title: string;
  datasource: { uid: string };
  gridPos: { x: number; y: number };
  targets: { expr: string; legendFormat: string }[];
}

const alertsFile = projectFile('deploy/alerts.yaml');
const { groups } = parse(readFileSync(alertsFile, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync(projectFile('deploy/dashboard.json'), 'utf8')) as {
  panels: Panel[];
  templating: { list: { name: string; type: string }[] };
};
const queries = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const));

test('the file has the alerts of the page, in its words', () => {
  const page = readFileSync(projectFile('docs/operating/metrics-and-alerts.md'), 'utf8');
  const rows = [...page.matchAll(/^\| ([A-Z]\w+) \| `([^`]+)` \| ([^|]+) \|/gm)];
  const listed = rows.map(([, alert, expr, summary]) => ({ alert, expr, summary: summary!.trim() }));
  expect(rules.map(({ alert, expr, annotations: { summary } }) => ({ alert, expr, summary }))).toEqual(listed);
});

test('each operation of openapi.yaml has an alert for its 503 and 500', () => {
  const operations = [...readFileSync(projectFile('openapi.yaml'), 'utf8').matchAll(/operationId: (\w+)/g)];
  const silent = operations
    .map(([, operation]) => operation!)
    // Its outcomes have a metric of their own.
    .filter((operation) => operation !== 'reportSessions')
    .filter((operation) =>
      ['500', '503'].some((status) => {
        const named = `http_requests_total{operation="${operation}",status="${status}"}`;
        return !rules.some(({ expr }) => expr.includes(named));
      }),
    );
  expect(silent).toEqual([]);
});

test('each rule waits before it fires, and has a severity and a page to read', () => {
  for (const rule of rules) {
    expect(rule.for).toMatch(/^[1-9]\d*m$/);
    expect(['page', 'ticket']).toContain(rule.labels.severity);
    expect(rule.annotations.runbook).toBe('docs/operating/metrics-and-alerts.md#alerts');
  }
});

test.each([...rules.map(({ alert, expr }) => [alert, expr] as const), ...queries])(
  '%s: PromQL, and metrics that are served: %s',
  async (_, expression) => {
    const metrics = createMetrics();
    metrics.observePool({ totalCount: 0, idleCount: 0, waitingCount: 0 });
    metrics.observeQueue(() => 0);
    const families = readMetrics(await metrics.registry.metrics());
    const selectors = selectorsOf(expression);
    expect(selectors).not.toEqual([]);
    for (const { name, within } of selectors.filter(({ name }) => name !== 'up')) {
      const type = families.get(name.replace(/_bucket$/, ''))?.type;
      expect([name, type]).toEqual([name, expect.any(String)]);
      expect([name, name.endsWith('_bucket')]).toEqual([name, type === 'histogram']);
      const grows = type === 'counter' || type === 'histogram';
      if (within === 'rate' || within === 'increase') expect([name, grows]).toEqual([name, true]);
    }
  },
);

test('a process without a copy for analytics says nothing of one, so that no alert takes it for a late copy', async () => {
  const metrics = createMetrics();
  const samples = async (name: string) => readMetrics(await metrics.registry.metrics()).get(name)!.samples;
  const [lag, progress] = ['analytics_copy_lag_seconds', 'analytics_copy_progress'] as const;
  expect([await samples(lag), await samples(progress)]).toEqual([[], []]);
  metrics.copyProgressed(0.5);
  expect([await samples(lag), await samples(progress)]).toEqual([[], [expect.objectContaining({ value: 0.5 })]]);
  metrics.copyFollowed(Date.now());
  expect(await samples(lag)).toHaveLength(1);
  metrics.copyFollowed(null);
  expect(await samples(lag)).toEqual([]);
});

test('the dashboard asks the data source that is chosen in it, and no panel covers another', () => {
  expect(dashboard.templating.list).toMatchObject([{ name: 'datasource', type: 'datasource' }]);
  for (const { datasource } of dashboard.panels) expect(datasource.uid).toBe('${datasource}');
  const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x},${y}`);
  expect(new Set(places).size).toBe(places.length);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(places.length);
});

const promtool = spawnSync('promtool', ['--version']).status === 0;
(promtool ? test : test.skip)('promtool accepts the file', () => {
  const { status, stderr } = spawnSync('promtool', ['check', 'rules', alertsFile], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
