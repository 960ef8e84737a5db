export { completeMultipartUpload } from "./upload/complete-multipart-upload.ts";
export { importMedia } from "./import/import-media.ts";
export { MAX_POST_MEDIA } from "./limits.ts";
export { receiveFile } from "./upload/receive-file.ts";
export { receivePart } from "./upload/receive-part.ts";
export type { UploadBody } from "./upload/receive-upload-body.ts";
export {
  type MediaInput,
  type MediaRef,
  mediaRefs,
  mediaItemProblem,
  resolveMedia,
} from "./import/resolve-media-refs.ts";
export { verifyUploadUrl, type UploadGrant, type UploadSlot } from "./upload/signed-upload-url.ts";
export { type StartedUpload, startUpload } from "./upload/start-upload.ts";
export { findServableMedia, mediaStatement, parseMediaRows, type ReadyMediaRow } from "./store.ts";
export { sweepMedia } from "./cleanup/sweep-media.ts";
export type { ResolvedMedia } from "./types.ts";
export { getUploadProgress } from "./upload/get-upload-progress.ts";
export { isMediaId, mediaIdOf, mediaKey } from "./urls.ts";
