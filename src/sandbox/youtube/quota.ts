import type { Sim } from "#sandbox/contract.ts";
import { problem } from "./answers.ts";

/* The project's buckets and the channel's own cap: platforms/youtube.md part 4. */

const UPLOADS_PER_DAY = 100;
const UNITS_PER_DAY = 10_000;

const PACIFIC = new Intl.DateTimeFormat("en-CA", { timeZone: "America/Los_Angeles" });

/** Takes from a bucket that is full again at midnight Pacific; false when there is not enough left. */
function spend(sim: Sim, bucket: string, amount: number, most: number): boolean {
  const key = `quota:${bucket}:${PACIFIC.format(sim.now())}`;
  const used = sim.store.get<number>(key) ?? 0;
  if (used + amount > most) {
    return false;
  }
  sim.store.put(key, used + amount);
  return true;
}

const sizeOf = (sim: Sim, name: string, usual: number): number => {
  const size = sim.settings.extra[name];
  return typeof size === "number" ? size : usual;
};

/** What a call costs the project; a call that is refused costs, too. */
export function spendUnits(sim: Sim, amount: number): Response | null {
  return spend(sim, "units", amount, sizeOf(sim, "units_per_day", UNITS_PER_DAY))
    ? null
    : problem(
        403,
        "quotaExceeded",
        "The request cannot be completed because you have exceeded your quota.",
        "youtube.quota",
      );
}

/** Counted when a session starts; the channel's cap is not public, so only the settings set one. */
export function spendUpload(sim: Sim, channel: string): Response | null {
  if (!spend(sim, "uploads", 1, sizeOf(sim, "uploads_per_day", UPLOADS_PER_DAY))) {
    return problem(
      429,
      "rateLimitExceeded",
      "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of service 'youtube.googleapis.com' for consumer 'project_number:1'.",
      "global",
    );
  }
  return spend(sim, `channel:${channel}`, 1, sim.settings.quota ?? Number.POSITIVE_INFINITY)
    ? null
    : problem(400, "uploadLimitExceeded", "The user has exceeded the number of videos they may upload.");
}
