import type { Context } from "#context.ts";
import type { PreviewTarget } from "#planning/index.ts";

/** How long one part of a thread is, and whether it is too long. */
export interface PartCount {
  readonly text: string;
  readonly isTooLong: boolean;
}

type Measured = Pick<PreviewTarget, "captionLimit" | "partLengths">;

const numbers = new Intl.NumberFormat("en-GB");

/** The text length as the platform counts it, in words: `56 of 2,200 characters (most emoji count as two)`. */
export function captionCount(
  { adapterFor }: Pick<Context, "adapterFor">,
  { platform, captionLength, captionLimit }: Pick<PreviewTarget, "platform" | "captionLength" | "captionLimit">,
): string {
  const note = adapterFor(platform)?.limits.caption.note;
  const count = countOf(captionLength, captionLimit);
  return note === undefined ? count : `${count} (${note})`;
}

/** How much room the limit leaves, for an account's tab: `268 left` or `12 too many`. */
export function charactersLeft({
  captionLength,
  captionLimit,
}: Pick<PreviewTarget, "captionLength" | "captionLimit">): string {
  const left = captionLimit - captionLength;
  return left < 0 ? `${numbers.format(-left)} too many` : `${numbers.format(left)} left`;
}

export const problemCount = (count: number): string => `${count} ${count === 1 ? "problem" : "problems"}`;

/** The length of each thread part after the first. */
export function partCounts({ partLengths = [], captionLimit }: Measured): readonly PartCount[] {
  return partLengths.map((length) => ({ text: countOf(length, captionLimit), isTooLong: length > captionLimit }));
}

function countOf(length: number, limit: number): string {
  return `${numbers.format(length)} of ${numbers.format(limit)} characters`;
}
