// What the URL of one device names: its id, any text of up to 256 characters.
import { z } from 'zod';
import { text } from '../../parts/searchParameters.ts';

export const deviceSearch = z.object({ id: text });
