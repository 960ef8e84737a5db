import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Env } from "#config.ts";
import type { DatabaseWatchApi } from "#core/database-watch.ts";
import { createService } from "../../src/service.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { createCaller } from "../support/create-caller.ts";

function unreachable(): never {
  throw new Error("a cron run with nothing to do needs no network");
}
const service = createService(() => ({
  platformFetch: unreachable,
  publicFetch: unreachable,
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
}));

/* docs/guide/limits-and-cost.md multiplies these by the minutes of a day; 50 statements a run is the free plan's limit. */
test("a cron run with nothing to do writes one row and calls one object twice", async () => {
  await createCaller();
  const d1 = countingD1(env.DB);
  let objectCalls = 0;
  const counted = {
    ...env,
    DB: d1.d1,
    WATCH: {
      idFromName: (name: string) => env.WATCH.idFromName(name),
      get: (id: DurableObjectId): DatabaseWatchApi => {
        objectCalls += 1;
        return env.WATCH.get(id);
      },
    },
  } as unknown as Env;
  const run = async () => {
    d1.reset();
    objectCalls = 0;
    const deferred: Promise<unknown>[] = [];
    const ctx = { waitUntil: (work: Promise<unknown>) => void deferred.push(work) } as unknown as ExecutionContext;
    await service.scheduled(counted, ctx);
    await Promise.all(deferred);
    return { ...d1.count, objectCalls };
  };
  // The first run with a database does what is done once.
  await run();
  const idle = await run();
  expect(idle).toMatchObject({ rowsWritten: 1, objectCalls: 2 });
  expect(idle.rowsRead).toBeLessThanOrEqual(150);
  expect(idle.statements).toBeLessThanOrEqual(50);
});
