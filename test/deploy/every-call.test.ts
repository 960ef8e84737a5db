import { describe, type ExpectStatic, test } from "vitest";
import type { CloudflareApi } from "./cloudflare-api.ts";
import { freshAccount, inventory } from "./fresh.ts";
import type { Operator } from "./operator.ts";

/*
 * Every call of a first deployment and of an upgrade fails once, loses its answer once, and is the last one before the power
 * goes out. It takes half an hour: `npm run deploy:faults`.
 */

const MIGRATIONS = {
  "0000_first.sql":
    "CREATE TABLE users (id TEXT);\nCREATE TABLE connections (sealed_tokens TEXT);\nCREATE TABLE accounts (sealed_token TEXT);",
  "0001_second.sql": "CREATE TABLE posts (id TEXT);",
};
const SETTINGS = "DOMAIN=posts.example.com\nX_CLIENT_ID=app\nX_CLIENT_SECRET=secret-of-the-app\n";

interface Scene {
  readonly api: CloudflareApi;
  readonly operator: Operator;
}

const report = (line: string): void => void process.stdout.write(`${line}\n`);

/** Before a first deployment, or with a service in use before an upgrade that has a migration. */
async function prepare(kind: "first" | "upgrade"): Promise<Scene> {
  const scene = await freshAccount({ migrations: MIGRATIONS });
  const { api, operator } = scene;
  api.account.zones.push({ id: "zone-1", name: "example.com", records: [], routes: [] });
  await operator.write(".env.production", SETTINGS);
  if (kind === "upgrade") {
    const { code, output } = await operator.deploy();
    if (code !== 0) {
      throw new Error(`the deployment before the upgrade failed: ${output}`);
    }
    const keyId = api.account.workers.get("almanac")?.vars["TOKEN_KEY_ID"];
    api.account
      .database("almanac")
      .query(`INSERT INTO users VALUES ('ada'); INSERT INTO connections VALUES ('v1.${keyId}.iv.text')`);
    await operator.write("migrations/0002_third.sql", "ALTER TABLE posts ADD COLUMN text TEXT;");
  }
  return scene;
}

const callsOf = async (kind: "first" | "upgrade"): Promise<string[]> => {
  const { api, operator } = await prepare(kind);
  await operator.deploy();
  return api.seen.map(({ name }) => name);
};

/** What must be so after a run that succeeded, whatever happened in the one before. */
async function completes(expect: ExpectStatic, { api, operator }: Scene, before: unknown) {
  const run = await operator.deploy();
  expect(run.code, run.output).toBe(0);
  const after = inventory(api);
  expect(after).toMatchObject({
    databases: ["almanac"],
    namespaces: ["almanac-tokens"],
    buckets: ["almanac-media"],
    vars: { ORIGIN: "https://posts.example.com", X_CLIENT_ID: "app" },
    secrets: { X_CLIENT_SECRET: "secret-of-the-app" },
    schedules: [{ cron: "* * * * *" }],
    subdomain: { enabled: false, previews_enabled: false },
  });
  expect(api.account.domains).toHaveLength(1);
  expect(after.migrations).toEqual(
    [...new Set((after.migrations ?? []).map((one) => JSON.stringify(one)))].map((one) => JSON.parse(one) as unknown),
  );
  const keys = /^TOKEN_KEYS='(.+)'$/m.exec(await operator.file(".env.production"))?.[1];
  expect(after.secrets?.["TOKEN_KEYS"]).toBe(keys);
  if (before !== undefined) {
    expect(after.secrets).toEqual(before);
  }
  expect(api.unknown).toEqual([]);
}

describe.runIf(process.env["DEPLOY_FAULTS"] === "all").each(["first", "upgrade"] as const)(
  "the %s deployment",
  { timeout: 3_600_000 },
  (kind) => {
    test("is completed by the next run, whichever call fails", async ({ expect }) => {
      const calls = [...new Set(await callsOf(kind))];
      expect(calls.length).toBeGreaterThanOrEqual(12);
      let failed = 0;
      for (const call of calls) {
        const scene = await prepare(kind);
        const before = inventory(scene.api).secrets;
        const run = await scene.operator.deploy({ trouble: { kind: "refuse", call } });
        failed += run.code === 0 ? 0 : 1;
        report(`${kind}: ${call} fails → ${run.code === 0 ? "goes on without it" : "stops"}`);
        await completes(expect, scene, before);
      }
      report(`${kind}: ${calls.length} calls failed, ${failed} ended the run, all completed by the next`);
    });

    test("is completed by the next run, whichever answer is lost", async ({ expect }) => {
      const calls = [...new Set(await callsOf(kind))].filter((call) => !call.startsWith("GET "));
      for (const call of calls) {
        const scene = await prepare(kind);
        const before = inventory(scene.api).secrets;
        const run = await scene.operator.deploy({ trouble: { kind: "lose", call } });
        report(`${kind}: the answer to ${call} is lost → ${run.code === 0 ? "tried again" : "stops"}`);
        await completes(expect, scene, before);
      }
    });

    test("is completed by the next run, wherever it was killed", async ({ expect }) => {
      const calls = await callsOf(kind);
      // After a call that only reads, nothing is different from before it.
      const changing = calls.flatMap((call, at) => (call.startsWith("GET ") ? [] : [at + 1]));
      for (const nth of [1, ...changing, calls.length]) {
        const scene = await prepare(kind);
        const before = inventory(scene.api).secrets;
        const when = nth === 1 ? "before" : "after";
        const run = await scene.operator.deploy({ trouble: { kind: "kill", nth, when, kill: () => undefined } });
        expect(run.code).toBeNull();
        report(`${kind}: killed ${when} call ${nth}, ${calls[nth - 1]}`);
        await completes(expect, scene, before);
      }
      report(`${kind}: killed at ${changing.length + 2} of ${calls.length} calls, all completed by the next run`);
    });
  },
);
