// Chooses a role, and says what the chosen one may do.
import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import type { Role } from '../session/me.ts';
import { roles } from './people.ts';

interface RoleInputProps extends Omit<NativeSelectProps, 'data' | 'value'> {
  value: string;
  choices: readonly Role[];
}

export function RoleInput({ value, choices, ...rest }: RoleInputProps) {
  const chosen = roles.find((role) => role.value === value);
  return (
    <NativeSelect
      label="Role"
      description={chosen && `${chosen.label}: ${chosen.about}.`}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={roles
        .filter((role) => choices.includes(role.value))
        .map(({ value: role, label }) => ({ value: role, label }))}
      value={value}
      {...rest}
    />
  );
}
