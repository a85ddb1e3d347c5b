// Writes one line for each figure: what the devices and the store counted beside what the service says.
import { shown, type AnswerRow } from './figures.ts';

const [nameWidth, width] = [54, 15];

export function answersTable(rows: AnswerRow[]): string {
  return [
    '  Analytics: as the devices and the shop counted, as the reads of the admin API say. All points are compared too.',
    line('', ['counted', 'API'], 'agrees'),
    ...rows.map(({ name, counted, said, agrees }) => line(name, [shown(counted), shown(said)], agrees ? 'yes' : 'NO')),
  ].join('\n');
}

function line(name: string, cells: string[], last: string): string {
  return `  ${name.padEnd(nameWidth)}${cells.map((cell) => cell.padStart(width)).join('')}   ${last}`;
}
