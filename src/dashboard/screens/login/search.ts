// What the URLs in front of the login name: where it leads, and the token of a mail.
import { z } from 'zod';
import { text } from '../../parts/searchParameters.ts';

export const loginSearch = z.object({ next: text });

export const tokenSearch = z.object({ token: text });
