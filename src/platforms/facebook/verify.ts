import type { JsonValue } from "#core/json.ts";
import type { Job, VerifyOutcome, Wire } from "#platforms/contract.ts";
import { Ref } from "./refs.ts";
import { verifyFeed } from "./verify-feed.ts";
import { verifyVideo } from "./verify-video.ts";

export async function verify(wire: Wire, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  const plan = Ref.parse(ref);
  return plan.videoId === null ? await verifyFeed(wire, job, plan) : await verifyVideo(wire, job, plan, plan.videoId);
}
