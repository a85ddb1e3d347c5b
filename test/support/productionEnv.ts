// The smallest environment that production starts with; no server listens at its addresses.
import { keyList } from './keys.ts';

export const productionEnv = {
  NODE_ENV: 'production',
  // No proxy stands in front of a test's process.
  DRAIN_DELAY_SECONDS: '0',
  DATABASE_URL: 'postgresql://unused',
  SIGNUP: 'open',
  DASHBOARD_URL: 'https://dashboard.example.com',
  SMTP_URL: 'smtp://127.0.0.1:1',
  ENCRYPTION_KEY: keyList('encryption'),
  TOKEN_KEY: keyList('token'),
};
