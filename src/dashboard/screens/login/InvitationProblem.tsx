// Says why the token of an invitation does not work, and what to do.
import { Alert } from '@mantine/core';
import type { ApiError } from '../../api/apiError.ts';

export function InvitationProblem({ error }: { error: ApiError | null }) {
  if (error?.code !== 'INVALID_TOKEN') return null;
  return (
    <Alert color="red" variant="light" role="alert" title="This invitation cannot be accepted here.">
      The link has expired, was used before, or a later invitation has replaced it. Or the invitation is for another
      address than that of the account. Ask for another invitation.
    </Alert>
  );
}
