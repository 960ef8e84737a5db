import { env, exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import packageFile from "../../package.json";
import { MINUTE } from "#core/clock.ts";
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

describe("GET /health with the operator's key", () => {
  const OPERATOR_KEY = "k".repeat(40);
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
  const ask = async (bindings: object, sent: Record<string, string> = headers) => {
    const response = await createServiceFixture({ OPERATOR_KEY, ...bindings }).fetch("/health", { headers: sent });
    return { status: response.status, body: await response.json() };
  };
  const beatAt = async (beat: number) => await env.DB.prepare("UPDATE service SET beat = ?1").bind(beat).run();
  const ok = { database: "ok", tokens: "ok", media: "ok", objects: "ok", cron: "ok", publishing: "ok" };
  const fails = () => Promise.reject(new Error("secret words"));

  test("asks every part", async ({ expect }) => {
    await beatAt(Date.now());
    expect(await ask({})).toEqual({ status: 200, body: { status: "ok", version: packageFile.version, parts: ok } });
  });

  test.for<[name: string, bindings: object, parts: object]>([
    ["TOKENS", { TOKENS: { get: fails } }, { tokens: "does not answer" }],
    ["MEDIA", { MEDIA: { head: fails } }, { media: "does not answer" }],
    ["WATCH", { WATCH: { idFromName: () => "", get: () => ({ highest: fails }) } }, { objects: "does not answer" }],
    [
      "DB",
      { DB: { prepare: () => ({ all: fails }) } },
      {
        database: "does not answer",
        cron: "the database does not answer",
        publishing: "the database does not answer",
      },
    ],
    ["PUBLISHING", { PUBLISHING: "hold" }, { publishing: "PUBLISHING=hold" }],
  ])("is 503 and names the part that fails: %s", async ([, bindings, parts], { expect }) => {
    await beatAt(Date.now());
    const answer = await ask(bindings);
    expect(answer).toEqual({
      status: 503,
      body: { status: "failing", version: packageFile.version, parts: { ...ok, ...parts } },
    });
    expect(JSON.stringify(answer)).not.toContain("secret words");
  });

  test("is 503 when the cron has not run for three minutes, never ran, or the database is held", async ({ expect }) => {
    await beatAt(Date.now() - 10.5 * MINUTE);
    expect(await ask({})).toMatchObject({ status: 503, body: { parts: { cron: "the last run was 10 minutes ago" } } });
    await beatAt(0);
    expect(await ask({})).toMatchObject({ status: 503, body: { parts: { cron: "it has not run yet" } } });
    await env.DB.prepare("UPDATE service SET held = 'restored'").run();
    const parts = { cron: "ok", publishing: "the database was put back, and publishing is held" };
    expect(await ask({})).toMatchObject({ status: 503, body: { parts } });
    await env.DB.prepare("UPDATE service SET held = NULL").run();
  });

  test("is 401 with another key, and where the service has none", async ({ expect }) => {
    const other = { authorization: `Bearer ${"j".repeat(40)}` };
    const refused = { status: 401, body: { status: "unauthenticated", version: packageFile.version } };
    expect(await ask({}, other)).toEqual(refused);
    expect(await ask({ OPERATOR_KEY: undefined })).toEqual(refused);
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
