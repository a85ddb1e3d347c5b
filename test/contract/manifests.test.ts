// Checks the manifests, the unit and the composition of deploy/ without a platform: programs, settings, probes, drain and rights.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { schemaSettings } from '../../src/programs/runProgram.ts';

interface Container {
  name: string;
  image: string;
  command?: string[];
  env?: { name: string; value: string; valueFrom?: unknown }[];
  envFrom?: unknown[];
  ports?: { name: string; containerPort: number }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe & { timeoutSeconds: number };
  resources: { requests: { memory: string }; limits: { memory: string } };
  securityContext: object;
  volumeMounts: { name: string; mountPath: string }[];
}
interface Probe {
  httpGet: { path: string; port: string };
}
interface PodSpec {
  restartPolicy?: string;
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds: number;
  securityContext: object;
  containers: [Container];
  volumes: { name: string; emptyDir: object }[];
}
interface Manifest {
  kind: string;
  data?: Record<string, string>;
  spec: { selector?: unknown; strategy?: unknown; ports?: { targetPort: string }[]; template: PodTemplate };
}
interface PodTemplate {
  metadata: { labels: Record<string, string> };
  spec: PodSpec;
}

const read = (name: string) => readFileSync(projectFile(name), 'utf8');
const documents = (name: string) =>
  parseAllDocuments(read(`deploy/kubernetes/${name}.yaml`)).map((each) => each.toJS() as Manifest);
const [settings] = documents('settings');
const [migrate] = documents('migrate');
const [api, publicService] = documents('api');
const [worker] = documents('worker');
const specOf = ({ spec }: Manifest): PodSpec => spec.template.spec;
const containerOf = (manifest: Manifest): Container => specOf(manifest).containers[0];
const { version, scripts } = JSON.parse(read('package.json')) as { version: string; scripts: Record<string, string> };
const image = `campaign-analytics-backend:${version}`;
const secrets = {
  DATABASE_URL: `postgresql://service:${randomBytes(20).toString('hex')}@postgres:5432/service`,
  SMTP_URL: 'smtps://mail.example.com',
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  TOKEN_KEY: randomBytes(32).toString('base64'),
};
const productionEnvironment = (own: Record<string, string> = {}) => ({
  NODE_ENV: 'production',
  ...settings!.data!,
  ...secrets,
  ...own,
});
/** Defaults of the settings in production, and the time that docs/operating/deploy.md, "Stop a process" adds. */
const { drainDelaySeconds: drainSeconds, shutdownGraceSeconds } = readConfig(productionEnvironment());
const shutdownSeconds = shutdownGraceSeconds + 25;

describe('Kubernetes', () => {
  test.each([
    ['api', api!],
    ['worker', worker!],
  ])('%s starts in production with the settings and secrets that the files name', (role, manifest) => {
    const own = Object.fromEntries(containerOf(manifest).env!.map(({ name, value }) => [name, value]));
    expect(readConfig(productionEnvironment(own))).toMatchObject({ production: true, role });
    for (const name of Object.keys(secrets)) expect(read('deploy/kubernetes/settings.yaml')).toContain(`${name}=`);
    for (const name of Object.keys({ ...settings!.data!, ...own }))
      expect(read('.env.example')).toMatch(new RegExp(`^${name}=`, 'm'));
  });

  test.each([migrate!, api!, worker!])('each pod runs the image of this release without rights: %#', (manifest) => {
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
  });

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

  test.each([api!, worker!])('probes ask the private listener, and labels agree: %#', (manifest) => {
    const { startupProbe, livenessProbe, readinessProbe, ports } = containerOf(manifest);
    for (const probe of [startupProbe, livenessProbe]) expect(probe.httpGet).toEqual({ path: '/livez', port: 'ops' });
    expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'ops' });
    expect(readinessProbe.timeoutSeconds).toBeGreaterThan(4);
    expect(ports!.find(({ name }) => name === 'ops')!.containerPort).toBe(8081);
    expect(manifest.spec.selector).toEqual({ matchLabels: manifest.spec.template.metadata.labels });
  });

  test('a pod drains, and has the time for its shutdown', () => {
    expect(specOf(api!).terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drainSeconds + shutdownSeconds);
    expect(specOf(worker!).terminationGracePeriodSeconds).toBeGreaterThanOrEqual(shutdownSeconds);
    expect(api!.spec.strategy).toEqual({ rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
  });

  test('only the public listener is a service, and the copy for analytics has a folder', () => {
    expect(publicService!.kind).toBe('Service');
    expect(publicService!.spec.ports!.map(({ targetPort }) => targetPort)).toEqual(['public']);
    expect(containerOf(api!).volumeMounts).toContainEqual({ name: 'analytics', mountPath: '/var/lib/analytics' });
  });
});

