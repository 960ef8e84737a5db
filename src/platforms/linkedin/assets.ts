import { MINUTE, SECOND } from "#core/clock.ts";
import { type Answer, call, isOk, read } from "#platforms/answer.ts";
import type { Fault, Job, PlatformClient } from "#platforms/contract.ts";
import { rejected, temporary } from "#platforms/fault.ts";
import { hostMatches } from "#platforms/client.ts";
import { Asset } from "./answers.ts";
import { explained, toFault } from "./errors.ts";
import { hosts, restHeaders, restUrl } from "./hosts.ts";

/** Without a right to look, this is how long LinkedIn is given. */
const GRACE_MS = 20 * SECOND;
const PROCESSING_DEADLINE_MS = 10 * MINUTE;

/** How far LinkedIn is with an image or a video. */
export type Progress =
  | { readonly state: "available" }
  /** Nothing has arrived, as far as LinkedIn knows. */
  | { readonly state: "waiting_upload" }
  | { readonly state: "processing" }
  /** This login may not look, and enough time has passed. */
  | { readonly state: "presumed" }
  | { readonly state: "unseen"; readonly secondsLeft: number }
  | { readonly state: "refused"; readonly fault: Fault };

/** `since`: when the upload ended. */
export async function progressOf(
  client: PlatformClient,
  job: Job,
  collection: "images" | "videos",
  urn: string,
  since: number,
): Promise<Progress> {
  const { app, accessToken } = job.account;
  const answer = await call(client, restUrl(collection, urn), { headers: restHeaders(app, accessToken) });
  if (answer.status === 403) {
    // Members may upload and not look; that is how LinkedIn is, and no fault of this login.
    const left = since + GRACE_MS - job.now;
    return left > 0 ? { state: "unseen", secondsLeft: Math.ceil(left / SECOND) } : { state: "presumed" };
  }
  const asset = isOk(answer) ? read(Asset, answer) : undefined;
  if (asset?.status === "AVAILABLE") {
    return { state: "available" };
  }
  if (asset?.status === "PROCESSING_FAILED") {
    return { state: "refused", fault: processingFailed(answer, asset.processingFailureReason ?? "") };
  }
  if (!asset && answer.status !== 404) {
    return { state: "refused", fault: isOk(answer) ? unexpected(answer) : toFault(answer, job.now) };
  }
  if (job.now - since > PROCESSING_DEADLINE_MS) {
    return { state: "refused", fault: tooSlow(answer.status) };
  }
  return { state: asset?.status === "WAITING_UPLOAD" ? "waiting_upload" : "processing" };
}

function processingFailed(answer: Answer, reason: string): Fault {
  return rejected(
    explained("LinkedIn could not process the media", reason),
    { httpStatus: answer.status, platformCode: "PROCESSING_FAILED" },
    { code: "media_invalid", category: "media" },
  );
}

export function tooSlow(httpStatus: number | null): Fault {
  return rejected(
    "LinkedIn did not finish processing the media in time.",
    { httpStatus },
    { code: "processing_failed", category: "platform", whoMustAct: "platform" },
  );
}

export function unexpected(answer: Answer): Fault {
  return temporary("LinkedIn answered with something else than its document says.", { httpStatus: answer.status });
}

export function broken(): Fault {
  return temporary("The connection to LinkedIn broke during the upload.", { httpStatus: null });
}

/** A token or a file goes to that address: it must be LinkedIn's own. */
export function isUploadUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === "https:" && hostMatches(hosts, parsed.hostname);
}
