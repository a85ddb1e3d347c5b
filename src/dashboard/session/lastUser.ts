// Who was logged in on this page last, for the login above it.

export const lastUser: { id: string | null; email: string | null } = { id: null, email: null };
