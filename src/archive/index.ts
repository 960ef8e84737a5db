export { archivePosts } from "./archive-posts.ts";
export { eraseArchivedAccounts } from "./erase-accounts.ts";
export { eraseArchive } from "./erase-workspaces.ts";
export { archivedAmong, findArchived, isArchived } from "./find-archived.ts";
export { listArchived } from "./list-archived.ts";
export { type PartRange, readArchive, splitArchive } from "./read-parts.ts";
export { ARCHIVED_STATUSES, type ArchivedPost, type ArchivedTargetRow } from "./types.ts";
