// The form of one campaign: its parts, what stands beside them, and its foot with what goes wrong.
import { Alert, Anchor, Button, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState, type KeyboardEvent } from 'react';
import { SaveCampaignDocument } from '../../../../generated/screens/campaignEditor/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import type { SeenApplication } from '../../session/me.ts';
import { Action } from './Action.tsx';
import { Aside } from './Aside.tsx';
import classes from './CampaignEditor.module.css';
import { Conflict, type Base } from './Conflict.tsx';
import { changedParts, emptyDraft, type Draft, type EditedCampaign } from './draft.ts';
import { draftSchema } from './draftProblems.ts';
import type { CampaignForm } from './fields.ts';
import { Frequency } from './Frequency.tsx';
import { General } from './General.tsx';
import { LeaveGuard } from './LeaveGuard.tsx';
import { Problems } from './Problems.tsx';
import { isOutdated, saidError, saveInput } from './saving.ts';
import { Schedule } from './Schedule.tsx';
import { Targeting } from './Targeting.tsx';
import { Trigger } from './Trigger.tsx';

interface EditorFormProps {
  application: SeenApplication;
  /** Null for a new campaign, a copy too. */
  campaign: EditedCampaign | null;
  start: Draft;
}

export function EditorForm({ application, campaign, start }: EditorFormProps) {
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
      void navigate({ href: `/apps/${applicationId}/campaign?id=${id}` });
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
  const leave = `/apps/${applicationId}/${base.campaign ? `campaign?id=${base.campaign.id}` : 'campaigns'}`;
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
      <div className={classes.columns}>
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
      </div>
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
          <Anchor component={Link} to={leave} size="sm">
            Cancel
          </Anchor>
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
