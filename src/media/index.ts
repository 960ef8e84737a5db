export { completeMultipartUpload } from "./upload/complete-multipart-upload.ts";
export { cancelUpload } from "./upload/cancel-upload.ts";
export { openChunkReader, TransferInterrupted } from "./chunk-reader.ts";
export { type MediaRange, readMediaFiles, splitMedia } from "./library/read-files.ts";
export { deleteMedia } from "./library/delete-media.ts";
export { type Library, type LibraryItem, listMedia, type MediaUses } from "./library/list-media.ts";
export type { LibraryPosition } from "./library/store-library.ts";
export { fitImages } from "./fit/defer-fits.ts";
export { unfitReason } from "./fit/unfit-reason.ts";
export { importImages } from "./import/import-images.ts";
export { importMedia } from "./import/import-media.ts";
export { MAX_BYTES_TEXT, MAX_IMPORT_URLS, MAX_SINGLE_UPLOAD_BYTES } from "./limits.ts";
export { receiveFile } from "./upload/receive-file.ts";
export { receiveUnsizedFile } from "./upload/receive-unsized-file.ts";
export { receivePart } from "./upload/receive-part.ts";
export type { UploadBody } from "./upload/receive-upload-body.ts";
export {
  type CoverInput,
  type MediaInput,
  type MediaList,
  type MediaItemInput,
  type MediaRef,
  mediaRefs,
  mediaItemProblem,
  resolveRefs,
  tooManyMediaProblem,
  withCovers,
  withUse,
} from "./import/resolve-media-refs.ts";
export { verifyUploadUrl, type UploadGrant, type UploadSlot } from "./upload/signed-upload-url.ts";
export { type StartedUpload, startUpload } from "./upload/start-upload.ts";
export {
  findServableMedia,
  mediaStatement,
  newestMediaStatement,
  parseMediaRows,
  parseReadyMediaRows,
  type ReadyMediaRow,
} from "./store.ts";
export { eraseMedia } from "./cleanup/erase-media.ts";
export { sweepMedia } from "./cleanup/sweep-media.ts";
export { isDocument, isMedia, type ResolvedDocument, type ResolvedFile, type ResolvedMedia } from "./types.ts";
export { getUploadProgress } from "./upload/get-upload-progress.ts";
export { CONTENT_TYPES, CONTENT_TYPES_TEXT, CONVERTED_TYPES, RECEIVED_TYPES_TEXT } from "./content-types.ts";
export { isMediaId, mediaIdOf, mediaKey } from "./urls.ts";
