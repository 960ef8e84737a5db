import type { RefusalDetail } from "#core/errors.ts";
import type { PlannedFit } from "#platforms/image-fitting.ts";
import type { Candidate } from "#planning/candidates/types.ts";
import type { MediaWithFacts } from "#planning/facts/types.ts";

/** An image of which an account publishes a changed copy. */
export interface TargetFit {
  readonly accountId: string;
  /** The thread part that shows the image, where 0 is the first part after the post itself. Null for the post. */
  readonly part: number | null;
  /** Whether only this account publishes the image, as its own media. */
  readonly isOwn: boolean;
  readonly index: number;
  readonly source: MediaWithFacts;
  readonly plan: PlannedFit;
}

/** What an account publishes if some images must be copies. */
export interface CopiedMedia {
  /** The media of the post, with fitting copies in place of the originals. Absent if the post itself needs no copies. */
  readonly media?: readonly MediaWithFacts[];
  /** The media of thread parts that need copies, by the index of the part after the first. */
  readonly parts: ReadonlyMap<number, readonly MediaWithFacts[]>;
}

/** Which images do not fit, and what the copies would be. */
export interface TargetFits {
  readonly fits: readonly TargetFit[];
  /** By account that needs copies: its media with the copies as they will be. */
  readonly media: ReadonlyMap<string, CopiedMedia>;
  /** By account: why images stay as they are although they do not fit. */
  readonly unavailable: ReadonlyMap<string, string>;
}

/** By account: the media with copies, whether these are planned or made. */
export type MadeFits = Pick<TargetFits, "media" | "unavailable">;

/** The copies of every candidate that needs some. */
export type FitsByCandidate<Fits extends MadeFits = MadeFits> = ReadonlyMap<Candidate, Fits>;

/** Adds to the problems of an account's refused images why no fitting copy is made. */
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
