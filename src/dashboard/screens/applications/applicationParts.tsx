// What the list of applications and the settings of one have in common.
import { Autocomplete, NativeSelect, TextInput, List } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { z } from 'zod';
import { time } from '../../parts/figures.ts';

export const applicationFields = {
  name: z.string().trim().min(1, 'Enter a name.').max(256, 'A name has at most 256 characters.'),
  bundleId: z.string().trim().min(1, 'Enter the identifier.').max(256, 'At most 256 characters.'),
  platform: z.enum(['iOS', 'Android']),
  timeZone: z.string().trim().min(1, 'Choose a time zone.').max(64, 'At most 64 characters.'),
};

interface ApplicationFieldsProps {
  field: (name: keyof typeof applicationFields) => GetInputPropsReturnType;
  timeZone: string;
}

const zones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function ApplicationFields({ field, timeZone }: ApplicationFieldsProps) {
  return (
    <>
      <TextInput label="Name" description="For people, for example: Shop for phones" {...field('name')} />
      <NativeSelect label="Platform" data={['iOS', 'Android']} {...field('platform')} />
      <TextInput
        label="Bundle or package identifier"
        description="For example: com.example.shop"
        spellCheck={false}
        autoCapitalize="none"
        {...field('bundleId')}
      />
      <Autocomplete
        label="Time zone"
        description={`The calendar days of reports are days of this zone. ${nowIn(timeZone)}`}
        data={zones}
        limit={30}
        {...field('timeZone')}
      />
    </>
  );
}

/** Nothing for a text that names no zone yet. */
function nowIn(timeZone: string): string {
  try {
    return `Now it is ${time(Date.now(), timeZone, 'hour')} there.`;
  } catch {
    return '';
  }
}

/** What a deletion of an application removes, when, and what stays (schema.graphql, "Removal of the data"). */
export function RemovedWithApplication() {
  return (
    <List size="sm" spacing={4}>
      <List.Item>Its keys, campaigns and devices are deleted. Nobody can undo it.</List.Item>
      <List.Item>
        Within a second the API gives its keys 404. SDKs that carry them stop sending and get no campaigns.
      </List.Item>
      <List.Item>
        Its data is removed in the background, from a minute after the deletion on. The last run is an hour after it.
      </List.Item>
      <List.Item>These stay: the id, the public keys, which nobody else ever gets, and the audit log.</List.Item>
    </List>
  );
}

/** Read again after an edit of projects and applications: the lists, and the frame's picker. */
export const workspaceTypes = ['Organization', 'Project', 'Application'];

/** For queries whose response may be an empty list. */
export const workspaceContext = { additionalTypenames: workspaceTypes };
