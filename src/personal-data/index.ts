export {
  deletionConsequences,
  type DeletionConsequences,
  requestDeletion,
  requestDeletionOf,
} from "./deletion/request-deletion.ts";
export { withdrawDeletion } from "./deletion/withdraw-deletion.ts";
export { findOwnExport, openExportFile } from "./export/open-export.ts";
export { startExport } from "./export/start-export.ts";
export type { DataExport } from "./export/store-exports.ts";
