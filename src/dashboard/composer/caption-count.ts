import type { Context } from "#context.ts";
import type { PreviewTarget } from "#posting/index.ts";

const numbers = new Intl.NumberFormat("en-GB");

/** `56 of 2,200 characters (most emoji count as two)`: the length as the platform counts it, in words for people. */
export function captionCount(
  { adapterFor }: Pick<Context, "adapterFor">,
  { platform, captionLength, captionLimit }: Pick<PreviewTarget, "platform" | "captionLength" | "captionLimit">,
): string {
  const note = adapterFor(platform)?.limits.caption.note;
  const count = `${numbers.format(captionLength)} of ${numbers.format(captionLimit)} characters`;
  return note === undefined ? count : `${count} (${note})`;
}
