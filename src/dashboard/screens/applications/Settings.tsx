// The settings of one application, and its deletion.
import { Button, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useQuery } from 'urql';
import {
  ApplicationDeleteDocument,
  ApplicationSettingsDocument,
  type ApplicationSettingsQuery,
} from '../../../../generated/screens/applications/graphql.ts';
import { Allowed } from '../../parts/access.tsx';
import { ConfirmedMutation } from '../../parts/ConfirmedMutation.tsx';
import { Copy } from '../../parts/Copy.tsx';
import { time } from '../../parts/figures.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { workspaceContext, workspaceTypes } from './changes.ts';
import { RemovedWithApplication } from './RemovedWithApplication.tsx';
import { SettingsForm } from './SettingsForm.tsx';

export function Settings() {
  const { applicationId, application } = useApplication();
  const [result, read] = useQuery({ query: ApplicationSettingsDocument, context: workspaceContext });
  const pick = ({ projects }: ApplicationSettingsQuery) => found(projects, applicationId);
  return (
    <>
      <PageHead
        title="Settings"
        about={`Name, time zone and test devices of ${application?.name ?? 'the application'}.`}
      />
      <Loaded result={result} pick={pick} retry={read} lines={8}>
        {(settings) => (
          <Stack key={applicationId}>
            <Panel title="Application">
              <Stack gap="sm">
                <Text size="sm" component="div">
                  Id, which the API and reports name it by: <Copy value={applicationId} label="the id" />
                </Text>
                <Text size="sm" c="dimmed">
                  Created {time(settings.application.createdAt, settings.application.timeZone)} (
                  {settings.application.timeZone}).
                </Text>
                <Allowed least="admin" what="edit an application">
                  <SettingsForm {...settings} />
                </Allowed>
              </Stack>
            </Panel>
            <Panel title="Delete the application">
              <Allowed least="admin" what="delete an application">
                <Deletion application={settings.application} />
              </Allowed>
            </Panel>
          </Stack>
        )}
      </Loaded>
    </>
  );
}

type Project = ApplicationSettingsQuery['projects'][number];
export type ApplicationWithSettings = NonNullable<Project['applications']>[number];

export interface FoundSettings {
  projects: Project[];
  project: Project;
  application: ApplicationWithSettings;
}

function found(projects: Project[], applicationId: string): FoundSettings | null {
  for (const project of projects) {
    const application = project.applications?.find(({ id }) => id === applicationId);
    if (application) return { projects, project, application };
  }
  return null;
}

function Deletion({ application: { id, name } }: { application: ApplicationWithSettings }) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  return (
    <Stack gap="sm" align="start">
      <RemovedWithApplication />
      <Button color="red" variant="outline" size="sm" onClick={() => setAsking(true)}>
        Delete …
      </Button>
      <ConfirmedMutation
        document={ApplicationDeleteDocument}
        variables={asking ? { id } : null}
        changes={workspaceTypes}
        close={() => setAsking(false)}
        done={() => void navigate({ to: '/applications' })}
        title={`Delete ${name}`}
        label="Delete the application"
        typed={name}
      >
        <RemovedWithApplication />
      </ConfirmedMutation>
    </Stack>
  );
}
