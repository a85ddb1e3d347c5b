// Where a login lands: at the overview of the application that was shown last, at its first event, or where one is made.
import { Navigate } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { AnyEventDocument } from '../../../../generated/screens/overview/graphql.ts';
import { Loading } from '../../parts/states.tsx';
import { useChosenApplication, type SeenApplication } from '../../session/me.ts';

export function Start() {
  const chosen = useChosenApplication();
  if (!chosen) return <Navigate to="/applications" replace />;
  return <StartOf application={chosen} />;
}

function StartOf({ application: { id } }: { application: SeenApplication }) {
  const [{ data, fetching }] = useQuery({
    query: AnyEventDocument,
    variables: { applicationId: id },
    requestPolicy: 'network-only',
  });
  if (fetching) return <Loading />;
  // Without a response the overview says what is wrong.
  const none = data?.eventNames?.nodes.length === 0;
  const to = none ? '/apps/$applicationId/first-event' : '/apps/$applicationId/overview';
  return <Navigate to={to} params={{ applicationId: id }} replace />;
}
