import { stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, test } from "vitest";
import { freshAccount, inventory } from "./fresh.ts";
import { filesUnder } from "./operator.ts";

const MIGRATION_THAT_FAILS = "CREATE TABLE half_made (id TEXT);\nINSERT INTO no_such_table VALUES (1);\n";

describe("npm run deploy", { timeout: 120_000 }, () => {
  test("creates a service, and changes nothing when it is run again", async ({ expect }) => {
    const { api, operator } = await freshAccount();
    const first = await operator.deploy();
    expect(first.code, first.output).toBe(0);
    const created = inventory(api);
    expect(created).toMatchObject({
      databases: ["almanac"],
      namespaces: ["almanac-tokens"],
      buckets: ["almanac-media"],
      subdomain: { enabled: true, previews_enabled: false },
      schedules: [{ cron: "* * * * *" }],
      vars: { ORIGIN: "https://almanac.ada.workers.dev" },
    });
    expect(Object.keys(created.secrets ?? {})).toEqual(
      expect.arrayContaining(["TOKEN_KEYS", "SETUP_CODE", "OPERATOR_KEY"]),
    );
    const config = await operator.file("wrangler.deploy.toml");

    const second = await operator.deploy();
    expect(second.code, second.output).toBe(0);
    expect(inventory(api)).toEqual(created);
    expect(await operator.file("wrangler.deploy.toml")).toBe(config);
    expect(second.output).not.toContain("created");
    expect([api.account.uploads, api.unknown]).toEqual([2, []]);

    // The address is final, and portals of platforms ask for these before they give an app.
    expect(first.output).toContain("https://almanac.ada.workers.dev/connect/x/callback  (no app yet)");
    expect(first.output).toContain("https://almanac.ada.workers.dev/connect/tiktok/callback  (no app yet)");

    // The link lets one person in; the secrets are where only the operator can read them.
    const code = created.secrets?.["SETUP_CODE"] ?? "";
    expect(first.output).toContain(`https://almanac.ada.workers.dev/signup?setup_code=${code}`);
    const keys = created.secrets?.["TOKEN_KEYS"] ?? "";
    const [key = ""] = Object.values(JSON.parse(keys) as Record<string, string>);
    for (const { output, processes } of [first, second]) {
      expect(output).not.toContain(key);
      expect(output).not.toContain(api.token);
      expect(processes).toContain("wrangler");
      expect([key, code, api.token].filter((secret) => processes.includes(secret))).toEqual([]);
    }
    expect((await stat(path.join(operator.folder, ".env.production"))).mode & 0o777).toBe(0o600);
    const holders = await filesUnder(operator.folder, (content) => content.includes(key) || content.includes(code));
    expect(holders).toEqual([".env.production"]);
    expect(api.account.workers.get("almanac")?.current.annotations["workers/tag"]).toBe("1.2.3");
  });

  test("changes no table and uploads nothing when a migration fails, and applies all the next time", async ({
    expect,
  }) => {
    const { api, operator } = await freshAccount();
    await operator.write("migrations/9999_fails.sql", MIGRATION_THAT_FAILS);
    const failed = await operator.deploy();
    expect([failed.code, api.account.uploads]).toEqual([1, 0]);
    expect(failed.output).toContain("no_such_table");
    expect(failed.output).toMatch(
      /Stopped: the migrations failed \(0000_tables\.sql, .*9999_fails\.sql\); database and service are as before\nNext: /,
    );
    const tables = api.account.databases[0]?.rows(
      "SELECT name FROM sqlite_master WHERE name IN ('half_made', 'users')",
    );
    expect(tables).toEqual([]);
    expect(inventory(api).migrations).toEqual([]);
    await operator.write("migrations/9999_fails.sql", "CREATE TABLE whole (id TEXT);\n");
    const next = await operator.deploy();
    expect([next.code, api.account.uploads]).toEqual([0, 1]);
    expect(inventory(api)).toMatchObject({ databases: ["almanac"], namespaces: ["almanac-tokens"] });
  });

  test("finds by name what there is, over all pages, and tries again where calls are limited", async ({ expect }) => {
    const { api, operator } = await freshAccount();
    const { account } = api;
    for (let nth = 0; nth < 130; nth += 1) {
      account.createDatabase(`almanac-${nth}`);
      account.createNamespace(`almanac-tokens-${nth}`);
    }
    const database = account.createDatabase("almanac");
    const namespace = account.createNamespace("almanac-tokens");
    account.createBucket("almanac-media");
    const run = await operator.deploy({
      trouble: { kind: "limit", call: "GET /accounts/:account/storage/kv/namespaces" },
    });
    expect(run.code, run.output).toBe(0);
    expect(api.seen.some(({ status }) => status === 429)).toBe(true);
    expect([account.databases.length, account.namespaces.length, account.buckets.length]).toEqual([131, 131, 1]);
    const bindings = account.workers.get("almanac")?.current.bindings ?? [];
    expect(bindings).toContainEqual(expect.objectContaining({ name: "DB", id: database.uuid }));
    expect(bindings).toContainEqual(expect.objectContaining({ name: "TOKENS", namespace_id: namespace.id }));
  });

  test("completes what a killed run began, with the same secrets", async ({ expect }) => {
    const { api, operator } = await freshAccount();
    const killed = await operator.deploy({ killAfter: "PUT /accounts/:account/workers/scripts/:name" });
    expect(killed.code).toBeNull();
    const { secrets } = inventory(api);
    const next = await operator.deploy();
    expect(next.code, next.output).toBe(0);
    expect(inventory(api)).toMatchObject({
      secrets,
      databases: ["almanac"],
      subdomain: { enabled: true, previews_enabled: false },
    });
    // The kill left no time to delete it; the next run has.
    expect(await filesUnder(operator.folder, (content) => content.includes(secrets?.["SETUP_CODE"] ?? "?"))).toEqual([
      ".env.production",
    ]);
  });

  test("deletes the file with the secrets when it is interrupted", async ({ expect }) => {
    const { api, operator } = await freshAccount();
    let pid = 0;
    const run = await operator.deploy({
      onStart: (started) => (pid = started),
      // The signal arrives before the answer.
      onCall: ({ name }) => name.endsWith("/assets-upload-session") && process.kill(pid, "SIGINT") && setTimeout(3000),
    });
    expect([run.code, api.account.uploads]).toEqual([130, 0]);
    expect(run.output).toContain("Interrupted.\nNext: run the command again: it goes on with what is missing");
    const key = /"(\S{44})"/.exec(await operator.file(".env.production"))?.[1] ?? "?";
    expect(await filesUnder(operator.folder, (content) => content.includes(key))).toEqual([".env.production"]);
  });
});

