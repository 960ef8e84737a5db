import type { JsonValue } from "#core/json.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { isStory } from "#platforms/story.ts";
import { CommitRef } from "./refs.ts";
import { verifyFromRow } from "./verify-from-row.ts";
import { verifyFeed } from "./verify-feed.ts";
import { verifyStory } from "./verify-story.ts";
import { verifyVideo } from "./verify-video.ts";

export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  if (ref === null) {
    return isStory(job.options)
      ? { state: "cannot_tell", detail: "a story has no text by which it could be told from others of the Page" }
      : await verifyFromRow(client, job);
  }
  const commitRef = CommitRef.parse(ref);
  if (commitRef.kind === "story") {
    return await verifyStory(client, job, commitRef);
  }
  return commitRef.videoId === null
    ? await verifyFeed(client, job, commitRef)
    : await verifyVideo(client, job, commitRef, commitRef.videoId);
}
