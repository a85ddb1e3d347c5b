// Text that a device or an app's server sent: in its own direction, with its own spaces, cut only where `cut` says so.
import { blankWords } from './blankText.ts';
import classes from './GivenText.module.css';

interface GivenTextProps {
  text: string;
  /** One line, cut at the width of its place. The title has the whole text. */
  cut?: boolean;
}

export function GivenText({ text, cut = false }: GivenTextProps) {
  if (text === '') return <span className={classes.none}>(empty)</span>;
  const blanks = blankWords(text);
  if (blanks !== undefined) return <span className={classes.none}>({blanks})</span>;
  return (
    <bdi className={cut ? classes.cut : classes.whole} title={cut ? text : undefined}>
      {text}
    </bdi>
  );
}
