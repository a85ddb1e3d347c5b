// What the page checks of a new password before the service does (schema.graphql, "Passwords").
import { z } from 'zod';

export const newPasswords = z.object({
  newPassword: z.string().min(8, 'A password has at least 8 characters.').max(256),
  newPasswordRepeat: z.string(),
});

/** For `refine`. */
export const passwordsDiffer: [
  (values: { newPassword: string; newPasswordRepeat: string }) => boolean,
  { path: string[]; message: string },
] = [
  ({ newPassword, newPasswordRepeat }) => newPassword === newPasswordRepeat,
  { path: ['newPasswordRepeat'], message: 'The passwords differ.' },
];
