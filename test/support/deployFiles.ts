// What the tests of deploy/ read of it: the manifests, the unit and its roles, the composition with the proxy, and the shares of each role.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';

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
  resources: { requests: { cpu: string; memory: string }; limits: { cpu?: string; memory: string } };
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
  volumes: { name: string; emptyDir: { sizeLimit?: string } }[];
}
export interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec: {
    selector?: unknown;
    strategy?: unknown;
    ports?: { name: string; targetPort: string }[];
    rules?: { http: { paths: IngressPath[] } }[];
    /** Of a NetworkPolicy. */
    podSelector?: { matchLabels: Record<string, string> };
    policyTypes?: string[];
    ingress?: { from?: unknown[]; ports: { protocol: string; port: number }[] }[];
    template: PodTemplate;
  };
}
interface IngressPath {
  path: string;
  pathType: string;
  backend: { service: { name: string; port: { name: string } } };
}
interface PodTemplate {
  metadata: { labels: Record<string, string> };
  spec: PodSpec;
}

export const read = (name: string) => readFileSync(projectFile(name), 'utf8');
export const documents = (name: string) =>
  parseAllDocuments(read(`deploy/kubernetes/${name}.yaml`)).map((each) => each.toJS() as Manifest);
export const [settings] = documents('settings');
const [ingest] = documents('ingest');
const [admin] = documents('admin');
const [worker] = documents('worker');
export const roles = ['ingest', 'admin', 'worker'] as const;
export type Role = (typeof roles)[number];
export const deployments = { ingest: ingest!, admin: admin!, worker: worker! };
export const specOf = ({ spec }: Manifest): PodSpec => spec.template.spec;
export const containerOf = (manifest: Manifest): Container => specOf(manifest).containers[0];
export const { version, scripts } = JSON.parse(read('package.json')) as {
  version: string;
  scripts: Record<string, string>;
};
export const image = `campaign-analytics-backend:${version}`;
export const secrets = {
  DATABASE_URL: `postgresql://service:${randomBytes(20).toString('hex')}@postgres:5432/service`,
  SMTP_URL: 'smtps://mail.example.com',
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  TOKEN_KEY: randomBytes(32).toString('base64'),
};
export const productionEnvironment = (own: Record<string, string> = {}) => ({
  NODE_ENV: 'production',
  ...settings!.data!,
  ...secrets,
  ...own,
});
export const unit = read('deploy/systemd/campaign-analytics@.service');
interface Composed {
  extends?: { file: string; service: string };
  profiles?: string[];
  environment: Record<string, string | number>;
  ports: string[];
  volumes?: string[];
  cpu_shares?: number;
  mem_limit?: string;
}
export const { services: composed } = parse(read('deploy/compose.proxy.yaml').replaceAll('!override ', '')) as {
  services: Record<string, Composed>;
};
/** Defaults of the settings in production, and the time that docs/operating/deploy.md, "Stop a process" adds. */
const { drainDelaySeconds, shutdownGraceSeconds } = readConfig(productionEnvironment());
export const drainSeconds = drainDelaySeconds;
export const shutdownSeconds = shutdownGraceSeconds + 25;

/** The last value of a setting in the unit and in the role's own file. */
export function unitOf(role: Role): (name: string) => string | undefined {
  const text = unit + read(`deploy/systemd/campaign-analytics@${role}.service.d/role.conf`);
  return (name) => [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].at(-1)?.[1];
}

/** What systemd sets, beside the file of settings that all instances share. */
export const unitEnvironment = (role: Role): Record<string, string> =>
  Object.fromEntries(
    unitOf(role)('Environment')!
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  );
