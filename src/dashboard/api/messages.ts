// What a person reads for each code of an error, where the screen has no better word.
import type { ApiError, Code } from './apiError.ts';

type Message = string | ((error: ApiError) => string);

/** By `extensions.reason` of a `CONFLICT`. */
const conflicts: Record<string, string> = {
  full: 'Too many deliveries of this webhook wait. Try again when some have ended.',
  last_owner: 'The organization needs at least one active owner. Make another member an owner first.',
  already_member: 'This person already belongs to the organization.',
  email_unconfirmed: 'Confirm your own e-mail address first. Your profile can send you the mail again.',
  email_in_use: 'Another account has this e-mail address.',
};

const messages: Partial<Record<Code, Message>> = {
  NO_RESPONSE: 'The service gave no response. Check your connection.',
  INTERNAL_SERVER_ERROR: 'The service failed. Try again; if it stays, tell your operator the request below.',
  FORBIDDEN: 'Your role may not do this.',
  NOT_FOUND: 'This does not exist any more.',
  CONFLICT: ({ extensions, message }) => conflicts[String(extensions['reason'])] ?? message,
  NO_ORGANIZATION: 'Your account belongs to no organization any more.',
  RATE_LIMITED: ({ extensions }) => {
    const minutes = Math.ceil(Number(extensions['retryAfterSeconds']) / 60);
    return `Too many attempts. Try again in ${minutes} min.`;
  },
  INVALID_CREDENTIALS: 'The e-mail address or the password is wrong.',
  INVALID_TOKEN: 'This link has expired or was used before.',
  BAD_USER_INPUT: 'Some values cannot be used.',
  PAYLOAD_TOO_LARGE: 'This is too large to send.',
  ANALYTICS_UNAVAILABLE: ({ extensions }) => {
    if (extensions['reason'] === 'off') return 'Reports are turned off on this service (ANALYTICS=off).';
    if (extensions['reason'] === 'busy') return 'Many reports are being read right now. Try again in some seconds.';
    if (extensions['reason'] === 'stopped')
      return 'Reports cannot be read: the service cannot keep its copy of the events. Whoever runs it finds the reason in its log.';
    if (extensions['reason'] !== 'building') return 'Reports are not available right now.';
    const done = Math.floor(Number(extensions['progress'] ?? 0) * 100);
    return `The copy of the events for reports is being built: ${done} % are done.`;
  },
};

export function messageOf(error: ApiError): string {
  const message = messages[error.code];
  if (message === undefined) return error.message;
  return typeof message === 'string' ? message : message(error);
}
