import type { JsonValue } from "#core/json.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { Ref } from "./refs.ts";
import { verifyFeed } from "./verify-feed.ts";
import { verifyVideo } from "./verify-video.ts";

export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  const plan = Ref.parse(ref);
  return plan.videoId === null
    ? await verifyFeed(client, job, plan)
    : await verifyVideo(client, job, plan, plan.videoId);
}
