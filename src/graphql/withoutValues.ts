// Removes quoted values from the GraphQL library's messages: a password in the wrong argument must not come back or reach a log.

const ofVariable: [RegExp, string] = [
  /^(Variable "\$\w+") got invalid value [\s\S]*?( at "\w+(?:\.\w+|\[\d+\])*")?$/,
  '$1 is not valid$2',
];
const ofLiteral: [RegExp, string] = [/^(Expected value of type "[^"]+"), found [\s\S]*$/, '$1'];

/** The forms of graphql-js's messages, each with the part that is kept. */
const quoting: [RegExp, string][] = [
  [
    /^([\s\S]*)\b((?:String|Int|Float|Boolean|ID|UUID|DateTime|JSON|Enum "\w+") cannot represent [^:]*): [\s\S]*$/,
    '$1$2.',
  ],
  [/^([\s\S]*)(Expected value of type "[^"]+"), found [\s\S]*$/, '$1$2.'],
  [/^([\s\S]*)Value "[\s\S]*" (does not exist in "\w+" enum\.)[\s\S]*$/, '$1The value $2'],
  [/^(Syntax Error: [\s\S]*\b(?:String|BlockString|Int|Float)) "[\s\S]*"\.$/, '$1.'],
];

/** `reason` is the message of the original error. The library appends it to its own message, after the value. */
export function withoutValues(message: string, reason?: string): string {
  const about = reason !== undefined && message.endsWith(`; ${reason}`) ? message.slice(0, -reason.length - 2) : null;
  if (about === null) return quoting.reduce((text, [form, kept]) => text.replace(form, kept), message);
  return `${about.replace(...ofVariable).replace(...ofLiteral)}: ${withoutValues(reason!)}`;
}
