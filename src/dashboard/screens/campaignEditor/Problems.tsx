// Lists what keeps the campaign from being saved, each a way to its field: no problem hides on a long page.
import { Alert, Anchor, List } from '@mantine/core';
import { partNames, type Part } from './draft.ts';
import type { CampaignForm } from './fields.ts';

export function Problems({ form }: { form: CampaignForm }) {
  const problems = Object.entries(form.errors);
  if (problems.length === 0) return null;
  const title = problems.length === 1 ? 'One value cannot be used' : `${problems.length} values cannot be used`;
  return (
    <Alert color="red" variant="light" role="alert" title={title} p="xs">
      <List size="sm" spacing={2} mah={140} style={{ overflowY: 'auto' }}>
        {problems.map(([path, message]) => (
          <List.Item key={path}>
            <Anchor component="button" type="button" size="sm" ta="left" onClick={() => focusOn(path)}>
              {partNames[path.split('.')[0] as Part] ?? path}: {message}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** The field itself, else the first one below its heading that is marked. */
function focusOn(path: string): void {
  const section = partNames[path.split('.')[0] as Part];
  const own = document.querySelector<HTMLElement>(`[name="${CSS.escape(path)}"]`);
  const marked = document.querySelector<HTMLElement>(`section[aria-label="${section}"] [aria-invalid="true"]`);
  (own ?? marked ?? document.querySelector<HTMLElement>('form [aria-invalid="true"]'))?.focus();
}
