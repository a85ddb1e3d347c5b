// What the URL of the keys names: whether revoked ones are listed too.
import { z } from 'zod';

export const keysSearch = z.object({ revoked: z.boolean().optional().catch(undefined) });
