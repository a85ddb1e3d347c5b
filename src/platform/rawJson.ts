// JSON that goes out as it came in, digit by digit: parsed, a number beyond double precision would change.
import { randomUUID } from 'node:crypto';

/** Holds a JSON text, in place of the value it stands for. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** `JSON.stringify` that writes the text of each RawJson as it is. */
export function stringifyWithRawJson(value: unknown): string {
  // Not to be guessed, so no string in the value can stand where a text is put in.
  const marker = randomUUID();
  const texts: string[] = [];
  const json = JSON.stringify(value, (_name, member: unknown) =>
    member instanceof RawJson ? `${marker}:${texts.push(member.text) - 1}` : member,
  );
  if (texts.length === 0) return json;
  return json.replace(new RegExp(`"${marker}:(\\d+)"`, 'g'), (_match, at: string) => texts[Number(at)]!);
}
