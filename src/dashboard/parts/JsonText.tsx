// A JSON value of a device on several lines; a long one is folded until somebody asks for it.
import { Code } from '@mantine/core';
import { jsonText } from '../api/exactNumbers.ts';
import { count } from './figures.ts';
import { GivenText } from './GivenText.tsx';

const longest = 400;
const code = { p: 0, bg: 'none', style: { overflowWrap: 'anywhere' } } as const;

export function JsonText({ value }: { value: unknown }) {
  const text = jsonText(value);
  if (text === '{}') return <>—</>;
  return <Folded text={text} />;
}

/** Any long text in the font of code. */
export function Folded({ text }: { text: string }) {
  if (text.length <= longest) return <Whole text={text} />;
  return (
    <details>
      <summary style={{ cursor: 'pointer', wordBreak: 'break-all' }}>
        <Code {...code}>{[...text].slice(0, 80).join('')} …</Code> {count(text.length)} characters
      </summary>
      <Whole text={text} />
    </details>
  );
}

function Whole({ text }: { text: string }) {
  return (
    <Code {...code}>
      <GivenText text={text} />
    </Code>
  );
}
