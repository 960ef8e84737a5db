export { LABELS_MAX, NO_ANNOTATIONS } from "./rows/store-annotation-rows.ts";
export { getOverview } from "./summary/get-overview.ts";
export { readLivePosts, type PostRange, splitPosts } from "./export/read-posts.ts";
export { findPostText, getPost, getPosts } from "./list/get-post.ts";
export { getPostRecord } from "./list/get-post-record.ts";
export { listAllPosts } from "./calendar/list-all-posts.ts";
export { type CancelledPost, cancelledPostsStatement } from "./calendar/store-calendar.ts";
export { listCalendar } from "./calendar/list-calendar.ts";
export { getArchivedPost } from "./list/get-archived-post.ts";
export { listArchivedPosts } from "./list/list-archived-posts.ts";
export { wordsOfSearch } from "./rows/search-text.ts";
export { listPosts, listPostTexts } from "./list/list-posts.ts";
export { type PostTextForm } from "./rows/post-text-form.ts";
export {
  LATE_BY_MS_SQL,
  NEXT_ATTEMPT_AT_SQL,
  PAUSED_REASON_SQL,
  PUBLISHED_AT_SQL,
  TARGET_STATUS_SQL,
} from "./rows/store-target-status.ts";
export { listAccountsWithPosts } from "./summary/list-accounts-with-posts.ts";
export { ACCOUNT_POSTS_MAX } from "./summary/store-account-posts.ts";
export { listAttempts } from "./list/list-attempts.ts";
export { storedThreadMedia } from "./rows/thread-media.ts";
export { summarizeSchedule } from "./summary/summarize-schedule.ts";
export type * from "./rows/types.ts";
export type * from "./list/types.ts";
export type * from "./calendar/types.ts";
export type * from "./summary/types.ts";
