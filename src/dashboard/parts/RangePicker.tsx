// The range, the interval and the unit of a report, for its search parameters.
import { Group, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { today } from './figures.ts';
import { intervals, presets, type Range, type RangeSearch } from './range.ts';

interface RangePickerProps {
  range: Range;
  timeZone: string;
  change: (search: RangeSearch) => void;
  /** Which intervals the report has; none hides the choice. */
  choices?: readonly (typeof intervals)[number][];
  units?: boolean;
}

const names = { HOUR: 'Hour', DAY: 'Day', WEEK: 'Week', MONTH: 'Month' };

export function RangePicker({
  range,
  timeZone,
  change,
  choices = ['DAY', 'WEEK', 'MONTH'],
  units = true,
}: RangePickerProps) {
  const last = today(timeZone);
  const preset = presets.find(({ of }) => of(last).from === range.from && of(last).to === range.to);
  const changePreset = (label: string): void => change(presets.find((one) => one.label === label)!.of(last));
  return (
    <Group gap="xs" align="end">
      <SegmentedControl
        size="xs"
        // The presets take a second line on a narrow page.
        style={{ flexWrap: 'wrap' }}
        aria-label="Range"
        value={preset?.label ?? ''}
        onChange={changePreset}
        data={presets.map(({ label }) => label)}
      />
      <TextInput
        size="xs"
        type="date"
        label="From"
        max={range.to}
        value={range.from}
        onChange={({ target }) => target.value && change({ from: target.value, to: range.to })}
      />
      <TextInput
        size="xs"
        type="date"
        label={`To (${timeZone})`}
        min={range.from}
        value={range.to}
        onChange={({ target }) => target.value && change({ from: range.from, to: target.value })}
      />
      {choices.length > 0 && (
        <NativeSelect
          size="xs"
          label="By"
          value={range.interval}
          onChange={({ target }) => change({ interval: target.value as Range['interval'] })}
          data={choices.map((value) => ({ value, label: names[value] }))}
        />
      )}
      {units && (
        <NativeSelect
          size="xs"
          label="Count"
          value={range.unit}
          onChange={({ target }) => change({ unit: target.value as Range['unit'] })}
          data={[
            { value: 'DEVICE', label: 'Devices' },
            { value: 'USER', label: 'Users' },
          ]}
        />
      )}
    </Group>
  );
}
