// The devices of an application: found by their id, their user, their properties or when they were seen.
import { SegmentedControl, Stack, Switch } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { AllDevices } from './AllDevices.tsx';
import { DevicesOfUser } from './DevicesOfUser.tsx';
import type { DevicesSearch } from '../searches.ts';

export interface DevicesPart {
  applicationId: string;
  timeZone: string;
  search: DevicesSearch;
  /** Changes the URL. A change of anything but the page begins at the first page. */
  change: (change: Partial<DevicesSearch>, replace?: boolean) => void;
}

export function Devices() {
  const { applicationId, timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/devices' });
  const navigate = useNavigate({ from: '/apps/$applicationId/devices' });
  const [ofUser, setOfUser] = useState(search.user !== undefined);
  const oneUser = search.user !== undefined || ofUser;
  const part: DevicesPart = {
    applicationId,
    timeZone,
    search,
    change: (next, replace = false) =>
      void navigate({ search: (last) => ({ ...last, after: undefined, ...next }), replace }),
  };
  return (
    <>
      <PageHead title="Devices" about={`The devices that have sent sessions. Times in ${timeZone}.`}>
        <Switch
          label="Test devices"
          checked={search.test ?? false}
          onChange={({ target }) => part.change({ test: target.checked || undefined })}
        />
      </PageHead>
      <Panel>
        <Stack gap="sm">
          <SegmentedControl
            size="xs"
            style={{ alignSelf: 'flex-start' }}
            aria-label="Which devices"
            value={oneUser ? 'user' : 'all'}
            onChange={(value) => {
              setOfUser(value === 'user');
              if (value === 'all' && search.user !== undefined) part.change({ user: undefined });
            }}
            data={[
              { value: 'all', label: 'All devices' },
              { value: 'user', label: 'Of one user' },
            ]}
          />
          {oneUser ? <DevicesOfUser {...part} /> : <AllDevices {...part} />}
        </Stack>
      </Panel>
    </>
  );
}
