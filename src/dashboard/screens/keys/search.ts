// What the URL of the keys names: whether revoked ones are listed too.
import { z } from 'zod';
import { flag } from '../../parts/searchParameters.ts';

export const keysSearch = z.object({ revoked: flag });
