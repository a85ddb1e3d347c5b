// Where a login lands: at the application that was shown last, or where the first one is made.
import { Navigate } from '@tanstack/react-router';
import { useChosenApplication } from '../../shell/chosenApplication.ts';

export function Start() {
  const chosen = useChosenApplication();
  if (!chosen) return <Navigate to="/applications" replace />;
  return <Navigate to="/apps/$applicationId/live" params={{ applicationId: chosen.id }} replace />;
}
