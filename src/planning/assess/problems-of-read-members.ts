import type { RefusalDetail } from "#core/errors.ts";

/** By member of the request: whether a problem depends on this member, besides the member's own problems. */
const DEPENDS_ON: Readonly<Record<string, (problem: RefusalDetail) => boolean>> = {
  account_ids: isAboutTargets,
  platforms: isAboutTargets,
  targets: isAboutTargets,
  target_options: isAboutTargets,
  scheduled_at: isAboutTime,
  shift_minutes: isAboutTime,
  shift_days: isAboutTime,
  time_of_day: isAboutTime,
  media_items: isAboutMedia,
  media_urls: isAboutMedia,
  remove_media: isAboutMedia,
};

/** Whether a problem is about accounts and their content. */
function isAboutTargets({ code, param, accountId }: RefusalDetail): boolean {
  return code === "targets_required" || accountId !== undefined || (param?.startsWith("platforms") ?? false);
}

function isAboutTime({ code, param }: RefusalDetail): boolean {
  return (
    code === "daily_cap_reached" ||
    code === "scheduled_at_required" ||
    param === "scheduled_at" ||
    param === "shift_minutes" ||
    param === "shift_days" ||
    param === "time_of_day"
  );
}

/**
 * Whether a problem is about media, or depends on them: media decide whether a text is required and which options are
 * allowed.
 */
function isAboutMedia({ code, param = "" }: RefusalDetail): boolean {
  return (
    code === "caption_required" ||
    /^(?:media|option)_/.test(code) ||
    param === "post_type" ||
    param.startsWith("media_")
  );
}

/** Leaves out problems that depend on members of the request which could not be read. */
export function problemsOfReadMembers(
  problems: readonly RefusalDetail[],
  unreadMembers: ReadonlySet<string> | undefined = new Set(),
): readonly RefusalDetail[] {
  const members = [...unreadMembers];
  return problems.filter((problem) => {
    const [member = ""] = (problem.param ?? "").split(/[.[]/, 1);
    return !unreadMembers.has(member) && !members.some((name) => DEPENDS_ON[name]?.(problem));
  });
}
