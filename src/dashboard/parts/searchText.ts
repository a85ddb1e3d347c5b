// A text of a stranger as a search parameter: `?id=7` by hand is the text 7.
import { z } from 'zod';

export const givenText = z
  .union([z.string(), z.number(), z.boolean()])
  .transform(String)
  .pipe(z.string().min(1))
  .optional()
  .catch(undefined);
