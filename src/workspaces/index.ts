export { activateWorkspace } from "./activate.ts";
export { createWorkspace } from "./create.ts";
export { listWorkspaces } from "./list.ts";
export { renameWorkspace } from "./rename.ts";
export type { Workspace } from "./types.ts";
