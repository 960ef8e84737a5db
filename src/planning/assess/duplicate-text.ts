import type { Services } from "#context.ts";
import { HOUR, MINUTE, SECOND, toIsoInstant } from "#core/clock.ts";
import { comparableText } from "#platforms/comparable-text.ts";
import { instant, naming } from "#core/message-parts.ts";
import type { PlatformLimits, ValidationWarning } from "#platforms/contract.ts";
import type { PreviewTarget } from "#planning/plan/types.ts";
import { comparedPart } from "#planning/facts/store-nearby-posts.ts";
import type { TextAtTime } from "#planning/facts/types.ts";
import type { TargetValidation } from "./validate-targets.ts";

/** The other texts that an account posts. */
interface OtherTexts {
  readonly compared: readonly TextAtTime[];
  /** The times of posts whose texts are not compared, but which may stand between two compared ones. */
  readonly laterTimes: readonly number[];
}

type DuplicateText = NonNullable<PlatformLimits["duplicateText"]>;

/**
 * Adds a warning for each account that gets the same text from another post so soon that the platform may refuse the
 * later one. Only texts are compared, because no platform documents whether media and options count.
 */
export function withDuplicateTextWarnings(
  { adapterFor }: Pick<Services, "adapterFor">,
  { targets, previews }: Pick<TargetValidation, "targets" | "previews">,
  textsFor: (accountId: string) => OtherTexts,
  at: number,
): PreviewTarget[] {
  const skipped = new Set(targets.filter((target) => target.skipped).map(({ accountId }) => accountId));
  return previews.map((preview) => {
    const { accountId, platform, effectiveCaption, limits, warnings } = preview;
    const duplicateText = (limits ?? adapterFor(platform)?.limits)?.duplicateText;
    if (!duplicateText || skipped.has(accountId)) {
      return preview;
    }
    const nearest = nearestDuplicate(duplicateText, textsFor(accountId), effectiveCaption, at);
    return nearest ? { ...preview, warnings: [...warnings, duplicateWarning(duplicateText, nearest)] } : preview;
  });
}

function nearestDuplicate(
  { windowSeconds }: DuplicateText,
  { compared: others, laterTimes }: OtherTexts,
  caption: string,
  at: number,
): TextAtTime | undefined {
  const text = comparableText(comparedPart(caption));
  const distance = (other: TextAtTime) => Math.abs(other.at - at);
  const compared =
    windowSeconds === null
      ? neighboursOf(others, laterTimes, at)
      : others.filter((other) => distance(other) <= windowSeconds * SECOND);
  return compared
    .filter((other) => text !== "" && comparableText(other.text) === text)
    .toSorted((a, b) => distance(a) - distance(b))[0];
}

/**
 * The last posts up to a time and the first ones from it on. Posts of the same instant may be published in any order.
 */
function neighboursOf(others: readonly TextAtTime[], laterTimes: readonly number[], at: number): readonly TextAtTime[] {
  const times = [...others.map((other) => other.at), ...laterTimes];
  const last = Math.max(...times.filter((time) => time <= at));
  const next = Math.min(...times.filter((time) => time >= at));
  return others.filter((other) => other.at === last || other.at === next);
}

function duplicateWarning({ windowSeconds, note }: DuplicateText, { postId, row, at }: TextAtTime): ValidationWarning {
  const apart =
    windowSeconds === null
      ? "publish another post between them"
      : `leave more than ${formatWindow(windowSeconds * SECOND)} between the posts`;
  const advice = `${note}: change one of the texts, or ${apart}`;
  const [post, inWords] = row === undefined ? [`post ${postId}`, "another post"] : [`row ${row}`, `row ${row}`];
  return {
    code: "duplicate_text",
    message: `this account has the same text in ${post} at ${toIsoInstant(at)}, and ${advice}`,
    parts: naming`this account has the same text in ${inWords} at ${instant(at)}, and ${advice}`.parts,
  };
}

function formatWindow(ms: number): string {
  return ms % HOUR === 0 ? `${ms / HOUR} hours` : `${Math.ceil(ms / MINUTE)} minutes`;
}
