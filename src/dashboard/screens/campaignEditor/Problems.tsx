// Lists what keeps the campaign from being saved, each a way to its field: no problem hides on a long page.
import { Alert, Anchor, List } from '@mantine/core';
import classes from './CampaignEditor.module.css';
import { partNames, type Part } from './draft.ts';
import type { CampaignForm } from './fields.ts';

export function Problems({ form }: { form: CampaignForm }) {
  const problems = Object.entries(form.errors);
  if (problems.length === 0) return null;
  const title = problems.length === 1 ? 'One value cannot be used' : `${problems.length} values cannot be used`;
  return (
    <Alert color="red" variant="light" role="alert" title={title} p="xs" mb="xs">
      <List size="sm" mah={140} style={{ overflowY: 'auto' }}>
        {problems.map(([path, message]) => (
          <List.Item key={path}>
            <Anchor
              component="button"
              type="button"
              size="sm"
              ta="left"
              className={classes.problem}
              onClick={() => focusOn(path)}
            >
              {[partOf(path), ...rowsOf(path)].join(', ')}: {message}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

const partOf = (path: string): string => partNames[path.split('.')[0] as Part] ?? path;

/** The names of the rows on the page: `Group 1`, `Condition 2` of `targeting.userProperties.0.1.value`. */
function rowsOf(path: string): string[] {
  const [, list, first, second] = path.split('.');
  const name = (what: string, at: string | undefined): string[] =>
    at === undefined ? [] : [`${what} ${Number(at) + 1}`];
  if (list === 'filters') return name('Condition', first);
  return list === 'userProperties' ? [...name('Group', first), ...name('Condition', second)] : [];
}

/** The field itself, else the first one of its row or its part that is marked. */
function focusOn(path: string): void {
  const own = document.querySelector<HTMLElement>(`[name="${CSS.escape(path)}"]`);
  const place = [`section[aria-label="${partOf(path)}"]`, ...rowsOf(path).map((name) => `[aria-label="${name}"]`)];
  const marked = [...document.querySelectorAll<HTMLElement>(`${place.join(' ')} [aria-invalid="true"]`)];
  // Of a row the value comes last.
  const inPlace = marked.at(path.endsWith('.value') ? -1 : 0);
  (own ?? inPlace ?? document.querySelector<HTMLElement>('form [aria-invalid="true"]'))?.focus();
}
