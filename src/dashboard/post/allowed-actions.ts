import type { PostRecord } from "#posts/index.ts";
import { isPublic } from "#dashboard/wording/post-state.ts";

/** What a person can do with the post in its present state. Use cases check it again when the form arrives. */
export interface AllowedActions {
  readonly edit: boolean;
  readonly move: boolean;
  readonly pause: boolean;
  readonly resume: boolean;
  /** What a cancel would end. `retry`: only the targets that are not published yet; the published ones stay. */
  readonly cancel: "post" | "retry" | null;
  readonly retry: boolean;
}

export function allowedActions(
  { post, accounts }: PostRecord,
  { now, subscribed }: { readonly now: number; readonly subscribed: boolean },
): AllowedActions {
  const { status, targets } = post;
  const isWaiting = status === "scheduled" || status === "paused";
  const hasPublication = targets.some(isPublic);
  const hasFailed = targets.some((target) => target.status === "failed");
  const retry = post.archived !== true && (status === "failed" || status === "partially_failed") && hasFailed;
  const isUsable = targets.some(
    (target) => target.status === "pending" && accounts.get(target.accountId)?.status === "active",
  );
  return {
    edit: isWaiting || retry,
    move: isWaiting,
    pause: status === "scheduled" && !hasPublication,
    resume: status === "paused" && post.scheduledAt > now && isUsable && subscribed,
    cancel: isWaiting ? (hasPublication ? "retry" : "post") : null,
    retry,
  };
}
