import type { JsonValue } from "#core/json.ts";
import type { CommitOutcome, Job, PlatformClient } from "#platforms/contract.ts";
import { videoFault } from "./errors.ts";
import { Ref } from "./refs.ts";
import { LAST_PIECE_MAX_BYTES, NO_VIDEO, sendPiece, videoOf, watchUrl } from "./session.ts";

/** The last bytes: with them the video is there. */
export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const plan = Ref.parse(ref);
  const media = videoOf(job);
  if (!media) {
    return { state: "refused", fault: NO_VIDEO };
  }
  const sent: Ref = { ...plan, sends: plan.sends + 1, sentAt: job.now };
  const range = { offset: plan.offset, length: media.sizeBytes - plan.offset };
  const { heard, httpStatus } = await sendPiece(client, job, media, plan.session, range);
  switch (heard.state) {
    case "complete": {
      const fault = videoFault(heard.video, httpStatus);
      return fault
        ? { state: "refused", fault }
        : { state: "published", remoteId: heard.video.id, url: watchUrl(heard.video.id) };
    }
    case "incomplete":
      return continued(job, sent, heard.offset, media.sizeBytes);
    case "gone":
      // Once the last bytes may have arrived, a session that is gone may have ended in a video.
      return plan.sends > 0
        ? { state: "uncertain", detail: "YouTube no longer knows the upload", httpStatus, ref: sent }
        : { state: "stale", detail: "YouTube no longer knows the upload" };
    case "refused":
      return { state: "refused", fault: heard.fault };
    case "unclear":
      return { state: "uncertain", detail: detailOf(httpStatus), httpStatus, ref: sent };
  }
}

function detailOf(httpStatus: number | null): string {
  return httpStatus === null ? "the connection broke during the last bytes" : `YouTube answered ${httpStatus}`;
}

/** YouTube says that it has not got everything yet: there is no video, and the rest follows. */
function continued(job: Job, sent: Ref, offset: number, totalBytes: number): CommitOutcome {
  if (offset === sent.offset || offset >= totalBytes) {
    return { state: "uncertain", detail: "YouTube asks for bytes that were sent", httpStatus: 308, ref: sent };
  }
  return totalBytes - offset > LAST_PIECE_MAX_BYTES
    ? { state: "stale", detail: "YouTube lost most of the upload" }
    : { state: "more", ref: { ...sent, offset }, progress: job.progress };
}
