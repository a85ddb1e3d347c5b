// What the URL of one device names: its id, any text of up to 256 characters.
import { z } from 'zod';
import { givenText } from '../../parts/searchText.ts';

export const deviceSearch = z.object({ id: givenText });
