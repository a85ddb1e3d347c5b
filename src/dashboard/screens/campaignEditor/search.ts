// What the URL of the editor names: the campaign to edit, or the one to copy. Without both it is a new campaign.
import { z } from 'zod';

const id = z.uuid().optional().catch(undefined);

export const editorSearch = z.object({ id, copy: id });
