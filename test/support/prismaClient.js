// Generates the Prisma client, which is not committed, when it is missing or older than its schema.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const fileOf = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const millisOf = (name) => statSync(fileOf(name), { throwIfNoEntry: false })?.mtimeMs ?? 0;

export function makePrismaClient() {
  if (millisOf('generated/prisma/client.ts') > millisOf('prisma/schema.prisma')) return;
  execFileSync(fileOf('node_modules/.bin/prisma'), ['generate'], { cwd: fileOf(''), stdio: 'ignore' });
}
