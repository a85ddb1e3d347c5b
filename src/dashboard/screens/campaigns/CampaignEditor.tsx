// Writes a new campaign, a copy of one, or edits one.
import { Alert, Anchor, Button, Group, List, Stack, Text } from '@mantine/core';
import { linkOptions, useBlocker, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useQuery } from 'urql';
import {
  CampaignToEditDocument,
  SaveCampaignDocument,
  type CampaignToEditQuery,
} from '../../../../generated/screens/campaigns/graphql.ts';
import { Confirm } from '../../parts/dialogs.tsx';
import { time } from '../../parts/figures.ts';
import { FormFoot, useApiForm } from '../../parts/form.tsx';
import { Columns, PageHead } from '../../parts/layout.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Allowed } from '../../parts/roles.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useApplication, type SeenApplication } from '../../session/me.ts';
import { Aside } from './Aside.tsx';
import classes from './CampaignEditor.module.css';
import {
  changedParts,
  copyOf,
  draftOf,
  emptyDraft,
  isOutdated,
  partNames,
  saidError,
  saveInput,
  type Draft,
  type EditedCampaign,
  type Part,
} from './draft.ts';
import { draftSchema } from './draftProblems.ts';
import { Action, Frequency, General, Schedule, Targeting, Trigger, type CampaignForm } from './sections.tsx';

export function NewCampaign() {
  const { copy } = useSearch({ from: '/inside/apps/$applicationId/campaigns/new' });
  return <CampaignEditor title={copy === undefined ? 'New campaign' : 'Copy of a campaign'} from={copy} isCopy />;
}

export function EditCampaign() {
  const { id } = useParams({ from: '/inside/apps/$applicationId/campaigns/$id/edit' });
  return <CampaignEditor title="Edit campaign" from={id} isCopy={false} />;
}

interface CampaignEditorProps {
  title: string;
  /** The stored campaign that the form begins with. */
  from: string | undefined;
  isCopy: boolean;
}

function CampaignEditor({ title, from, isCopy }: CampaignEditorProps) {
  const { application } = useApplication();
  if (!application) return <Empty title="Not found">There is no such application.</Empty>;
  return (
    <>
      <PageHead
        title={title}
        about={`${application.name} (${application.platform}). Times in ${application.timeZone}.`}
      />
      <Allowed least="editor" what="write and edit campaigns">
        {from === undefined ? (
          <EditorForm key={application.id} application={application} campaign={null} start={emptyDraft} />
        ) : (
          <Stored key={`${from} ${isCopy}`} application={application} id={from} isCopy={isCopy} />
        )}
      </Allowed>
    </>
  );
}

interface StoredProps {
  application: SeenApplication;
  id: string;
  isCopy: boolean;
}

function Stored({ application, id, isCopy }: StoredProps) {
  const [result, read] = useCampaignOnce(id);
  const { timeZone } = application;
  return (
    <Loaded
      result={result}
      pick={({ campaign }) => (campaign?.application.id === application.id ? campaign : null)}
      retry={read}
      lines={12}
    >
      {(campaign) =>
        isCopy ? (
          <EditorForm application={application} campaign={null} start={copyOf(draftOf(campaign, timeZone))} />
        ) : (
          <Editable application={application} campaign={campaign} />
        )
      }
    </Loaded>
  );
}

/** What is read later must not change the form under somebody's hands: `Conflict` asks first. */
function useCampaignOnce(id: string) {
  const [result, read] = useQuery({
    query: CampaignToEditDocument,
    variables: { id },
    requestPolicy: 'network-only',
  });
  const first = useRef<CampaignToEditQuery>(undefined);
  if (!result.fetching && result.data?.campaign) first.current ??= result.data;
  return [first.current ? { data: first.current, fetching: false } : result, read] as const;
}

