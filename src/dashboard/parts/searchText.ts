// A text in the URL. The router reads `id=123` as a number: it is the text `123`.
import { z } from 'zod';

export const searchText = z
  .union([z.string().min(1), z.number(), z.boolean()])
  .transform(String)
  .optional()
  .catch(undefined);
