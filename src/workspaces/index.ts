export { activateWorkspace } from "./activate.ts";
export { createWorkspace } from "./create.ts";
export { listWorkspaces } from "./list.ts";
export { renameWorkspace } from "./rename.ts";
export { setApprovalReauthentication } from "./set-approval-reauthentication.ts";
export type { Workspace } from "./types.ts";
