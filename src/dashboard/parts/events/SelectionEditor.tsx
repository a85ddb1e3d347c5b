// Chooses events by a name and filters, for one row of a report's editor.
import { Group } from '@mantine/core';
import { FilterEditor } from '../filters/FilterEditor.tsx';
import { EventInput } from '../names/EventInput.tsx';
import type { Selection } from './selection.ts';
import classes from './events.module.css';

interface SelectionEditorProps {
  applicationId: string;
  label: string;
  value: Selection;
  change: (value: Selection) => void;
  error?: string;
}

export function SelectionEditor({ applicationId, label, value, change, error }: SelectionEditorProps) {
  return (
    <Group gap="xs" align="end" className={classes.selection}>
      <div className={classes.event}>
        <EventInput
          applicationId={applicationId}
          label={label}
          value={value}
          change={({ name, type }) => change({ ...value, name, type })}
          error={error}
        />
      </div>
      <FilterEditor
        applicationId={applicationId}
        filters={value.filters ?? []}
        change={(filters) => change({ ...value, filters: filters.length > 0 ? filters : undefined })}
      />
    </Group>
  );
}
