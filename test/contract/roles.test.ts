// Checks the roles in deploy/: their weights and memory wherever they run, the units of systemd, and the composition with the proxy.
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';
import {
  composed,
  containerOf,
  deployments,
  drainSeconds,
  productionEnvironment,
  read,
  roles,
  scripts,
  shutdownSeconds,
  unit,
  unitEnvironment,
  unitOf,
  type Role,
} from '../support/deployFiles.ts';

/** What a role has in each of the ways to run it. */
interface Share {
  cpuWeight: number;
  cpuShares: number;
  cpuRequestMillis: number;
  memoryMib: number[];
}

function shareOf(role: Role): Share {
  const { requests, limits } = containerOf(deployments[role]).resources;
  expect([role, limits.cpu]).toEqual([role, undefined]);
  const { cpu_shares: cpuShares, mem_limit: memory } = composed[role]!;
  const mibOf = (text: string) => parseInt(text, 10) * (text.endsWith('Gi') ? 1_024 : 1);
  return {
    cpuWeight: Number(unitOf(role)('CPUWeight')),
    cpuShares: cpuShares!,
    cpuRequestMillis: requests.cpu.endsWith('m') ? parseInt(requests.cpu, 10) : Number(requests.cpu) * 1_000,
    memoryMib: [mibOf(limits.memory), mibOf(unitOf(role)('MemoryMax')!), mibOf(memory!)],
  };
}

test('the roles have the same weights in systemd, in compose and in Kubernetes, and on the page', () => {
  const [most, ...others] = roles.map(shareOf);
  const [ofAdmin, ofWorker] = others.map((share) => [
    most!.cpuWeight / share.cpuWeight,
    most!.cpuShares / share.cpuShares,
    most!.cpuRequestMillis / share.cpuRequestMillis,
  ]);
  for (const times of ofAdmin!) expect(times).toBeCloseTo(5, 1);
  for (const times of ofWorker!) expect(times).toBeCloseTo(10, 1);
  const page = read('docs/operating/processes.md');
  for (const role of roles) {
    const { cpuWeight, cpuShares } = shareOf(role);
    const { cpu } = containerOf(deployments[role]).resources.requests;
    expect(page).toContain(`\n| \`${role}\` | ${cpuWeight} | ${cpuShares} | ${cpu} |\n`);
  }
});

test('a process has the memory that it needs under attack, and an alert before it has none left', () => {
  const page = read('docs/operating/deploy.md');
  const copyMib = readConfig(productionEnvironment()).analyticsMemoryMib;
  const needed = 1_024 + copyMib;
  expect(page).toContain(`${needed / 1_024} GiB`);
  for (const role of roles) {
    const { analytics } = readConfig(productionEnvironment({ ROLE: role }));
    const mib = analytics === 'embedded' ? needed : 1_024;
    expect([role, shareOf(role).memoryMib]).toEqual([role, [mib, mib, mib]]);
    expect(highOf(role)).toBeLessThan(mib);
  }
  const { services } = parse(read('compose.yaml'), { merge: true }) as { services: { service: { mem_limit: string } } };
  expect(services.service.mem_limit).toBe(`${needed}m`);
  const bounds = [...read('deploy/alerts.yaml').matchAll(/process_resident_memory_bytes > (\d+)/g)];
  const [withCopy, withoutCopy] = bounds.map(([, bytes]) => Number(bytes) / 1_048_576);
  expect(withCopy).toBeGreaterThan(peakOf(page).withCopy);
  expect(withCopy).toBeLessThan(highOf('admin'));
  expect(withoutCopy).toBeGreaterThan(peakOf(page).withoutCopy);
  expect(withoutCopy).toBeLessThan(Math.min(highOf('ingest'), highOf('worker')));
});

function peakOf(page: string): Record<'withoutCopy' | 'withCopy', number> {
  const [, withoutCopy, withCopy] = /^\| peak \| (\d+) \| (\d+) \|$/m.exec(page)!;
  return { withoutCopy: Number(withoutCopy), withCopy: Number(withCopy) };
}

/** In MiB: from here on systemd slows the process. */
const highOf = (role: Role): number => Number(/^(\d+)M$/.exec(unitOf(role)('MemoryHigh')!)![1]);

