import type { Services } from "#context.ts";
import { HOUR, MINUTE, SECOND, toIsoInstant } from "#core/clock.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { comparableText } from "#platforms/comparable-text.ts";
import { instant, naming } from "#core/message-parts.ts";
import type { PlatformLimits, ValidationWarning } from "#platforms/contract.ts";
import { RETRY_DEADLINE_MS } from "#posts/rows/state-machine.ts";
import type { PreviewTarget } from "#planning/plan/types.ts";
import { comparedPart, type NearbyQuery, type TextAtTime } from "./store-nearby-posts.ts";
import type { TargetValidation } from "./validate-targets.ts";

type DuplicateText = NonNullable<PlatformLimits["duplicateText"]>;

/** What has to be known of the posts around a post for daily caps and duplicate texts. */
export function nearbyQuery(services: Pick<Services, "adapterFor">): NearbyQuery {
  const adapters = PLATFORMS.flatMap((platform) => {
    const limits = services.adapterFor(platform)?.limits;
    return limits ? [{ platform, ...limits }] : [];
  });
  const caps = adapters.flatMap(({ platform, dailyCaps }) => dailyCaps.map((cap) => ({ platform, ...cap })));
  const windowOf = (platform: Platform) =>
    Math.max(...caps.filter((cap) => cap.platform === platform).map((cap) => cap.windowHours * HOUR));
  return {
    capWindows: Object.fromEntries(caps.map(({ platform }) => [platform, windowOf(platform)])),
    capRows: 2 * Math.max(0, ...caps.map(({ count }) => count)),
    // Posts are found by the time at which they were due, and some were published later.
    textWindows: Object.fromEntries(
      adapters.flatMap(({ platform, duplicateText }) =>
        duplicateText ? [[platform, duplicateText.windowSeconds * SECOND + RETRY_DEADLINE_MS]] : [],
      ),
    ),
  };
}

/**
 * The previews, with a warning for each account that gets the same text from another post so soon that its platform may refuse
 * the later one. Texts are compared without media and options: whether platforms take these into account is not documented.
 */
export function withDuplicateTextWarnings(
  { adapterFor }: Pick<Services, "adapterFor">,
  { targets, previews }: Pick<TargetValidation, "targets" | "previews">,
  textsOf: (accountId: string) => readonly TextAtTime[],
  at: number,
): PreviewTarget[] {
  const skipped = new Set(targets.filter((target) => target.skipped).map(({ accountId }) => accountId));
  return previews.map((preview) => {
    const { accountId, platform, effectiveCaption, limits, warnings } = preview;
    const duplicateText = (limits ?? adapterFor(platform)?.limits)?.duplicateText;
    if (!duplicateText || skipped.has(accountId)) {
      return preview;
    }
    const nearest = nearestDuplicate(duplicateText, textsOf(accountId), effectiveCaption, at);
    return nearest ? { ...preview, warnings: [...warnings, duplicateWarning(duplicateText, nearest)] } : preview;
  });
}

function nearestDuplicate(
  { windowSeconds }: DuplicateText,
  others: readonly TextAtTime[],
  caption: string,
  at: number,
): TextAtTime | undefined {
  const text = comparableText(comparedPart(caption));
  const distance = (other: TextAtTime) => Math.abs(other.at - at);
  return others
    .filter((other) => text !== "" && distance(other) <= windowSeconds * SECOND && comparableText(other.text) === text)
    .toSorted((a, b) => distance(a) - distance(b))[0];
}

function duplicateWarning({ windowSeconds, note }: DuplicateText, { postId, at }: TextAtTime): ValidationWarning {
  const window = formatWindow(windowSeconds * SECOND);
  const advice = `${note}: change one of the texts, or leave more than ${window} between the posts`;
  return {
    code: "duplicate_text",
    message: `this account has the same text in post ${postId} at ${toIsoInstant(at)}, and ${advice}`,
    parts: naming`this account has the same text in another post at ${instant(at)}, and ${advice}`.parts,
  };
}

function formatWindow(ms: number): string {
  return ms % HOUR === 0 ? `${ms / HOUR} hours` : `${Math.ceil(ms / MINUTE)} minutes`;
}
