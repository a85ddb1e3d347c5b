// The library's messages about input without the values that they quote: a password in the wrong place is still a password.

const ofVariable: [RegExp, string] = [
  /^(Variable "\$\w+") got invalid value [\s\S]*?( at "\w+(?:\.\w+|\[\d+\])*")?$/,
  '$1 is not valid$2',
];
const ofLiteral: [RegExp, string] = [/^(Expected value of type "[^"]+"), found [\s\S]*$/, '$1'];

/** What graphql-js says, and what of it is said on. */
const quoting: [RegExp, string][] = [
  [
    /^([\s\S]*)\b((?:String|Int|Float|Boolean|ID|UUID|DateTime|JSON|Enum "\w+") cannot represent [^:]*): [\s\S]*$/,
    '$1$2.',
  ],
  [/^([\s\S]*)(Expected value of type "[^"]+"), found [\s\S]*$/, '$1$2.'],
  [/^([\s\S]*)Value "[\s\S]*" (does not exist in "\w+" enum\.)[\s\S]*$/, '$1The value $2'],
  [/^(Syntax Error: [\s\S]*\b(?:String|BlockString|Int|Float)) "[\s\S]*"\.$/, '$1.'],
];

/** `reason` is the error's in whose place the library has put this one: it ends the message, after the value. */
export function withoutValues(message: string, reason?: string): string {
  const about = reason !== undefined && message.endsWith(`; ${reason}`) ? message.slice(0, -reason.length - 2) : null;
  if (about === null) return quoting.reduce((text, [form, kept]) => text.replace(form, kept), message);
  return `${about.replace(...ofVariable).replace(...ofLiteral)}: ${withoutValues(reason!)}`;
}
