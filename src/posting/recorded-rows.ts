/** The rows of posts and approvals that events hold, and how they are read. */
export { type PostRow, toPost } from "./calendar/post-rows.ts";
export { type ApprovalRow, toApproval } from "./approvals/store-approvals.ts";
export { withUrl } from "./approvals/approval-reference.ts";
