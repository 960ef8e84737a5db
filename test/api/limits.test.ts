import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { HOUR, MINUTE } from "#core/clock.ts";
import { PLAN_LIMITS } from "#core/plan.ts";
import { callApi } from "../support/call-api.ts";
import { connectOneAccount, isoInDays, scheduleTextPost } from "../support/api-workflows.ts";
import { type ApiCaller, createAnotherKey, createCaller } from "../support/create-caller.ts";
import { sendUntilLimited } from "../support/send-until-limited.ts";

afterEach(() => {
  vi.useRealTimers();
});

const readLimits = async (caller: ApiCaller) => (await callApi(caller, { method: "GET", path: "/limits" })).body;

async function useUp(caller: ApiCaller, name: string, used: number): Promise<void> {
  await env.DB.prepare("INSERT INTO hourly_use (hour, user_id, name, used) VALUES (?, ?, ?, ?)")
    .bind(Math.floor(Date.now() / HOUR), caller.userId, name, used)
    .run();
}

function previewText(caller: ApiCaller, accountId: string) {
  const body = { caption: "Hello", scheduled_at: isoInDays(1), account_ids: [accountId] };
  return callApi(caller, { method: "POST", path: "/posts/preview", body });
}

describe("GET /limits", () => {
  test("200 with the plan's limits and what is in use, over all workspaces", async ({ expect }) => {
    const caller = await createCaller({ plan: "scale" });
    const account = await connectOneAccount(caller);
    await scheduleTextPost(caller, account.id);
    await callApi(caller, { method: "POST", path: "/workspaces", body: { name: "Studio" } });
    const { plan, limits } = await readLimits(caller);
    expect(plan).toBe("scale");
    expect(limits).toMatchObject({
      accounts: { limit: PLAN_LIMITS.scale.accounts, used: 1, resets_at: null },
      workspaces: { limit: PLAN_LIMITS.scale.workspaces, used: 2, resets_at: null },
      api_keys: { limit: PLAN_LIMITS.scale.apiKeys, used: 1 },
      connected_apps: { used: 0 },
      scheduled_posts: { used: 1, resets_at: null },
      draft_bytes: { limit: PLAN_LIMITS.scale.draftBytes, used: 0, resets_at: null },
      text_bytes_per_hour: { limit: PLAN_LIMITS.scale.textBytesPerHour, used: 0 },
      media_bytes: { limit: PLAN_LIMITS.scale.storageBytes, used: 0 },
      webhooks: { limit: PLAN_LIMITS.scale.webhooks, used: 0, resets_at: null },
      previews_per_hour: { used: 1, resets_at: expect.stringMatching(/:00:00\.000Z$/) },
      media_fetches_per_hour: { used: 0 },
      media_fetches_per_host_per_hour: { used: 0 },
      requests_per_minute: { limit: PLAN_LIMITS.scale.userRequestsPerMinute, used: null, resets_at: null },
    });
  });

  test("200 for any valid credential, with the lower limits of a trial", async ({ expect }) => {
    const caller = await createCaller({ plan: "growth", scopes: ["accounts:read"], subscription: "trialing" });
    const { limits } = await readLimits(caller);
    expect(limits).toMatchObject({
      accounts: { limit: 5 },
      workspaces: { limit: 1 },
      scheduled_posts: { limit: 100 },
      previews_per_hour: { limit: 200 },
    });
  });

  test("401 without a credential", async ({ expect }) => {
    expect((await callApi(null, { method: "GET", path: "/limits" })).status).toBe(401);
  });
});

describe("previews per hour", () => {
  test("of eight parallel previews only those within the limit succeed", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / HOUR) * HOUR + 15 * MINUTE });
    const caller = await createCaller({ plan: "starter" });
    const account = await connectOneAccount(caller);
    const { previewsPerHour } = PLAN_LIMITS.starter;
    await useUp(caller, "previews", previewsPerHour - 3);
    const responses = await Promise.all(Array.from({ length: 8 }, () => previewText(caller, account.id)));
    const refused = responses.filter(({ status }) => status === 429);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(refused).toHaveLength(5);
    for (const { body, headers } of refused) {
      expect(body).toMatchObject({
        code: "rate_limited",
        error: expect.stringContaining("try again in 45 minutes"),
        details: [
          { code: "quota_exceeded", message: "previews_per_hour", limit: previewsPerHour, actual: previewsPerHour },
        ],
      });
      expect(headers.get("retry-after")).toBe(String(45 * 60));
    }
    expect((await readLimits(caller)).limits.previews_per_hour.used).toBe(previewsPerHour);
    vi.setSystemTime(Date.now() + 45 * MINUTE);
    expect((await previewText(caller, account.id)).status).toBe(200);
  });

  test("also count previews of edits", async ({ expect }) => {
    const caller = await createCaller({ plan: "starter" });
    const account = await connectOneAccount(caller);
    const post = await scheduleTextPost(caller, account.id);
    await env.DB.prepare("UPDATE hourly_use SET used = ? WHERE user_id = ?")
      .bind(PLAN_LIMITS.starter.previewsPerHour, caller.userId)
      .run();
    const body = { post_ids: [post.id], caption: "Other" };
    const response = await callApi(caller, { method: "POST", path: "/posts/edit/preview", body });
    expect(response).toMatchObject({ status: 429, body: { details: [{ code: "quota_exceeded" }] } });
  });
});

describe("requests per minute", () => {
  test("hold for all keys of a user together", async ({ expect }) => {
    const caller = await createCaller({ plan: "starter" });
    const keys = [
      caller,
      await createAnotherKey(caller, ["posts:read"]),
      await createAnotherKey(caller, ["posts:read"]),
    ];
    const { userRequestsPerMinute } = PLAN_LIMITS.starter;
    const responses = await sendUntilLimited(userRequestsPerMinute, (sent) =>
      callApi(keys[sent % keys.length] ?? caller, { method: "GET", path: "/platforms" }),
    );
    const response = responses.at(-1) ?? responses[0];
    expect(response).toMatchObject({
      status: 429,
      body: { error: "over 240 requests in a minute with all your credentials: wait a minute" },
    });
    expect(response.headers.get("ratelimit-policy")).toBe('"starter";q=120;w=60, "starter-user";q=240;w=60');
    expect(response.headers.get("ratelimit")).toBe('"starter-user";r=0;t=60');
    expect((await callApi(await createCaller({ plan: "starter" }), { method: "GET", path: "/platforms" })).status).toBe(
      200,
    );
  });
});
