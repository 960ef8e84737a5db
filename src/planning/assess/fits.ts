import type { RefusalDetail } from "#core/errors.ts";
import type { PlannedFit } from "#platforms/image-fitting.ts";
import type { Candidate } from "#planning/candidates/types.ts";
import type { MediaWithFacts } from "#planning/facts/types.ts";

/** An image that an account publishes as a copy. */
export interface TargetFit {
  readonly accountId: string;
  /** The part of its thread that shows the image, from 0 for the first after the post itself; null for the post. */
  readonly part: number | null;
  /** Whether only this account names the image. */
  readonly isOwn: boolean;
  readonly index: number;
  readonly source: MediaWithFacts;
  readonly plan: PlannedFit;
}

/** What an account publishes where copies are needed. */
export interface CopiedMedia {
  /** With the copies in their places; absent where the post itself needs none. */
  readonly media?: readonly MediaWithFacts[];
  /** The media of the parts of its thread that need copies, by the index of the part after the first. */
  readonly parts: ReadonlyMap<number, readonly MediaWithFacts[]>;
}

/** What does not fit, and what the copies would be. */
export interface TargetFits {
  readonly fits: readonly TargetFit[];
  /** The media of the accounts that need copies, as the copies will be. */
  readonly media: ReadonlyMap<string, CopiedMedia>;
  /** Why images of an account stay as they are although they do not fit. */
  readonly unavailable: ReadonlyMap<string, string>;
}

/** The media of accounts that publish copies, planned or made. */
export type MadeFits = Pick<TargetFits, "media" | "unavailable">;

/** The copies of every candidate that needs one. */
export type FitsByCandidate<Fits extends MadeFits = MadeFits> = ReadonlyMap<Candidate, Fits>;

/** Adds why the refused images of an account are not made to fit. */
export function withFitProblems(
  problems: readonly RefusalDetail[],
  { unavailable = new Map() }: Partial<Pick<MadeFits, "unavailable">> = {},
): readonly RefusalDetail[] {
  const refused = [...unavailable].flatMap(([accountId, message]): RefusalDetail[] => {
    const problem = problems.find((one) => one.accountId === accountId && one.code.startsWith("media_"));
    const { platform, param } = problem ?? {};
    return problem === undefined
      ? []
      : [{ code: "fit_unavailable", message, accountId, ...(platform && { platform }), ...(param && { param }) }];
  });
  return [...problems, ...refused];
}
