import { MINUTE, SECOND } from "#core/clock.ts";
import { type PlatformResponse, callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { Fault, Job, PlatformClient } from "#platforms/contract.ts";
import { rejected, temporary } from "#platforms/fault.ts";
import { hostMatches } from "#core/host-patterns.ts";
import { AssetStatus } from "./answers.ts";
import { refusalMessage, toAccountFault } from "./errors.ts";
import { hosts, restHeaders, restUrl } from "./hosts.ts";

/** How long LinkedIn gets to process an asset whose status this login may not read. */
const UNREADABLE_ASSET_WAIT_MS = 20 * SECOND;
const PROCESSING_DEADLINE_MS = 10 * MINUTE;

/** The processing state of an image, a video or a document. */
export type AssetProgress =
  | { readonly state: "available" }
  /** LinkedIn has not received the file. */
  | { readonly state: "waiting_upload" }
  | { readonly state: "processing" }
  /** This login may not read the status, and enough time has passed. */
  | { readonly state: "presumed_available" }
  /** This login may not read the status. */
  | { readonly state: "unreadable"; readonly waitSeconds: number }
  | { readonly state: "refused"; readonly fault: Fault };

/** Reads the state of an asset whose upload ended at `since`. */
export async function readAssetProgress(
  client: PlatformClient,
  job: Job,
  collection: "images" | "videos" | "documents",
  urn: string,
  since: number,
): Promise<AssetProgress> {
  const { app, accessToken } = job.account;
  const response = await callPlatform(client, restUrl(collection, urn), { headers: restHeaders(app, accessToken) });
  if (response.status === 403) {
    // LinkedIn lets members upload assets but not read their status, so this is no fault of the login.
    const waitMs = since + UNREADABLE_ASSET_WAIT_MS - job.now;
    return waitMs > 0
      ? { state: "unreadable", waitSeconds: Math.ceil(waitMs / SECOND) }
      : { state: "presumed_available" };
  }
  const asset = isOk(response) ? parseBody(AssetStatus, response) : undefined;
  if (asset?.status === "AVAILABLE") {
    return { state: "available" };
  }
  if (asset?.status === "PROCESSING_FAILED") {
    return { state: "refused", fault: processingFailed(response, asset.processingFailureReason ?? "") };
  }
  if (!asset && response.status !== 404) {
    return { state: "refused", fault: isOk(response) ? unexpectedResponse(response) : toAccountFault(response, job) };
  }
  if (job.now - since > PROCESSING_DEADLINE_MS) {
    return { state: "refused", fault: processingTimedOut(response.status) };
  }
  return { state: asset?.status === "WAITING_UPLOAD" ? "waiting_upload" : "processing" };
}

function processingFailed(response: PlatformResponse, reason: string): Fault {
  return rejected(
    refusalMessage("LinkedIn could not process the media", reason),
    { httpStatus: response.status, platformCode: "PROCESSING_FAILED" },
    { code: "media_invalid", category: "media" },
  );
}

export function processingTimedOut(httpStatus: number | null): Fault {
  return rejected(
    "LinkedIn did not finish processing the media in time.",
    { httpStatus },
    { code: "processing_failed", category: "platform", whoMustAct: "platform" },
  );
}

export function unexpectedResponse(response: PlatformResponse): Fault {
  return temporary("LinkedIn's response is not what its documentation describes.", { httpStatus: response.status });
}

export function connectionLost(): Fault {
  return temporary("The connection to LinkedIn broke during the upload.", { httpStatus: null });
}

/** A token or a file is sent to this URL, so it must be on LinkedIn's own domain. */
export function isTrustedUploadUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === "https:" && hostMatches(hosts, parsed.hostname);
}
