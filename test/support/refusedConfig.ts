// What the tests of the environment share: a whole environment of production, and the refusal of one that is not usable.
import { readConfig } from '../../src/config.ts';
import { keyList } from './keys.ts';

export const keyOf = (number: number) => keyList(String(number));
export const production = {
  ...{ NODE_ENV: 'production', SIGNUP: 'first' },
  DATABASE_URL: 'postgresql://service:hunter2@db.internal:5432/app?sslmode=verify-full',
  ENCRYPTION_KEY: keyOf(1),
  TOKEN_KEY: keyOf(2),
  DASHBOARD_URL: 'https://dashboard.example.com',
  SMTP_URL: 'smtp://service:hunter4@mail.internal:587',
};

/** What production needs and has no default for. */
export const lacking = ['DASHBOARD_URL', 'DATABASE_URL', 'ENCRYPTION_KEY', 'SIGNUP', 'SMTP_URL', 'TOKEN_KEY'];

/** The message of the refusal. */
export function refusal(env: Record<string, string | undefined>): string {
  try {
    readConfig(env);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('this environment was accepted');
}

/** The variables that a message names, one per line. */
export const named = (message: string) => [...message.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name).sort();
