/** What to do with an image that a platform would refuse: add borders (`pad`), crop it, or refuse the post (`none`). */
export type FitMode = "pad" | "crop" | "none";

/** The reasons why the service publishes a changed copy of an image instead of the original. */
export const FIT_REASON_MEANINGS = {
  ratio: "Its width divided by its height.",
  unequal: "The first image of the post has another shape or size.",
  dimensions: "Its width or height.",
  bytes: "The size of the file.",
  format: "The type of the file.",
} as const;
export type FitReason = keyof typeof FIT_REASON_MEANINGS;
export const FIT_REASONS = Object.keys(FIT_REASON_MEANINGS) as readonly FitReason[];
