// What the parts of the form share: a field by its path, with the problem of it or of anything below it.
import type { UseFormReturnType } from '@mantine/form';
import type { Draft } from './draft.ts';

export type CampaignForm = UseFormReturnType<Draft>;

/** The service names an entry of a list (`targeting.countries.3`), and the page shows the list as one field. */
export function errorAt(form: CampaignForm, path: string): string | undefined {
  const found = Object.entries(form.errors).find(([name]) => name === path || name.startsWith(`${path}.`));
  return found === undefined ? undefined : (found[1] as string);
}

export function field(form: CampaignForm, path: string) {
  return { ...form.getInputProps(path), name: path, error: errorAt(form, path) };
}

/** Sets a value, and takes away the problems at `about` and below: they were about the value before. */
export function change(form: CampaignForm, path: string, { to, about = path }: { to: unknown; about?: string }): void {
  // The paths of a form's lists have numbers, which its types do not know.
  (form.setFieldValue as (path: string, value: unknown) => void)(path, to);
  const kept = Object.entries(form.errors).filter(([name]) => name !== about && !name.startsWith(`${about}.`));
  form.setErrors(Object.fromEntries(kept));
}
