export { archivePosts } from "./archive-posts.ts";
export { eraseArchivedAccounts } from "./erase-accounts.ts";
export { archivedAmong, findArchived, isArchived } from "./find-archived.ts";
export { listArchived } from "./list-archived.ts";
export { ARCHIVED_STATUSES, type ArchivedPost, type ArchivedTargetRow } from "./types.ts";
