import type { RefusalDetail, RefusalError } from "#core/errors.ts";

/** The problems that a refusal lists. A refusal without a list counts as one problem itself. */
export function problemsOfRefusal({ refusal }: RefusalError): readonly RefusalDetail[] {
  const { code, details = [], message, postIds = [] } = refusal;
  return details.length > 0
    ? details.map((detail) => (detail.code === "quota_exceeded" ? { ...detail, message } : detail))
    : code === "post_changed"
      ? postIds.map((id) => ({ code: "post_changed", message: `post ${id} was changed since the preview`, actual: id }))
      : [{ code: "invalid_state", message }];
}
