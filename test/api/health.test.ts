import { exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import packageFile from "../../package.json";
import { createServiceFixture } from "../auth/service-fixture.ts";
import { callApi } from "../support/call-api.ts";
import { ORIGIN } from "../support/origin.ts";

describe("GET /health", () => {
  test("says that the service answers, and which release it is", async ({ expect }) => {
    const response = await exports.default.fetch(`${ORIGIN}/health`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "ok", version: packageFile.version });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "almanac-version": packageFile.version,
      "cache-control": "no-store",
    });
    expect(response.headers.get("set-cookie")).toBeNull();
  });

  test("answers also while the database does not", async ({ expect }) => {
    const unreachable = () => {
      throw new Error("no database");
    };
    const service = createServiceFixture({ DB: { prepare: unreachable, batch: unreachable } });
    expect((await service.fetch("/health")).status).toBe(200);
  });

  test("answers HEAD without a body", async ({ expect }) => {
    const head = await exports.default.fetch(`${ORIGIN}/health`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });
});

describe("Almanac-Version", () => {
  test.for(["/posts", "/nothing", "/openapi.json"])("is in the answer to %s", async (path, { expect }) => {
    const response = await exports.default.fetch(`${ORIGIN}/v1${path}`);
    expect(response.headers.get("almanac-version")).toBe(packageFile.version);
  });

  test("can be read by pages of other origins", async ({ expect }) => {
    const { headers } = await callApi(null, { method: "GET", path: "/posts" });
    expect(headers.get("access-control-expose-headers")).toContain("Almanac-Version");
  });
});
