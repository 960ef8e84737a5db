import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { setFailpointHook } from "#core/failpoint.ts";
import { accountServerNonces } from "#platforms/bluesky/api.ts";
import { holdD1Limits } from "./support/d1-limits.ts";
import { resetStorage } from "./support/reset-storage.ts";

// The files of one worker share its isolate and its storage (starting an isolate costs more than most files), so
// each begins with the true clock, no hooks, and an empty database, KV, R2 and set of objects.
vi.useRealTimers();
vi.restoreAllMocks();
setFailpointHook(undefined);
accountServerNonces.clear();
holdD1Limits(env.DB);
await resetStorage();
await env.DB.batch(env.TEST_SCHEMA.map((statement) => env.DB.prepare(statement)));
