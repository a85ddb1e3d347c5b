// Who holds a purchase that several external ids have brought, in words (schema.graphql, "Owners").
import type { EntitlementPolicy } from '../../../../generated/screens/enums.ts';

export const policies: Record<EntitlementPolicy, { label: string; about: string }> = {
  KEEP: { label: 'Keep', about: 'The owner’s devices hold a purchase, and no others.' },
  TRANSFER: {
    label: 'Transfer',
    about: 'The external id of the latest upload takes it, and everybody else loses it.',
  },
  SHARE: { label: 'Share', about: 'All of them hold it, also a stranger who has learned the id of the transaction.' },
};
