import { sha256Hex } from "#core/encoding.ts";
import { canonicalJson } from "#core/json.ts";
import type { AssessedSet } from "#planning/assess/assess.ts";
import type { NewPostSet } from "#planning/candidates/new-posts.ts";
import type { BulkPreview } from "#planning/plan/bulk-types.ts";
import type { PlannedPost } from "./new-post.ts";

/** Builds the preview of many posts, with the problems of those that are left out. */
export async function presentBulk(
  assessed: readonly AssessedSet<NewPostSet>[],
  planned: readonly PlannedPost[],
): Promise<BulkPreview> {
  const previews = new Map(planned.map(({ row, preview }) => [row, preview]));
  const hashes = planned.map(({ post }) => post.planHash);
  return {
    action: "bulk",
    posts: assessed.map(({ set, problems }, index) => {
      const { row = index + 1 } = set.post;
      return { row, preview: previews.get(row) ?? null, problems };
    }),
    planHash: hashes.length === 0 ? null : await sha256Hex(canonicalJson(hashes)),
  };
}