test('a process has the memory that it needs under attack, and an alert before it has none left', () => {
  const page = read('docs/operating/deploy.md');
  const needed = 1_024 + readConfig(productionEnvironment()).analyticsMemoryMib;
  expect(page).toContain(`${needed / 1_024} GiB`);
  expect(containerOf(api!).resources.limits.memory).toBe(`${needed}Mi`);
  expect(containerOf(worker!).resources.limits.memory).toBe('1Gi');
  expect(read('deploy/systemd/campaign-analytics.service')).toContain(`\nMemoryMax=${needed}M\n`);
  const { services } = parse(read('compose.yaml'), { merge: true }) as { services: { service: { mem_limit: string } } };
  expect(services.service.mem_limit).toBe(`${needed}m`);
  const bytes = Number(/process_resident_memory_bytes > (\d+)/.exec(read('deploy/alerts.yaml'))![1]);
  const peak = Number(/^\| peak \| \d+ \| (\d+) \|$/m.exec(page)![1]);
  expect(bytes).toBeGreaterThan(peak * 1_048_576);
  expect(bytes).toBeLessThan(needed * 1_048_576);
});

describe('systemd', () => {
  const unit = read('deploy/systemd/campaign-analytics.service');
  const valueOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

  test('the unit starts what npm start starts, and gives it the time for its shutdown', () => {
    expect(valueOf('ExecStart')).toBe(`/usr/bin/${scripts['start']!.split('exec ')[1]!}`);
    expect(Number(valueOf('TimeoutStopSec'))).toBeGreaterThanOrEqual(drainSeconds + shutdownSeconds);
    expect(valueOf('KillSignal')).toBe('SIGTERM');
    expect(valueOf('Environment')).toContain('NODE_ENV=production');
  });

  test('the process has no rights, and writes to its own folder alone', () => {
    for (const line of ['DynamicUser=yes', 'ProtectSystem=strict', 'NoNewPrivileges=yes', 'CapabilityBoundingSet='])
      expect(unit.split('\n')).toContain(line);
    expect(valueOf('Environment')).toContain(`ANALYTICS_DIR=/var/lib/${valueOf('StateDirectory')!}`);
  });
});

test('the composition with the proxy sets what haproxy.cfg reads, and leaves no way past it', () => {
  interface Part {
    environment: Record<string, string | number>;
    ports: string[];
    volumes: string[];
  }
  const text = read('deploy/compose.proxy.yaml').replace('!override ', '');
  const { service, proxy } = (parse(text) as { services: { service: Part; proxy: Part } }).services;
  const asked = [...read('deploy/haproxy.cfg').matchAll(/"\$\{(\w+)-/g)].map(([, name]) => name!);
  expect(Object.keys(proxy.environment).sort()).toEqual([...new Set(asked)].sort());
  expect(service.ports).toEqual(['127.0.0.1:8081:8081']);
  expect(service.environment['TRUSTED_PROXIES']).toBe(1);
  expect(proxy.environment['SERVICE_ADDRESS']).toBe('service:8080');
  expect(proxy.ports).toEqual(['443:8443']);
  expect(proxy.volumes[0]).toMatch(/^\.\/deploy\/haproxy\.cfg:/);
});
