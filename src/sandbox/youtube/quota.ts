import type { SimulatorContext } from "#sandbox/contract.ts";
import { errorResponse } from "./error-responses.ts";

/* The project's daily quotas and the channel's upload limit: platforms/youtube.md part 4 (errors). */

const UPLOADS_PER_DAY = 100;
const UNITS_PER_DAY = 10_000;

const PACIFIC = new Intl.DateTimeFormat("en-CA", { timeZone: "America/Los_Angeles" });

/** Takes from a daily quota that resets at midnight Pacific time; false if too little is left. */
function takeFromQuota(sim: SimulatorContext, bucket: string, amount: number, limit: number): boolean {
  const key = `quota:${bucket}:${PACIFIC.format(sim.now())}`;
  const used = sim.store.get<number>(key) ?? 0;
  if (used + amount > limit) {
    return false;
  }
  sim.store.put(key, used + amount);
  return true;
}

const dailyLimit = (sim: SimulatorContext, name: string, fallback: number): number => {
  const limit = sim.settings.extra[name];
  return typeof limit === "number" ? limit : fallback;
};

/** Charges a call to the project's quota; failed calls count too. */
export function chargeUnits(sim: SimulatorContext, amount: number): Response | null {
  return takeFromQuota(sim, "units", amount, dailyLimit(sim, "units_per_day", UNITS_PER_DAY))
    ? null
    : errorResponse(
        403,
        "quotaExceeded",
        "The request cannot be completed because you have exceeded your quota.",
        "youtube.quota",
      );
}

/** Charges the start of an upload session. YouTube documents no limit for a channel, so only the setting `quota` sets one. */
export function chargeUpload(sim: SimulatorContext, channel: string): Response | null {
  if (!takeFromQuota(sim, "uploads", 1, dailyLimit(sim, "uploads_per_day", UPLOADS_PER_DAY))) {
    return errorResponse(
      429,
      "rateLimitExceeded",
      "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of service 'youtube.googleapis.com' for consumer 'project_number:1'.",
      "global",
    );
  }
  return takeFromQuota(sim, `channel:${channel}`, 1, sim.settings.quota ?? Number.POSITIVE_INFINITY)
    ? null
    : errorResponse(400, "uploadLimitExceeded", "The user has exceeded the number of videos they may upload.");
}
