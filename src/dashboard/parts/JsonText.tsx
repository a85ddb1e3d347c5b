// A JSON value of a device on several lines; a long one is folded until somebody asks for it.
import { Code } from '@mantine/core';
import { jsonText } from '../api/exactNumbers.ts';
import { count } from './figures.ts';
import { GivenText } from './GivenText.tsx';
import classes from './JsonText.module.css';

const longest = 400;

export function JsonText({ value }: { value: unknown }) {
  const text = jsonText(value);
  if (text === '{}') return <>—</>;
  return <Folded text={text} />;
}

/** Any long text in the font of code. */
export function Folded({ text }: { text: string }) {
  if (text.length <= longest) return <Whole text={text} />;
  return (
    <details className={classes.details}>
      <summary>
        <Code className={classes.code}>{[...text].slice(0, 80).join('')} …</Code> {count(text.length)} characters
      </summary>
      <Whole text={text} />
    </details>
  );
}

function Whole({ text }: { text: string }) {
  return (
    <Code className={classes.code}>
      <GivenText text={text} />
    </Code>
  );
}
