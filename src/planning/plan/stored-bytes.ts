import { byteLength } from "#core/bytes.ts";
import { searchTextOfPost } from "#posts/rows/search-text.ts";
import { annotationsBytes, rowBytes, type RowSize } from "#posts/rows/stored-bytes.ts";
import { newPostsOf, type PostInsert, type PostPlan, type PostUpdate, type TargetUpsert } from "./post-plan.ts";
import type { PlannedTime } from "./types.ts";

/** What the limit of previews alone bounds: a preview that stores no more counts only there. */
export const SHORT_PLAN_BYTES = 4 * 1024;

const POST_ROW: RowSize = { base: 850, shared: 4000 };
const TARGET_ROW: RowSize = { base: 300, shared: 1050 };

/** Changes that store no text of the post again. */
const FIELDS_WITHOUT_TEXT: ReadonlySet<string> = new Set(["labels", "scheduled_at", "status"]);

/** By how many bytes the database grows at most when the plan is confirmed: each account has its text, and searches read a copy. */
export function storedBytesOf(plan: PostPlan): number {
  return sum(
    plan.kind === "edit" ? plan.posts.map(bytesOfUpdate) : newPostsOf(plan).map(({ post }) => bytesOfPost(post)),
  );
}

function bytesOfPost(post: PostInsert<PlannedTime>): number {
  const texts = [post.caption, JSON.stringify(post.media), searchTextOfPost(post)];
  const annotations = post.annotations ? annotationsBytes(post.annotations) : 0;
  return rowBytes(POST_ROW, texts) + sum(post.targets.map(bytesOfTarget)) + annotations;
}

function bytesOfTarget({ caption, effectiveCaption, options, requestedOptions, media }: TargetUpsert): number {
  const json = [options, requestedOptions, media].map((value) => JSON.stringify(value));
  return rowBytes(TARGET_ROW, [caption ?? "", effectiveCaption, ...json]);
}

function bytesOfUpdate({ caption, media, searchText, targets, labels, changes }: PostUpdate<PlannedTime>): number {
  const record = byteLength(JSON.stringify(changes));
  if (changes.every(({ field }) => FIELDS_WITHOUT_TEXT.has(field))) {
    return (
      record + (labels ? annotationsBytes({ externalId: null, metadata: {}, labels: labels.after, notes: null }) : 0)
    );
  }
  const texts = [caption, JSON.stringify(media), searchText ?? ""];
  return record + rowBytes(POST_ROW, texts) + sum(targets.map(bytesOfTarget));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The bytes that count towards those of the hour: none of a plan that the limit of previews bounds. */
export function countedBytesOf(plan: PostPlan): number {
  const bytes = storedBytesOf(plan);
  return bytes <= SHORT_PLAN_BYTES * (plan.kind === "bulk" ? plan.posts.length : 1) ? 0 : bytes;
}
