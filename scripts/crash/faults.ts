import type { Client } from "./client.ts";
import { pause } from "./client.ts";
import type { Random } from "./random.ts";

/** Every way a platform can fail a caller: lost before, lost after, a wrong answer after, late, refusing, down. */
const EFFECTS = [
  { match: { method: "POST" }, times: 1, effect: "drop_before" },
  { match: { method: "POST" }, times: 1, effect: "drop_after" },
  { match: { method: "POST" }, times: 1, effect: "answer_after", status: 500, body: { error: "lost on the way back" } },
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
  // Nobody can look whether a post arrived: the only truthful end is "unconfirmed".
  { match: { method: "GET" }, times: 6, effect: "answer", status: 503, body: { error: "reads are down" } },
] as const;

/** Keeps planting faults at random platforms until told to stop. */
export async function plantFaults(
  client: Client,
  random: Random,
  platforms: readonly string[],
  until: () => boolean,
): Promise<number> {
  let planted = 0;
  while (!until()) {
    const outcome = await client.call(
      "POST",
      `/sandbox/platforms/${random.pick(platforms)}/faults`,
      random.pick(EFFECTS),
    );
    planted += outcome.answered && outcome.status === 200 ? 1 : 0;
    await pause(random.between(150, 600));
  }
  for (const platform of platforms) {
    await client.call("DELETE", `/sandbox/platforms/${platform}/faults`);
  }
  return planted;
}
