export { annotatePost } from "./annotations/annotate-post.ts";
export { NO_ANNOTATIONS } from "./annotations/annotation-rows.ts";
export { approveRequest } from "./approvals/approve.ts";
export { declineRequest, MAX_NOTE_CHARACTERS } from "./approvals/decline.ts";
export { getApproval, getApprovalOfUser } from "./approvals/get-approval.ts";
export { listApprovals, listApprovalsOfUser } from "./approvals/list-approvals.ts";
export { type ReviewedApproval, reviewApproval } from "./approvals/review.ts";
export { withdrawRequest, withdrawRequestsOfRevoked } from "./approvals/withdraw.ts";
export { cancelPost } from "./status/cancel-post.ts";
export { confirmBulk, type ConfirmedBulk } from "./confirm/confirm-bulk.ts";
export { confirmEdit } from "./confirm/confirm-edit.ts";
export { confirmPreview } from "./confirm/confirm-preview.ts";
export { confirmSchedule } from "./confirm/confirm-schedule.ts";
export { deauthorize } from "./status/deauthorize.ts";
export { deletePersonalData, finishOpenDeletions } from "./status/delete-personal-data.ts";
export { disconnectAccount, disconnectOnce } from "./status/disconnect-account.ts";
export { getOverview } from "./calendar/get-overview.ts";
export { erasePosts } from "./user/erase-posts.ts";
export { readLivePosts, type PostRange, splitPosts } from "./user/read-posts.ts";
export { stopPosts } from "./user/stop-posts.ts";
export { countWaitingPosts } from "./user/count-waiting-posts.ts";
export { findPostText, getPost, getPosts } from "./calendar/get-post.ts";
export { getPostRecord } from "./calendar/get-post-record.ts";
export { listCalendar } from "./calendar/list-calendar.ts";
export { getArchivedPost } from "./calendar/get-archived-post.ts";
export { listArchivedPosts } from "./calendar/list-archived-posts.ts";
export { listPosts, listPostTexts } from "./calendar/list-posts.ts";
export type { PostTextForm } from "./calendar/post-text-form.ts";
export {
  LATE_BY_MS_SQL,
  NEXT_ATTEMPT_AT_SQL,
  PAUSED_REASON_SQL,
  PUBLISHED_AT_SQL,
  TARGET_STATUS_SQL,
} from "./calendar/store-target-status.ts";
export { listAccountsWithPosts } from "./calendar/list-accounts-with-posts.ts";
export { ACCOUNT_POSTS_MAX } from "./calendar/store-account-posts.ts";
export { listAttempts } from "./calendar/list-attempts.ts";
export { pausePost } from "./status/pause-post.ts";
export { pausePostsOfAccounts } from "./status/pause-posts-of-accounts.ts";
export { ownMediaItems } from "./preview/media-lists.ts";
export { storedThreadMedia } from "./thread-media.ts";
export { type ComposerData, loadComposer, readCreators } from "./preview/load-composer.ts";
export { previewEdit } from "./edit/preview-edit.ts";
export { checkSchedule, type ScheduleCheck } from "./preview/check-schedule.ts";
export { previewBulk } from "./bulk/preview-bulk.ts";
export type { BulkInput, BulkRow, PreviewedBulk } from "./bulk/types.ts";
export { previewSchedule } from "./preview/preview-schedule.ts";
export { resumePostsOfAccounts } from "./status/resume-posts-of-accounts.ts";
export { resumePost } from "./status/resume-post.ts";
export { findNextSlots } from "./slots/find-next-slots.ts";
export { getSlots } from "./slots/get-slots.ts";
export { setSlots } from "./slots/set-slots.ts";
export type { NextSlots, ScheduleSlots } from "./slots/types.ts";
export { summarizeSchedule } from "./calendar/summarize-schedule.ts";
export type * from "./approvals/types.ts";
export type * from "./types.ts";
