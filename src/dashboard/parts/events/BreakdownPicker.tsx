// Chooses the property by which a report is broken down, or none.
import { Group, NativeSelect } from '@mantine/core';
import { NameInput } from '../names/NameInput.tsx';
import type { Breakdown } from './selection.ts';

interface BreakdownPickerProps {
  applicationId: string;
  /** With an empty `property` while it is being typed. */
  value: Breakdown | null;
  change: (value: Breakdown | null) => void;
}

const scopes = [
  { value: '', label: 'Nothing' },
  { value: 'EVENT', label: 'Event property' },
  { value: 'USER', label: 'User property' },
  { value: 'DEVICE', label: 'Device property' },
];

export function BreakdownPicker({ applicationId, value, change }: BreakdownPickerProps) {
  return (
    <Group gap="xs" align="end">
      <NativeSelect
        size="xs"
        label="Break down by"
        value={value?.scope ?? ''}
        data={scopes}
        onChange={({ target }) =>
          change(target.value === '' ? null : { scope: target.value as Breakdown['scope'], property: '' })
        }
      />
      {value && (
        <NameInput
          applicationId={applicationId}
          scope={value.scope}
          label="Property of the breakdown"
          value={value.property}
          change={(property) => change({ ...value, property })}
        />
      )}
    </Group>
  );
}