function Editable({ application, campaign }: { application: SeenApplication; campaign: EditedCampaign }) {
  const [start] = useState(() => draftOf(campaign, application.timeZone));
  if (campaign.state === 'FINISHED' || campaign.state === 'ARCHIVED') {
    return (
      <Empty title={`This campaign is ${campaign.state.toLowerCase()}`}>
        <Text size="sm">Nobody can edit it any more. </Text>
        <TextLink
          to="/apps/$applicationId/campaigns/new"
          params={{ applicationId: application.id }}
          search={{ copy: campaign.id }}
        >
          Make a copy of it
        </TextLink>
      </Empty>
    );
  }
  return <EditorForm application={application} campaign={campaign} start={start} />;
}

interface EditorFormProps {
  application: SeenApplication;
  /** Null for a new campaign, a copy too. */
  campaign: EditedCampaign | null;
  start: Draft;
}

/** The form of one campaign: its parts, what stands beside them, and its foot with what goes wrong. */
function EditorForm({ application, campaign, start }: EditorFormProps) {
  const { id: applicationId, timeZone } = application;
  const [base, setBase] = useState<{ campaign: EditedCampaign | null; draft: Draft }>({ campaign, draft: start });
  const isSaved = useRef(false);
  const navigate = useNavigate();
  const { form, submit, sending, error } = useApiForm({
    initial: start,
    schema: draftSchema,
    document: SaveCampaignDocument,
    variables: (draft) => ({ input: saveInput(draft, { applicationId, timeZone, campaign: base.campaign }) }),
    done: ({ campaignEdit: { id } }) => {
      isSaved.current = true;
      void navigate({ to: '/apps/$applicationId/campaigns/$id', params: { applicationId, id } });
    },
  });
  const values = form.getValues();
  const isChanged = changedParts(base.draft, values).length > 0;
  const goOn = (newest: Base, next: Draft): void => {
    setBase(newest);
    form.setValues(next);
    form.clearErrors();
  };
  const isOver = error?.extensions['reason'] === 'not_editable' && base.campaign !== null;
  const leave = base.campaign
    ? linkOptions({ to: '/apps/$applicationId/campaigns/$id', params: { applicationId, id: base.campaign.id } })
    : linkOptions({ to: '/apps/$applicationId/campaigns', params: { applicationId } });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!hasBrokenTime(event.currentTarget, form)) submit(event);
      }}
      onKeyDown={saveByKeys}
      noValidate
    >
      <LeaveGuard isUnsaved={() => isChanged && !isSaved.current} />
      <Columns widths={[3, 2]}>
        <div className={classes.form}>
          <StateNote campaign={base.campaign} />
          <General form={form} />
          <Trigger form={form} applicationId={applicationId} />
          <Targeting form={form} applicationId={applicationId} />
          <Frequency form={form} />
          <Schedule form={form} timeZone={timeZone} />
          <Action form={form} />
        </div>
        <aside className={classes.aside} aria-label="Check and preview">
          <Aside application={application} draft={values} campaign={base.campaign} timeZone={timeZone} />
        </aside>
      </Columns>
      <div className={classes.foot}>
        {base.campaign && isOutdated(error, base.campaign) && (
          <Conflict base={{ ...base, campaign: base.campaign }} values={values} timeZone={timeZone} goOn={goOn} />
        )}
        <Problems form={form} />
        <FormFoot error={saidError(error)} sending={sending} label={base.campaign ? 'Save' : 'Save as a draft'}>
          {isOver && (
            <Button variant="default" onClick={() => setBase({ campaign: null, draft: emptyDraft })}>
              Go on as a new campaign
            </Button>
          )}
          <TextLink {...leave}>Cancel</TextLink>
          <Text size="xs" c="dimmed">
            {isChanged ? 'Unsaved changes. ' : ''}Ctrl+Enter saves.
          </Text>
        </FormFoot>
      </div>
    </form>
  );
}

/** Devices get an edit of a running campaign without a further step. */
function StateNote({ campaign }: { campaign: EditedCampaign | null }) {
  if (campaign?.state !== 'ACTIVE' && campaign?.state !== 'SCHEDULED') return null;
  return (
    <Alert color="indigo" variant="light" p="xs">
      <Text size="sm">
        This campaign is {campaign.state.toLowerCase()}. Devices get what you save at their next fetch.
      </Text>
    </Alert>
  );
}

