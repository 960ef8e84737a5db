export { importMedia } from "./import.ts";
export { type MediaInput, type MediaRef, mediaRefs, ownProblem, resolveMedia } from "./resolve.ts";
export { findServed, mediaStatement, readMedia, type ServedMedia } from "./store.ts";
export { MAX_IMPORT_URLS, MAX_POST_MEDIA } from "./limits.ts";
export type { MediaFacts, MediaItem, ResolvedMedia } from "./types.ts";
export { isMediaId, mediaIdOf, mediaKey, mediaUrl } from "./urls.ts";
