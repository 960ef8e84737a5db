/**
 * The client of Almanac: {@link Almanac} for the calls, {@link verifyWebhook} for what the service sends.
 *
 * @packageDocumentation
 */
export { Almanac } from "./almanac.ts";
export type { AlmanacOptions, CancelResult, FollowOptions, IterateOptions, PostTable, RetryChange } from "./almanac.ts";
export type {
  AwaitingApproval,
  Confirmed,
  ConfirmedMany,
  ConfirmOptions,
  Decide,
  Declined,
  Edited,
  EditResult,
  Scheduled,
  ScheduledMany,
  ScheduleManyResult,
  ScheduleOptions,
  ScheduleResult,
} from "./confirm.ts";
export { AlmanacConnectionError, AlmanacError, isAlmanacError } from "./errors.ts";
export type { AlmanacErrorWith, AnyAlmanacError, ApprovalErrorCode } from "./errors.ts";
export type { Retry, RetryOptions, RetryReason, TokenRequest, TokenSource } from "./transport.ts";
export type {
  DocumentAddress,
  StreamSource,
  UploadOptions,
  UploadProgress,
  UploadSession,
  UploadSource,
} from "./upload.ts";
export { verifyWebhook, WebhookVerificationError } from "./webhook.ts";
export type { WebhookErrorCode, WebhookEvent, WebhookHeaders, WebhookRequest } from "./webhook.ts";
export type * from "./types.ts";
