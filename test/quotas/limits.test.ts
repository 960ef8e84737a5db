import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { readConfig } from "#config.ts";
import { limitsFor, PLAN_LIMITS } from "#core/plan.ts";

const access = { plan: "growth", isTrial: false, mustProveEmail: false } as const;

describe("the limits of a user", () => {
  test("are those of the plan, and lower in a trial", () => {
    expect(limitsFor(access, {})).toEqual(PLAN_LIMITS.growth);
    expect(limitsFor({ ...access, isTrial: true }, {})).toMatchObject({ accounts: 5, workspaces: 1, apiKeys: 5 });
  });

  test("until the e-mail address is confirmed, a trial can connect two accounts", () => {
    expect(limitsFor({ ...access, isTrial: true, mustProveEmail: true }, {}).accounts).toBe(2);
    expect(limitsFor({ ...access, mustProveEmail: true }, {}).accounts).toBe(PLAN_LIMITS.growth.accounts);
  });

  test("are the operator's own numbers where QUOTAS has them", () => {
    const { limitOverrides } = readConfig({ ...env, QUOTAS: '{"growth":{"media_bytes":7},"trial":{"accounts":1}}' });
    expect(limitsFor(access, limitOverrides)).toEqual({ ...PLAN_LIMITS.growth, storageBytes: 7 });
    expect(limitsFor({ ...access, isTrial: true }, limitOverrides).accounts).toBe(1);
  });

  test.for([
    ["[]", "QUOTAS must be JSON like"],
    ["{", "QUOTAS must be JSON like"],
    ['{"gold":{}}', "QUOTAS names gold: use starter, growth, scale or trial"],
    ['{"scale":{"posts":1}}', "QUOTAS.scale names posts: use accounts, workspaces"],
    ['{"scale":{"accounts":-1}}', "QUOTAS.scale.accounts must be a whole number"],
    ['{"scale":{"archive_after_days":30}}', "QUOTAS.scale.archive_after_days must be at least 120"],
    ['{"scale":{"requests_per_minute":9}}', "QUOTAS.scale names requests_per_minute"],
  ] as const)("QUOTAS %s is refused with its mistake", ([QUOTAS, message]) => {
    expect(() => readConfig({ ...env, QUOTAS })).toThrow(message);
  });
});

describe("DATABASE_LIMIT_BYTES", () => {
  test("is 10 GB unless the operator says otherwise", () => {
    expect(readConfig(env).databaseLimitBytes).toBe(10_000_000_000);
    expect(readConfig({ ...env, DATABASE_LIMIT_BYTES: "500000000" }).databaseLimitBytes).toBe(500_000_000);
  });

  test.for(["0", "-1", "1.5", "10 GB"])("%s is refused", (DATABASE_LIMIT_BYTES) => {
    expect(() => readConfig({ ...env, DATABASE_LIMIT_BYTES })).toThrow("must be a whole number of bytes");
  });
});