/** Enter in a field does not send a page as long as this one: Ctrl+Enter does. */
function saveByKeys(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter') return;
  if (event.ctrlKey || event.metaKey) event.currentTarget.requestSubmit();
  else if (event.target instanceof HTMLInputElement && event.target.type !== 'checkbox') event.preventDefault();
}

/** A browser gives no value for a time of which a part is missing. Without this it would count as no time. */
function hasBrokenTime(element: HTMLFormElement, form: CampaignForm): boolean {
  const broken = [...element.querySelectorAll('input')].find(({ validity }) => validity.badInput);
  if (!broken) return false;
  form.setFieldError(broken.name, 'A part of the time is missing.');
  broken.focus();
  return true;
}

/** `isUnsaved` is asked at the moment of leaving. */
function LeaveGuard({ isUnsaved }: { isUnsaved: () => boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isUnsaved,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  return (
    <Confirm
      opened={status === 'blocked'}
      close={() => reset?.()}
      title="Leave without saving?"
      label="Leave"
      confirm={() => proceed?.()}
    >
      What you changed in this campaign is lost.
    </Confirm>
  );
}

interface Base {
  campaign: EditedCampaign;
  draft: Draft;
}

interface ConflictProps {
  /** What the form began with. */
  base: Base;
  values: Draft;
  timeZone: string;
  /** The form goes on from `newest` with these values. */
  goOn: (newest: Base, values: Draft) => void;
}

/** Somebody else has saved the campaign meanwhile: who and what, and how to go on without losing what is typed. */
function Conflict(props: ConflictProps) {
  const [result, read] = useQuery({
    query: CampaignToEditDocument,
    variables: { id: props.base.campaign.id },
    requestPolicy: 'network-only',
  });
  return (
    <Loaded result={result} pick={({ campaign }) => campaign} retry={read} lines={2}>
      {(campaign) =>
        // Until the newest version is here, there is nothing to compare with.
        campaign.version === props.base.campaign.version ? null : <Choice {...props} campaign={campaign} />
      }
    </Loaded>
  );
}

const namesOf = (list: Part[]): string => list.map((part) => partNames[part]).join(', ');

function Choice({ base, values, timeZone, goOn, campaign }: ConflictProps & { campaign: EditedCampaign }) {
  const newest = { campaign, draft: draftOf(campaign, timeZone) };
  const [mine, theirs] = [changedParts(base.draft, values), changedParts(base.draft, newest.draft)];
  const both = mine.filter((part) => theirs.includes(part));
  const merged = { ...newest.draft, ...Object.fromEntries(mine.map((part) => [part, values[part]])) };
  const who = campaign.updatedBy ?? 'Somebody';
  const stateMoved = campaign.state !== base.campaign.state;
  return (
    <Alert color="yellow" variant="light" role="alert" title="Somebody saved this campaign while you were editing">
      <Stack gap="xs" align="start">
        <Text size="sm">
          {who} made version {campaign.version} on {time(campaign.updatedAt, timeZone)} ({timeZone}).{' '}
          {theirs.length > 0 ? `Changed since you began: ${namesOf(theirs)}.` : 'No value has changed since you began.'}
          {stateMoved && ` The state is ${campaign.state} now.`}
        </Text>
        <Text size="sm">
          {both.length > 0
            ? `You changed these too, and your values would replace theirs: ${namesOf(both)}.`
            : `Nothing of yours is saved yet, and nothing is lost. You changed: ${namesOf(mine) || 'nothing'}.`}
        </Text>
        <Group gap="xs">
          <Button size="compact-sm" onClick={() => goOn(newest, merged)}>
            Load version {campaign.version} and keep my changes
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => goOn(newest, newest.draft)}>
            Load version {campaign.version} and drop my changes
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** Lists what keeps the campaign from being saved, each a way to its field: no problem hides on a long page. */
function Problems({ form }: { form: CampaignForm }) {
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