describe('systemd', () => {
  test('the unit starts what npm start starts, and gives it the time for its shutdown', () => {
    for (const role of roles) {
      const valueOf = unitOf(role);
      expect(valueOf('ExecStart')).toBe(`/usr/bin/${scripts['start']!.split('exec ')[1]!}`);
      expect(Number(valueOf('TimeoutStopSec'))).toBeGreaterThanOrEqual(drainSeconds + shutdownSeconds);
      expect(valueOf('KillSignal')).toBe('SIGTERM');
      expect(unit).toContain('\nEnvironment=NODE_ENV=production\n');
    }
  });

  test.each(roles)('%s starts in production on ports of its own, which are those of haproxy.cfg', (role) => {
    const own = unitEnvironment(role);
    const config = readConfig(productionEnvironment(own));
    expect(config).toMatchObject({ production: true, role });
    const ofOthers = roles.filter((each) => each !== role).map(unitEnvironment);
    const ports = [own, ...ofOthers].flatMap(({ PORT, OPS_PORT }) => (PORT ? [PORT, OPS_PORT] : [OPS_PORT]));
    expect(new Set(ports).size).toBe(ports.length);
    for (const name of ['ROLE', 'OPS_PORT']) expect(own).toHaveProperty(name);
    if (role === 'worker') return;
    const proxy = read('deploy/haproxy.cfg');
    const prefix = role.toUpperCase();
    expect(proxy).toContain(`"\${${prefix}_ADDRESS-127.0.0.1:${config.port}}"`);
    expect(proxy).toContain(`"\${${prefix}_OPS_PORT-${config.opsPort}}"`);
  });

  test('the process has no rights, and admin alone writes, to its own folder', () => {
    for (const line of ['DynamicUser=yes', 'ProtectSystem=strict', 'NoNewPrivileges=yes', 'CapabilityBoundingSet='])
      expect(unit.split('\n')).toContain(line);
    expect(unitEnvironment('admin')['ANALYTICS_DIR']).toBe(`/var/lib/${unitOf('admin')('StateDirectory')!}`);
    for (const role of ['ingest', 'worker'] as const) expect(unitOf(role)('StateDirectory')).toBeUndefined();
  });

  test('the weights of the instances count beside those of PostgreSQL and the proxy', () => {
    for (const role of roles) expect(unitOf(role)('Slice')).toBe('system.slice');
  });
});

describe('the composition with the proxy', () => {
  test('it runs the roles in place of the one process', () => {
    expect(composed['service']).toEqual({ profiles: ['one-process'] });
    for (const role of roles) {
      expect(composed[role]!.extends).toEqual({ file: 'compose.yaml', service: 'service' });
      const own = Object.entries(composed[role]!.environment).map(([name, value]) => [name, String(value)] as const);
      expect(readConfig(productionEnvironment(Object.fromEntries(own)))).toMatchObject({ role });
      // Undefined: that of compose.yaml, which is the copy's.
      expect([role, composed[role]!.volumes]).toEqual([role, role === 'admin' ? undefined : []]);
    }
  });

  test('it sets what haproxy.cfg reads, and leaves no way past it', () => {
    const { ingest: uploads, admin: dashboard, worker: jobs, proxy } = composed;
    const asked = [...read('deploy/haproxy.cfg').matchAll(/"\$\{(\w+)-/g)].map(([, name]) => name!);
    expect(Object.keys(proxy!.environment).sort()).toEqual([...new Set(asked)].sort());
    for (const each of [uploads!, dashboard!]) expect(each.environment['TRUSTED_PROXIES']).toBe(1);
    for (const each of [uploads!, dashboard!, jobs!])
      expect(each.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:808[135]:8081$/)]);
    expect(new Set([uploads!, dashboard!, jobs!].flatMap(({ ports }) => ports)).size).toBe(roles.length);
    const { INGEST_ADDRESS, INGEST_OPS_PORT, ADMIN_ADDRESS, ADMIN_OPS_PORT } = proxy!.environment;
    expect([INGEST_ADDRESS, ADMIN_ADDRESS]).toEqual(['ingest:8080', 'admin:8080']);
    expect([INGEST_OPS_PORT, ADMIN_OPS_PORT]).toEqual([8081, 8081]);
    expect(proxy!.ports).toEqual(['443:8443']);
    expect(proxy!.volumes![0]).toMatch(/^\.\/deploy\/haproxy\.cfg:/);
  });
});

test('the page of the processes has a row for each role, with its memory', () => {
  const page = read('docs/operating/processes.md');
  for (const role of roles) {
    const gib = shareOf(role).memoryMib[0]! / 1_024;
    expect(page).toMatch(new RegExp(`^\\| \`ROLE=${role}\` \\|.*\\| ${gib} GiB\\b`, 'm'));
  }
});
