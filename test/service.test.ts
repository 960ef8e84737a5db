import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import worker from "#index.sandbox.ts";
import { ORIGIN } from "./support/origin.ts";

const typeAt = async (path: string) => {
  const response = await exports.default.fetch(ORIGIN + path, { redirect: "manual" });
  await response.body?.cancel();
  return [response.status, response.headers.get("content-type")?.split(";")[0]];
};

describe("an address", () => {
  test("under the API's prefix is the API's, whatever it says", async ({ expect }) => {
    expect(await typeAt("/v1")).toEqual([404, "application/json"]);
    expect(await typeAt("/v1/nothing")).toEqual([404, "application/json"]);
    expect(await typeAt("/v1/posts")).toEqual([401, "application/json"]);
  });

  test("that only begins like it is a page's", async ({ expect }) => {
    expect(await typeAt("/v1x")).toEqual([404, "text/html"]);
    expect(await typeAt("/nothing")).toEqual([404, "text/html"]);
  });

  test("of the discovery documents, the sign-in and the connect callback answers", async ({ expect }) => {
    expect(await typeAt("/.well-known/oauth-protected-resource/v1")).toEqual([200, "application/json"]);
    expect(await typeAt("/login")).toEqual([200, "text/html"]);
    expect((await typeAt("/connect/nowhere/callback"))[1]).toBe("text/html");
  });
});

test("the cron runs through", async () => {
  const ctx = createExecutionContext();
  await worker.scheduled(createScheduledController({ cron: "* * * * *" }), env, ctx);
  await waitOnExecutionContext(ctx);
});
