import type { JsonValue } from "#core/json.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { CommitRef } from "./refs.ts";
import { verifyFromRow } from "./verify-from-row.ts";
import { verifyFeed } from "./verify-feed.ts";
import { verifyVideo } from "./verify-video.ts";

export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  if (ref === null) {
    return await verifyFromRow(client, job);
  }
  const commitRef = CommitRef.parse(ref);
  return commitRef.videoId === null
    ? await verifyFeed(client, job, commitRef)
    : await verifyVideo(client, job, commitRef, commitRef.videoId);
}
