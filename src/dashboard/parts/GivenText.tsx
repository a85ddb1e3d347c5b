// Text and JSON that a device or an app's server sent: in its own direction, with its own spaces, cut only where `cut` says so.
import { Code } from '@mantine/core';
import { jsonText } from '../api/exactNumbers.ts';
import { count } from './figures.ts';
import { blankWords } from './values.ts';

const whole = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;
const oneLine = { display: 'block', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'pre' } as const;
const none = { color: 'var(--mantine-color-dimmed)' };

interface GivenTextProps {
  text: string;
  /** One line, cut at the width of its place. The title has the whole text. */
  cut?: boolean;
}

/** Text that a device or an app's server sent: in its own direction, with its own spaces, cut only where `cut` says so. */
export function GivenText({ text, cut = false }: GivenTextProps) {
  if (text === '') return <span style={none}>(empty)</span>;
  const blanks = blankWords(text);
  if (blanks !== undefined) return <span style={none}>({blanks})</span>;
  return (
    <bdi style={cut ? oneLine : whole} title={cut ? text : undefined}>
      {text}
    </bdi>
  );
}

const longest = 400;
const code = { p: 0, bg: 'none', style: { overflowWrap: 'anywhere' } } as const;

/** A JSON value of a device on several lines; a long one is folded until somebody asks for it. */
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
