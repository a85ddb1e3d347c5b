// Reads every command that docs/operating, deploy/ and compose.yaml give to an operator: none shows a password to other users of the machine.
import { readdirSync } from 'node:fs';
import { read } from '../support/deployFiles.ts';

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
    if (writes && !masked && !command.includes('umask 077 &&')) faults.push(`everybody may read its file: ${command}`);
  }
  return faults;
}

test('no command shows a secret to other users, and no file of secrets is readable by them', () => {
  expect(
    pages.map(({ file, commands }) => ({ file, faults: faultsOf(commands) })).filter((page) => page.faults.length > 0),
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
