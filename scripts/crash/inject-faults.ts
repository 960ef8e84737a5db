import { sleep } from "../service.ts";
import type { ApiClient } from "./api-client.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** The ways a platform can fail: request lost, response lost, wrong response, refusal, rate limit, delay, outage, a video that is answered after minutes. */
const INJECTED_FAULTS = [
  { match: { method: "POST" }, times: 1, effect: "drop_before" },
  { match: { method: "POST" }, times: 1, effect: "drop_after" },
  {
    match: { method: "POST" },
    times: 1,
    effect: "answer_after",
    status: 500,
    body: { error: "the response was lost" },
  },
  { match: { method: "POST" }, times: 1, effect: "answer", status: 503, body: { error: "over capacity" } },
  {
    match: { method: "POST" },
    times: 1,
    effect: "answer",
    status: 429,
    body: { error: "too many requests" },
    headers: { "retry-after": "2" },
  },
  { match: { method: "POST" }, times: 1, effect: "delay", delay_ms: 4000 },
  { match: {}, times: 2, effect: "delay", delay_ms: 1500 },
  // Meta answers calls with videos after minutes, long after anybody waits for them.
  ...[30_000, 120_000, 240_000, 300_000].flatMap((delay_ms) =>
    ["/*/video_reels", "/video-upload/*"].map((path) => ({
      match: { method: "POST", path },
      times: 1,
      effect: "delay",
      delay_ms,
    })),
  ),
  // Reads fail, so the service cannot verify whether a post arrived, and "unconfirmed" is the only correct result.
  { match: { method: "GET" }, times: 6, effect: "answer", status: 503, body: { error: "reads are down" } },
] as const;

/** Injects faults on random platforms until `shouldStop`, then removes them; returns how many were injected. */
export async function injectFaults(
  client: ApiClient,
  random: SeededRandom,
  platforms: readonly string[],
  shouldStop: () => boolean,
): Promise<number> {
  let injectedCount = 0;
  while (!shouldStop()) {
    const outcome = await client.call(
      "POST",
      `/sandbox/platforms/${random.pick(platforms)}/faults`,
      random.pick(INJECTED_FAULTS),
    );
    injectedCount += outcome.answered && outcome.status === 200 ? 1 : 0;
    await sleep(random.between(150, 600));
  }
  for (const platform of platforms) {
    await client.call("DELETE", `/sandbox/platforms/${platform}/faults`);
  }
  return injectedCount;
}
