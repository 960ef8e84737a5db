export { createDraft } from "./create-draft.ts";
export { deleteDraft } from "./delete-draft.ts";
export { deleteIdleDrafts } from "./delete-idle-drafts.ts";
export { getDraft } from "./get-draft.ts";
export { listDrafts } from "./list-drafts.ts";
export type * from "./types.ts";
export { type DatedDraft, datedDraftsStatement } from "./store.ts";
export { updateDraft } from "./update-draft.ts";
