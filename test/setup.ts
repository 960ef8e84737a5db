import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { setFailpointHook } from "#core/failpoint.ts";

// The files of one worker share its isolate and its storage (starting an isolate costs more than most files), so
// each begins with the true clock, no hooks, and an empty database, KV, R2 and set of objects.
vi.useRealTimers();
vi.restoreAllMocks();
setFailpointHook(undefined);
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
