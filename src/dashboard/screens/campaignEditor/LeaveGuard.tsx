// Asks before somebody leaves the editor with unsaved changes; the browser asks where the tab is closed.
import { useBlocker } from '@tanstack/react-router';
import { Confirm } from '../../parts/Confirm.tsx';

/** `isUnsaved` is asked at the moment of leaving. */
export function LeaveGuard({ isUnsaved }: { isUnsaved: () => boolean }) {
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
