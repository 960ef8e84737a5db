export {
  deletionConsequences,
  type DeletionConsequences,
  GRACE_MS,
  requestDeletion,
  requestDeletionOf,
} from "./deletion/request-deletion.ts";
export { findUserDeletion, type UserDeletion } from "./deletion/store-user-deletions.ts";
export { withdrawDeletion } from "./deletion/withdraw-deletion.ts";
export { findOwnExport, openExportFile } from "./export/open-export.ts";
export { startExport } from "./export/start-export.ts";
export { type DataExport, deleteExpiredExports } from "./export/store-exports.ts";
