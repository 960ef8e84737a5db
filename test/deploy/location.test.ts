import { describe, test } from "vitest";
import { freshAccount, inventory } from "./fresh.ts";

describe("npm run deploy", { timeout: 180_000 }, () => {
  test("LOCATION is where database, bucket and objects are created, and the Worker runs only if it is asked for", async ({
    expect,
  }) => {
    const { api, operator } = await freshAccount();
    await operator.write(".env.production", "LOCATION=apac\n");
    const near = await operator.deploy();
    expect(near.code, near.output).toBe(0);
    const { account } = api;
    expect([account.databases[0]?.location, account.buckets[0]?.location]).toEqual(["apac", "apac"]);
    expect(inventory(api).vars).toMatchObject({ OBJECTS_LOCATION: "apac" });
    expect(account.worker("almanac").current.placement).toBeUndefined();

    const kept = await operator.file(".env.production");
    await operator.write(".env.production", `${kept}WORKER_AT_LOCATION=true\n`);
    const there = await operator.deploy();
    expect(there.code, there.output).toBe(0);
    expect(account.worker("almanac").current.placement).toEqual({ mode: "targeted", region: "aws:ap-southeast-1" });
  });

  test("JURISDICTION is chosen by the first deployment and stays", async ({ expect }) => {
    const { api, operator } = await freshAccount();
    // Of the same name, without a jurisdiction.
    api.account.createBucket("almanac-media");
    await operator.write(".env.production", "JURISDICTION=eu\n");
    const first = await operator.deploy();
    expect(first.code, first.output).toBe(0);
    const { account } = api;
    expect(account.databases.map(({ jurisdiction, location }) => [jurisdiction, location])).toEqual([
      ["eu", undefined],
    ]);
    expect(account.buckets.map(({ jurisdiction }) => jurisdiction)).toEqual([null, "eu"]);
    expect(account.worker("almanac").current.bindings).toContainEqual(
      expect.objectContaining({ name: "MEDIA", bucket_name: "almanac-media", jurisdiction: "eu" }),
    );
    // Where the objects are created is no guarantee, but near.
    expect(inventory(api).vars).toMatchObject({ OBJECTS_LOCATION: "weur" });
    const kept = await operator.file(".env.production");
    expect((await operator.deploy()).code).toBe(0);

    await operator.write(".env.production", kept.replace("JURISDICTION=eu\n", ""));
    const before = inventory(api);
    const without = await operator.deploy();
    expect([without.code, inventory(api)]).toEqual([1, before]);
    expect(without.output).toMatch(
      /the database almanac is in the jurisdiction eu, and JURISDICTION is not set\nNext: put JURISDICTION back/,
    );
    expect(api.unknown).toEqual([]);
  });

  test("JURISDICTION is refused for what exists without one", async ({ expect }) => {
    const { api, operator } = await freshAccount();
    api.account.createDatabase("almanac");
    await operator.write(".env.production", "JURISDICTION=eu\n");
    const run = await operator.deploy();
    expect([run.code, api.account.buckets]).toEqual([1, []]);
    expect(run.output).toContain("the database almanac is in no jurisdiction, and JURISDICTION says eu");
  });
});
