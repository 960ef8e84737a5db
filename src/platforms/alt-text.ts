import { apiName, naming } from "#core/message-parts.ts";
import { PLATFORM_NAMES, type Platform } from "#core/platform.ts";
import type { MediaType } from "#core/status.ts";
import type { LimitRule, MediaDescription, PlatformLimits, ValidationProblem, ValidationWarning } from "./contract.ts";

/* Descriptions of media for people who cannot see them. A preview warns of descriptions that a platform has no place
   for, so that none disappears silently. */

/** The description that the platform gets. Undefined for an empty one. */
export function altTextOf({ altText = "" }: Pick<MediaDescription, "altText">): string | undefined {
  return altText.trim() === "" ? undefined : altText;
}

/** The limit of descriptions, in the form of `PlatformLimits.rules`. */
export function altTextLimits({ max, types }: PlatformLimits["media"]["altText"]): readonly LimitRule[] {
  return types.length === 0 || max === null ? [] : [{ of: "alt_text", measure: "length", max }];
}

/**
 * The problems of descriptions that are longer than the platform accepts. They count UTF-16 units, the strictest
 * reading of its limit.
 */
export function altTextProblems(
  platform: Platform,
  media: readonly MediaDescription[],
  { altText: { max, types } }: Pick<PlatformLimits["media"], "altText">,
): readonly ValidationProblem[] {
  return media.flatMap((item, index): readonly ValidationProblem[] => {
    const actual = altTextOf(item)?.length ?? 0;
    const said = naming`${PLATFORM_NAMES[platform]} accepts descriptions${apiName("alt_text")} of at most ${max ?? 0} characters`;
    return max !== null && types.includes(item.type) && actual > max
      ? [{ code: "alt_text_too_long", ...said, param: `media_items[${index}].alt_text`, limit: max, actual }]
      : [];
  });
}

const PLURALS = { image: "images", video: "videos" } as const satisfies Record<MediaType, string>;

/** Warnings about descriptions that nobody will read, because the platform takes none for this type of media. */
export function altTextWarnings(
  platform: Platform,
  media: readonly MediaDescription[],
  { altText: { types } }: Pick<PlatformLimits["media"], "altText">,
): readonly ValidationWarning[] {
  const lost = media.filter((item) => altTextOf(item) !== undefined && !types.includes(item.type));
  return [...new Set(lost.map(({ type }) => type))].map((type) => ({
    code: "alt_text_ignored",
    ...naming`${PLATFORM_NAMES[platform]} takes no descriptions of ${PLURALS[type]}${apiName("alt_text")}: they are left out there`,
  }));
}
