import { env, exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { PLAN_LIMITS } from "#core/plan.ts";
import { PLATFORMS } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import { callApi } from "../../support/call-api.ts";
import { ORIGIN } from "../../support/origin.ts";
import { connectOneAccount } from "../../support/api-workflows.ts";
import { createCaller } from "../../support/create-caller.ts";

/** Inserts another account of the same login. */
async function duplicateAccount(id: string): Promise<void> {
  const { results } = await env.DB.prepare("SELECT * FROM accounts WHERE id = ?").bind(id).all();
  const row = { ...results[0], id: crypto.randomUUID(), platform_account_id: crypto.randomUUID() };
  const columns = Object.keys(row);
  await env.DB.prepare(`INSERT INTO accounts (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`)
    .bind(...Object.values(row))
    .run();
}

const startConnect = (caller: Parameters<typeof callApi>[0], body: unknown) =>
  callApi(caller, { method: "POST", path: "/accounts", body });

describe("200", () => {
  test.for(PLATFORMS.filter((platform) => adapterFor(platform)))(
    "%s returns a URL with a unique state that expires in ten minutes",
    async (platform, { expect }) => {
      const caller = await createCaller();
      const address = `${ORIGIN}/connect/${platform}?state=`;
      const first = await startConnect(caller, { platform });
      const second = await startConnect(caller, { platform });
      expect(first).toMatchObject({ status: 200, body: { platform } });
      expect(first.body.connect_url.slice(0, address.length)).toBe(address);
      const remainingMs = Date.parse(first.body.expires_at) - Date.now();
      expect(remainingMs).toBeGreaterThan(590_000);
      expect(remainingMs).toBeLessThanOrEqual(600_000);
      expect(second.body.connect_url).not.toBe(first.body.connect_url);
    },
  );

  test("takes values for the fields that GET /platforms names, and the page shows them", async ({ expect }) => {
    const caller = await createCaller();
    const { body } = await callApi(caller, { method: "GET", path: "/platforms" });
    const { connect } = body.platforms.find((rules: { platform: string }) => rules.platform === "mastodon");
    expect(connect.methods).toMatchObject([
      { kind: "oauth", fields: [{ name: "server", is_secret: false, is_required: true }] },
    ]);
    const response = await startConnect(caller, { platform: "mastodon", input: { server: "mastodon.example" } });
    expect(response.status).toBe(200);
    const page = await exports.default.fetch(response.body.connect_url);
    expect(await page.text()).toContain('value="mastodon.example"');
  });
});

describe("400", () => {
  test.for<[string, unknown, string]>([
    ["x", { server: "mastodon.example" }, "input.server"],
    ["mastodon", { sever: "mastodon.example" }, "input.sever"],
    ["mastodon", { server: "s".repeat(2000) }, "input.server"],
    ["mastodon", { server: 1 }, "input.server"],
    ["mastodon", "mastodon.example", "input"],
    ["bluesky", { app_password: "adaa-sand-boxx-2222" }, "input.app_password"],
  ])("%s with input %j", async ([platform, input, param], { expect }) => {
    const response = await startConnect(await createCaller(), { platform, input });
    expect(response).toMatchObject({ status: 400, body: { code: "validation_failed", param } });
    expect(JSON.stringify(response.body)).not.toContain("adaa-sand");
  });

  test.for(["myspace", "", 1, null, ["x"]])("platform %j", async (platform, { expect }) => {
    const response = await startConnect(await createCaller(), { platform });
    expect(response).toMatchObject({ status: 400, body: { param: "platform" } });
  });

  test.for(PLATFORMS.filter((platform) => !adapterFor(platform)))(
    "%s without an adapter",
    async (platform, { expect }) => {
      const response = await startConnect(await createCaller(), { platform });
      expect(response).toMatchObject({ status: 400, body: { code: "platform_not_configured" } });
    },
  );
});

describe("403", () => {
  test("when the plan's account limit is reached", async ({ expect }) => {
    const caller = await createCaller({ plan: "starter" });
    const account = await connectOneAccount(caller);
    for (let count = 1; count < PLAN_LIMITS.starter.accounts; count += 1) {
      await duplicateAccount(account.id);
    }
    const response = await startConnect(caller, { platform: "instagram" });
    expect(response).toMatchObject({ status: 403, body: { code: "account_limit_reached" } });
  });
});
