// Chooses events by a name and filters, for one row of a report's editor.
import { Box, Group } from '@mantine/core';
import { FilterEditor } from '../filters/FilterEditor.tsx';
import { EventInput } from '../names/EventInput.tsx';
import type { Selection } from './selection.ts';

interface SelectionEditorProps {
  applicationId: string;
  label: string;
  value: Selection;
  change: (value: Selection) => void;
  error?: string;
}

export function SelectionEditor({ applicationId, label, value, change, error }: SelectionEditorProps) {
  return (
    <Group gap="xs" align="end" miw={0} flex="1 1 0">
      <Box w={260} maw="100%">
        <EventInput
          applicationId={applicationId}
          label={label}
          value={value}
          change={({ name, type }) => change({ ...value, name, type })}
          error={error}
        />
      </Box>
      <Box pb={2} miw={0} maw="100%">
        <FilterEditor
          applicationId={applicationId}
          filters={value.filters ?? []}
          change={(filters) => change({ ...value, filters: filters.length > 0 ? filters : undefined })}
        />
      </Box>
    </Group>
  );
}
