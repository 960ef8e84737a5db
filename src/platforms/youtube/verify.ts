import { MINUTE, SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { call, isOk, read } from "#platforms/answer.ts";
import type { Fault, Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { bearer, withQuery } from "#platforms/form.ts";
import { type PlaylistItem, PlaylistItems } from "./answers.ts";
import { toFault, videoFault } from "./errors.ts";
import { API } from "./hosts.ts";
import { titleOf } from "./prepare.ts";
import { Ref } from "./refs.ts";
import { LAST_PIECE_MAX_BYTES, probe, videoOf, watchUrl } from "./session.ts";

/** All bytes are there and the answer is still being made. */
const POLL_SECONDS = 5;
const SOONEST_SECONDS = 5;
const LATEST_SECONDS = 900;
/** New uploads are listed within minutes. */
const LISTED_MS = 5 * MINUTE;
const LIST_AGAIN_SECONDS = 120;
const CLOCK_SLACK_MS = 10 * SECOND;

/** The session knows, and may be asked at any time; the list of uploads is for when YouTube has forgotten it. */
export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  const plan = Ref.parse(ref);
  const media = videoOf(job);
  if (!media) {
    return { state: "cannot_tell", detail: "the post has no video" };
  }
  const { heard, httpStatus } = await probe(client, job, media, plan.session);
  switch (heard.state) {
    case "complete": {
      const fault = videoFault(heard.video, httpStatus);
      return fault ? { state: "refused", fault } : published(heard.video.id);
    }
    case "incomplete":
      return incomplete(job, plan, heard.offset, media.sizeBytes);
    case "gone":
      return await lookInUploads(client, job, plan);
    case "refused":
      return unanswered(job, plan, heard.fault);
    case "unclear":
      return unanswered(job, plan, null);
  }
}

function published(id: string): VerifyOutcome {
  return { state: "published", remoteId: id, url: watchUrl(id) };
}

/** Sending on is always safe: whatever arrives twice in one session, it stays one video. */
function incomplete(job: Job, plan: Ref, offset: number, totalBytes: number): VerifyOutcome {
  if (offset >= totalBytes) {
    return { state: "again", afterSeconds: POLL_SECONDS, known: true };
  }
  if (offset === plan.offset) {
    return { state: "absent" };
  }
  return totalBytes - offset > LAST_PIECE_MAX_BYTES
    ? { state: "stale", detail: "YouTube lost most of the upload" }
    : { state: "more", ref: { ...plan, offset }, progress: job.progress };
}

/** A session lives for days, so an outage is waited for with growing pauses. */
function unanswered(job: Job, plan: Ref, fault: Fault | null): VerifyOutcome {
  if (fault?.kind === "reconnect") {
    return { state: "refused", fault };
  }
  const elapsedSeconds = Math.ceil(elapsedMs(job, plan) / SECOND);
  const afterSeconds = Math.min(LATEST_SECONDS, Math.max(SOONEST_SECONDS, 3 * elapsedSeconds));
  return { state: "again", afterSeconds: fault?.retryAfterSeconds ?? afterSeconds, known: false };
}

function elapsedMs(job: Job, plan: Ref): number {
  return job.now - Math.max(job.committedAt ?? 0, plan.sentAt ?? 0, plan.startedAt);
}

async function lookInUploads(client: PlatformClient, job: Job, plan: Ref): Promise<VerifyOutcome> {
  const url = withQuery(`${API}/playlistItems`, {
    part: "snippet,contentDetails,status",
    playlistId: uploadsOf(job),
    maxResults: 50,
  });
  const answer = await call(client, url, { headers: bearer(job.account.accessToken) });
  const list = isOk(answer) ? read(PlaylistItems, answer) : undefined;
  if (!list) {
    return unanswered(job, plan, isOk(answer) ? null : toFault(answer, job.now));
  }
  const hits = (list.items ?? []).flatMap((item) => (isOurs(item, job, plan) ? (idOf(item) ?? []) : []));
  const [first] = hits;
  if (first !== undefined && hits.length === 1) {
    return published(first);
  }
  if (first !== undefined) {
    return { state: "cannot_tell", detail: "several uploads look like this one" };
  }
  return elapsedMs(job, plan) < LISTED_MS
    ? { state: "again", afterSeconds: LIST_AGAIN_SECONDS, known: false }
    : { state: "cannot_tell", detail: "YouTube forgot the upload and does not list the video" };
}

/** Told with the channel; it has always been the channel's id with another beginning. */
function uploadsOf(job: Job): string {
  const { uploads } = job.account.capabilities;
  return typeof uploads === "string" ? uploads : job.account.platformAccountId.replace(/^UC/, "UU");
}

function idOf(item: PlaylistItem): string | null {
  return item.contentDetails?.videoId ?? item.snippet?.resourceId?.videoId ?? null;
}

function isOurs(item: PlaylistItem, job: Job, plan: Ref): boolean {
  const at = Date.parse(item.contentDetails?.videoPublishedAt ?? item.snippet?.publishedAt ?? "");
  return (
    at >= plan.startedAt - CLOCK_SLACK_MS &&
    plain(item.snippet?.title) === plain(titleOf(job)) &&
    plain(item.snippet?.description) === plain(job.caption)
  );
}

function plain(text: string | null | undefined): string {
  return (text ?? "").normalize("NFC").replace(/\s+/g, " ").trim();
}
