// The devices that belong or have belonged to one user of the app.
import { useQuery } from 'urql';
import { UserDevicesDocument } from '../../../../generated/screens/devices/graphql.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { CursorPages } from '../../parts/table/CursorPages.tsx';
import { TypedText } from '../../parts/TypedText.tsx';
import { DeviceTable } from './DeviceTable.tsx';
import type { DevicesPart } from './Devices.tsx';

export function DevicesOfUser(part: DevicesPart) {
  const { search, change } = part;
  return (
    <>
      <TypedText
        label="User"
        description="The whole id that your app gives the SDK"
        maxLength={256}
        w={320}
        value={search.user ?? ''}
        change={(text) => change({ user: text === '' ? undefined : text }, true)}
      />
      {search.user === undefined ? (
        <Empty title="Which user?">All devices that are or were this user’s appear here.</Empty>
      ) : (
        <Found {...part} user={search.user} />
      )}
    </>
  );
}

function Found({ applicationId, timeZone, search, change, user }: DevicesPart & { user: string }) {
  const { test, after } = search;
  const variables = { applicationId, userId: user, includeTest: test ?? false, after: after ?? null };
  const [result, read] = useQuery({ query: UserDevicesDocument, variables });
  return (
    <Loaded result={result} pick={(data) => data.userDevices} retry={() => read({ requestPolicy: 'network-only' })}>
      {({ nodes, total, endCursor, hasMore, asOf }) => (
        <div>
          <DeviceTable
            applicationId={applicationId}
            timeZone={timeZone}
            caption="Devices of the user, the one seen last first"
            rows={nodes}
            asOf={asOf}
            empty={<Empty title="No device of this user">Upper and lower case are different here.</Empty>}
          />
          <CursorPages
            things={total === 1 ? 'device' : 'devices'}
            shown={nodes.length}
            total={total}
            after={after}
            endCursor={endCursor}
            hasMore={hasMore}
            go={(next) => change({ after: next })}
          />
        </div>
      )}
    </Loaded>
  );
}
