// Checks the manifests of deploy/kubernetes without a cluster: programs, roles, settings, probes, paths, drain and rights.
import { readConfig } from '../../src/config.ts';
import { schemaSettings } from '../../src/programs/runProgram.ts';
import {
  containerOf,
  deployments,
  documents,
  drainSeconds,
  image,
  productionEnvironment,
  read,
  roles,
  scripts,
  secrets,
  settings,
  shutdownSeconds,
  specOf,
  type Manifest,
} from '../support/deployFiles.ts';

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
