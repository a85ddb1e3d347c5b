// Text that a device or an app's server sent: in its own direction, with its own spaces, cut only where `cut` says so.
import { blankWords } from './blankText.ts';

const whole = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;
const oneLine = { display: 'block', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'pre' } as const;
const none = { color: 'var(--mantine-color-dimmed)' };

interface GivenTextProps {
  text: string;
  /** One line, cut at the width of its place. The title has the whole text. */
  cut?: boolean;
}

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
