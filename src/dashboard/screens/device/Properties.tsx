// The properties of the device or of its user, each with its value and the value's type.
import { Text } from '@mantine/core';
import { jsonText } from '../../api/exactNumbers.ts';
import { countryName } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { Folded } from '../../parts/JsonText.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Empty } from '../../parts/states.tsx';
import { DataTable } from '../../parts/table/DataTable.tsx';
import { recommendedVersion } from './words.ts';

interface PropertiesProps {
  title: string;
  values: unknown;
  /** Why there are none. */
  none: string;
}

export function Properties({ title, values, none }: PropertiesProps) {
  const rows = Object.entries((values ?? {}) as Record<string, unknown>);
  return (
    <Panel title={title}>
      <DataTable
        caption={title}
        rows={rows}
        rowKey={([name]) => name}
        empty={<Empty title="None">{none}</Empty>}
        columns={[
          { key: 'name', head: 'Property', wrap: true, cell: ([name]) => <GivenText text={name} /> },
          { key: 'value', head: 'Value', wrap: true, cell: ([name, value]) => <Value name={name} value={value} /> },
          { key: 'type', head: 'Type', cell: ([, value]) => typeOf(value) },
        ]}
      />
    </Panel>
  );
}

function Value({ name, value }: { name: string; value: unknown }) {
  const hint = hintOf(name, value);
  return (
    <>
      {value === null ? (
        <Text span size="sm" c="dimmed">
          not reported
        </Text>
      ) : typeof value === 'string' && typeOf(value) === 'text' ? (
        value === '' ? (
          <GivenText text="" />
        ) : (
          <Folded text={value} />
        )
      ) : (
        <Folded text={jsonText(value)} />
      )}
      {hint !== null && (
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      )}
    </>
  );
}

/** What people read in a value of the public API. */
function hintOf(name: string, value: unknown): string | null {
  if (name.endsWith('VersionNormalized') && typeof value === 'number') {
    const version = recommendedVersion(value);
    return version === null ? null : `${version} in the recommended encoding`;
  }
  if (name === 'country' && typeof value === 'string' && countryName(value) !== value) return countryName(value);
  return null;
}

function typeOf(value: unknown): string {
  if (value === null) return '—';
  if (typeof value === 'string') return jsonText(value).startsWith('"') ? 'text' : 'number';
  if (typeof value === 'boolean') return 'true or false';
  return typeof value === 'number' ? 'number' : Array.isArray(value) ? 'list' : 'object';
}
