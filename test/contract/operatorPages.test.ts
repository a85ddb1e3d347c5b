// Reads every command that docs/operating, deploy/ and compose.yaml give to an operator: none shows a password to other users of the machine.
import { readdirSync, readFileSync } from 'node:fs';
import { readConfig, variableNames } from '../../src/config.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { read } from '../support/deployFiles.ts';

describe('operatorCommands', () => {
  interface Page {
    file: string;
    /** In their order, with lines that go on joined. */
    commands: string[];
  }

  /** The blocks of a page, or the indented lines of a file's comments. */
  function commandsOf(file: string): string[] {
    const text = read(file);
    const blocks = file.endsWith('.md')
      ? [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)
      : [text.replace(/^(?!# {3}).*\n/gm, '').replace(/^# {3}/gm, '')];
    return blocks.join('').replaceAll('\\\n', ' ').split('\n').filter(Boolean);
  }

  const below = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`);

  const pages: Page[] = [...below('docs/operating'), ...below('deploy'), 'compose.yaml']
    .filter((file) => !file.endsWith('.json'))
    .map((file) => ({ file, commands: commandsOf(file) }));

  /** What is wrong with the commands of one page. */
  function faultsOf(commands: string[]): string[] {
    const faults: string[] = [];
    let masked = false;
    for (const command of commands) {
      masked ||= /^umask 077$/.test(command);
      const ofPostgres = /(^|[ (])(psql|pg_dump|pg_dumpall|pg_restore|pg_basebackup)\s/.test(command);
      if (ofPostgres && /\w:\/\/|_URL\b|password=/.test(command.replace(/^PGPASSWORD=\S+ /, '')))
        faults.push(`a connection string in its words: ${command}`);
      if (/--from-literal|--password[= ]\S/.test(command)) faults.push(`a secret in its words: ${command}`);
      const writes =
        /(^|[ (])(pg_dump|pg_dumpall|pg_basebackup)\s|(>|\btee) *\S+\.(env|pem|txt|dump|pgpass)\b|> *\.env\b/.test(
          command,
        );
      if (writes && !masked && !command.includes('umask 077 &&'))
        faults.push(`everybody may read its file: ${command}`);
    }
    return faults;
  }

  test('no command shows a secret to other users, and no file of secrets is readable by them', () => {
    expect(
      pages
        .map(({ file, commands }) => ({ file, faults: faultsOf(commands) }))
        .filter((page) => page.faults.length > 0),
    ).toEqual([]);
  });

  test('the commands are found', () => {
    const all = pages.flatMap(({ commands }) => commands).join('\n');
    for (const part of [
      'pg_dump ',
      'pg_restore ',
      'psql ',
      '> .env',
      '> certificate.pem',
      '> service.env',
      'create secret',
    ])
      expect(all).toContain(part);
  });

  test.each([
    'pg_dump --format=custom --file=service.dump "$DATABASE_URL"',
    'psql "$ADMIN_URL" --command "SELECT 1"',
    'pg_restore --dbname="postgresql://service:secret@127.0.0.1/restored" service.dump',
    'psql "host=127.0.0.1 password=secret"',
    'kubectl create secret generic a --from-literal=TOKEN_KEY=secret',
    "printf 'TOKEN_KEY=%s' secret > .env",
    'cat fullchain.pem privkey.pem > certificate.pem',
    'pg_dump --file=service.dump',
  ])('%s is found', (command) => {
    expect(faultsOf([command])).not.toEqual([]);
  });
});

// Operators read the variables in .env.example: it must list exactly those that config.ts reads, with their defaults.
describe('envExample', () => {
  const blocks = readFileSync(projectFile('.env.example'), 'utf8').trim().split(/\n\n+/).slice(1);
  const assignments = blocks.map((block) => /^([A-Z_]+)=(.*)$/.exec(block.split('\n').at(-1)!));

  test('each block is a comment and then one variable', () => {
    for (const [index, block] of blocks.entries()) {
      const comment = block.split('\n').slice(0, -1);
      expect(comment.length).toBeGreaterThan(0);
      for (const line of comment) expect(line).toMatch(/^# \S/);
      expect([block, assignments[index]]).toEqual([block, expect.anything()]);
    }
  });

  test('the variables are exactly those of config.ts, in their order', () => {
    expect(assignments.map((assignment) => assignment![1])).toEqual(variableNames);
  });

  test('the file as it stands is accepted, and its values are the defaults', () => {
    const values = assignments.map((assignment) => [assignment![1]!, assignment![2]!] as const);
    const env: Record<string, string> = Object.fromEntries(values);
    expect(readConfig(env)).toEqual(readConfig({}));
  });
});

// docs/operating/logs.md must explain every log line at warn or error, for the operator on call.
describe('logMessages', () => {
  const table = readFileSync(projectFile('docs/operating/logs.md'), 'utf8');
  const documented = [...table.matchAll(/^\| (`.*?`) +\|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, text]) => text!),
  );
  const source = readdirSync(projectFile('src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('demo/'))
    .map((file) => readFileSync(projectFile(`src/${file}`), 'utf8'))
    .join('\n');

  /** A documented text may be cut on one side: `… did not stop cleanly`, `off in PostgreSQL: …`. */
  function covers(text: string, message: string): boolean {
    if (text.startsWith('…')) return message.endsWith(text.slice(1));
    if (text.endsWith('…')) return message.startsWith(text.slice(0, -1));
    return text === message;
  }

  test('every line at warn or error is in the table', () => {
    const calls = source.match(/\blog\??\.(?:warn|error)\(/g)!;
    const withMessage = /\blog\??\.(?:warn|error)\(\s*(?:\{[^}]*\}|\w+),\s*'([^']+)',?\s*\)/g;
    const messages = [...source.matchAll(withMessage)].map(([, message]) => message!);
    // The message of one call is the refusal's code: `unavailable`, or `validation_failed` if the database refused the data.
    expect(messages).toHaveLength(calls.length - 1);
    expect(messages.filter((message) => !documented.some((text) => covers(text, message)))).toEqual([]);
  });
});