describe("in CI", { timeout: 120_000 }, () => {
  const settings = {
    CI: "true",
    ALMANAC_SETUP_CODE: "a-code-of-the-operator-in-ci",
    ALMANAC_DOMAIN: "posts.example.com",
    ALMANAC_X_CLIENT_ID: "id-of-the-app",
    ALMANAC_X_CLIENT_SECRET: "$ecret-of-the-${APP}",
    ALMANAC_MAIL_FROM: "almanac@example.com",
    ALMANAC_LOCATION: "weur",
  };

  test("the settings come from the environment, and no secret is shown or written", async ({ expect }) => {
    const { api, operator } = await freshAccount();
    api.account.zones.push({ id: "zone-1", name: "example.com", records: [], routes: [] });
    const run = await operator.deploy({ env: settings });
    expect(run.code, run.output).toBe(0);
    const { account } = api;
    expect(account.domains).toEqual([{ hostname: "posts.example.com", service: "almanac", zone_id: "zone-1" }]);
    expect(inventory(api)).toMatchObject({
      vars: { ORIGIN: "https://posts.example.com", X_CLIENT_ID: "id-of-the-app", OBJECTS_LOCATION: "weur" },
      secrets: { SETUP_CODE: settings.ALMANAC_SETUP_CODE, X_CLIENT_SECRET: settings.ALMANAC_X_CLIENT_SECRET },
      subdomain: { enabled: false, previews_enabled: false },
    });
    expect([account.databases[0]?.location, account.buckets[0]?.location]).toEqual(["weur", "weur"]);
    expect(inventory(api).bindings).toContain("EMAIL");
    expect(run.output).toMatch(/https:\/\/posts\.example\.com\/connect\/x\/callback$/m);
    const secrets = [settings.ALMANAC_SETUP_CODE, settings.ALMANAC_X_CLIENT_SECRET];
    expect(secrets.filter((secret) => (run.output + run.processes).includes(secret))).toEqual([]);
    expect(await filesUnder(operator.folder, (content) => secrets.some((one) => content.includes(one)))).toEqual([]);

    // The next release is deployed without the secrets and with the same address.
    const { ALMANAC_X_CLIENT_SECRET: _, ALMANAC_SETUP_CODE: __, ...withoutSecrets } = settings;
    const before = inventory(api);
    const again = await operator.deploy({ env: withoutSecrets });
    expect(again.code, again.output).toBe(0);
    expect(inventory(api)).toEqual(before);
  });
});
