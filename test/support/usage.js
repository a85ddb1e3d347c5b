// Prints the help of a tool at once: `npm run mock -- --help` asks here before it builds. Without --help it fails, and the build goes on.
import { readFileSync } from 'node:fs';

const [folder, ...words] = process.argv.slice(2);

if (!words.includes('--help') && !words.includes('-h')) process.exit(1);
process.stdout.write(`${readFileSync(`${folder}/usage.txt`, 'utf8')}
--help prints this text, and --version the version. Neither does anything else.
`);
