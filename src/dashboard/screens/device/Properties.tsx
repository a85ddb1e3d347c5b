// The properties of the device or of its user, each with its value.
import { Text } from '@mantine/core';
import { jsonText } from '../../api/exactNumbers.ts';
import { textOf } from '../../parts/filters/filters.ts';
import { countryName, time } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { Folded } from '../../parts/JsonText.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { DataTable } from '../../parts/table/DataTable.tsx';
import { versionText } from '../../parts/version.ts';
import classes from './Device.module.css';
import type { DevicePart } from './Device.tsx';
import { None } from './None.tsx';

interface PropertiesProps extends DevicePart {
  title: string;
  values: unknown;
  /** Why there are none. */
  none: string;
}

export function Properties({ title, values, none, timeZone }: PropertiesProps) {
  const given = Object.entries((values ?? {}) as Record<string, unknown>);
  const rows = given.sort(([one], [other]) => (one < other ? -1 : 1));
  return (
    <Panel title={title}>
      <DataTable
        caption={`${title} with their values`}
        rows={rows}
        rowKey={([name]) => name}
        empty={<None>{none}</None>}
        columns={[
          {
            key: 'name',
            head: 'Property',
            wrap: true,
            className: classes.property,
            cell: ([name]) => <GivenText text={name} />,
          },
          {
            key: 'value',
            head: 'Value',
            wrap: true,
            cell: ([name, value]) => <Value name={name} value={value} timeZone={timeZone} />,
          },
        ]}
      />
    </Panel>
  );
}

interface ValueProps {
  name: string;
  value: unknown;
  timeZone: string;
}

function Value(props: ValueProps) {
  const hint = hintOf(props);
  return (
    <>
      {props.value === null ? (
        <Text span size="sm" c="dimmed">
          not reported
        </Text>
      ) : (
        <Folded text={shown(props.value)} />
      )}
      {hint !== null && (
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      )}
    </>
  );
}

/** As a filter takes it: a text that looks like a number has quotes. */
function shown(value: unknown): string {
  const exact = jsonText(value);
  return typeof value === 'string' && exact.startsWith('"') ? textOf(value) : exact;
}

/** What people read in a value of the public API. */
function hintOf({ name, value, timeZone }: ValueProps): string | null {
  if (typeof value === 'number' && name.endsWith('VersionNormalized')) {
    const version = versionText(value);
    return version === String(value) ? null : `as a version: ${version}`;
  }
  if (name === 'installDatetime' && typeof value === 'number') return time(value * 1_000, timeZone, 'full');
  if (name === 'country' && typeof value === 'string' && countryName(value) !== value) return countryName(value);
  return null;
}
