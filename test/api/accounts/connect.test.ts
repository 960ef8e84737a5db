import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { PLAN_LIMITS } from "#core/plan.ts";
import { PLATFORMS } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import { call } from "../../support/call.ts";
import { connectOne } from "../../support/journey.ts";
import { newCaller } from "../../support/user.ts";

/** Another account of the same login, as a platform with several gives them. */
async function duplicate(id: string): Promise<void> {
  const { results } = await env.DB.prepare("SELECT * FROM accounts WHERE id = ?").bind(id).all();
  const row = { ...results[0], id: crypto.randomUUID(), platform_account_id: crypto.randomUUID() };
  const columns = Object.keys(row);
  await env.DB.prepare(`INSERT INTO accounts (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`)
    .bind(...Object.values(row))
    .run();
}

const start = (caller: Parameters<typeof call>[0], body: unknown) =>
  call(caller, { method: "POST", path: "/accounts", body });

describe("200", () => {
  test.for(PLATFORMS.filter((platform) => adapterFor(platform)))(
    "%s gives an address with a state of its own, good for ten minutes",
    async (platform, { expect }) => {
      const caller = await newCaller();
      const first = await start(caller, { platform });
      const second = await start(caller, { platform });
      expect(first).toMatchObject({ status: 200, body: { platform } });
      const left = Date.parse(first.body.expires_at) - Date.now();
      expect(left).toBeGreaterThan(590_000);
      expect(left).toBeLessThanOrEqual(600_000);
      expect(second.body.connect_url).not.toBe(first.body.connect_url);
    },
  );
});

describe("400", () => {
  test.for(["myspace", "", 1, null, ["x"]])("platform %j", async (platform, { expect }) => {
    const answer = await start(await newCaller(), { platform });
    expect(answer).toMatchObject({ status: 400, body: { param: "platform" } });
  });

  test.for(PLATFORMS.filter((platform) => !adapterFor(platform)))(
    "%s is a known word without an adapter",
    async (platform, { expect }) => {
      const answer = await start(await newCaller(), { platform });
      expect(answer).toMatchObject({ status: 400, body: { code: "platform_not_configured" } });
    },
  );
});

describe("403", () => {
  test("when the plan's accounts are used up", async ({ expect }) => {
    const caller = await newCaller({ plan: "starter" });
    const account = await connectOne(caller);
    for (let held = 1; held < PLAN_LIMITS.starter.accounts; held += 1) {
      await duplicate(account.id);
    }
    const answer = await start(caller, { platform: "instagram" });
    expect(answer).toMatchObject({ status: 403, body: { code: "account_limit_reached" } });
  });
});
