import { env, exports } from "cloudflare:workers";
import { vi } from "vitest";
import { setFailpointHook } from "#core/failpoint.ts";
import { PLATFORMS } from "#core/platform.ts";
import type { PlatformClient } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import { ORIGIN } from "./support/origin.ts";
import { resetStorage } from "./support/reset-storage.ts";

// The files of one worker share its isolate and its storage (starting an isolate costs more than most files), so
// each begins with the true clock, no hooks, and an empty database, KV, R2 and set of objects.
vi.useRealTimers();
vi.restoreAllMocks();
setFailpointHook(undefined);
await resetStorage();
await env.DB.batch(env.TEST_SCHEMA.map((statement) => env.DB.prepare(statement)));

// The service loads its pages with the first request. The test runner's own import() shares one promise between requests
// that arrive together, which this runtime forbids, so that one request comes before all others.
await exports.default.fetch(new Request(`${ORIGIN}/no-such-page`));

// For the same reason each adapter loads the half that sends requests before the first test; the answer does not matter.
const unreachable: PlatformClient = { fetch: () => Promise.reject(new Error("no call is expected here")) };
await Promise.allSettled(
  PLATFORMS.map(async (platform) =>
    adapterFor(platform)?.connect.listAccounts(
      unreachable,
      { clientId: "", clientSecret: "", settings: {} },
      { accessToken: "", refreshToken: null, expiresAt: null, refreshExpiresAt: null, scopes: [] },
    ),
  ),
);
