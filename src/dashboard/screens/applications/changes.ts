// Which queries are read again after an edit of projects and applications: the lists, and the frame's picker.

export const workspaceTypes = ['Organization', 'Project', 'Application'];

/** For queries whose response may be an empty list. */
export const workspaceContext = { additionalTypenames: workspaceTypes };
