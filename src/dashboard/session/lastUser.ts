// Who was logged in on this page last and where, for the login above it and for logins of other tabs.

export const lastUser: { id: string | null; email: string | null; organizationId: string | null } = {
  id: null,
  email: null,
  organizationId: null,
};
