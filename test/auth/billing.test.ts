import { env } from "cloudflare:workers";
import { Stripe } from "stripe";
import { describe, test } from "vitest";
import { setSubscription } from "#auth/index.ts";
import { DAY } from "#core/clock.ts";
import type { Outbound } from "#context.ts";
import { silentWorld } from "./test-context.ts";
import { Browser, signedIn, stage } from "./stage.ts";

const SECRET = "whsec_of_this_test";
const SETTINGS = {
  STRIPE_SECRET_KEY: "sk_test_of_this_test",
  STRIPE_WEBHOOK_SECRET: SECRET,
  STRIPE_PRICE_STARTER: "price_starter",
  STRIPE_PRICE_GROWTH: "price_growth",
  STRIPE_PRICE_SCALE: "price_scale",
};

interface Asked {
  readonly path: string;
  readonly body: URLSearchParams;
  readonly authorization: string | null;
}

/** The payment provider as this test needs it: remembers what it was asked and says what it is told to. */
function provider(answers: Record<string, unknown> = {}) {
  const asked: Asked[] = [];
  const outbound: Outbound = {
    ...silentWorld,
    async publicFetch(request) {
      const { pathname } = new URL(request.url);
      const body = new URLSearchParams(await request.text());
      asked.push({ path: pathname, body, authorization: request.headers.get("authorization") });
      return pathname in answers
        ? Response.json(answers[pathname])
        : Response.json({ error: { type: "invalid_request_error", message: "no such thing" } }, { status: 404 });
    },
  };
  return { on: stage(SETTINGS, outbound), asked, answers };
}

function subscription(userId: string, more: Record<string, unknown> = {}) {
  return {
    id: "sub_1",
    object: "subscription",
    status: "active",
    customer: `cus_${userId}`,
    metadata: { user_id: userId },
    items: { data: [{ price: { id: "price_scale" }, current_period_end: Math.floor((Date.now() + 30 * DAY) / 1000) }] },
    ...more,
  };
}

async function event(
  on: ReturnType<typeof stage>,
  object: Record<string, unknown>,
  more: { type?: string; secret?: string; at?: number } = {},
) {
  const payload = JSON.stringify({
    id: "evt_1",
    object: "event",
    type: more.type ?? "customer.subscription.updated",
    data: { object },
  });
  const signature = await Stripe.webhooks.generateTestHeaderStringAsync({
    payload,
    secret: more.secret ?? SECRET,
    timestamp: Math.floor((more.at ?? Date.now()) / 1000),
  });
  return on.fetch("/billing/events", { method: "POST", body: payload, headers: { "stripe-signature": signature } });
}

function row(userId: string) {
  return env.DB.prepare(
    "SELECT plan, status, current_period_end AS ends, stripe_customer_id AS customer FROM subscriptions WHERE user_id = ?",
  )
    .bind(userId)
    .first<{ plan: string; status: string; ends: number | null; customer: string | null }>();
}

describe("payment", { timeout: 30_000 }, () => {
  test("is offered only where the operator configured it", async ({ expect }) => {
    const bare = stage();
    const without = await signedIn(bare);
    expect(await (await without.browser.get("/dashboard/plan")).text()).not.toContain("/dashboard/plan/checkout");
    expect((await without.browser.post("/dashboard/plan/checkout", { plan: "growth" })).status).toBe(404);
    expect((await bare.fetch("/billing/events", { method: "POST", body: "{}" })).status).toBe(404);
    const { on } = provider();
    const { browser } = await signedIn(on);
    const page = await browser.get("/dashboard/plan");
    expect(await page.text()).toContain("/dashboard/plan/checkout");
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' https://checkout.stripe.com");
  });

  test("leads to the checkout of the chosen plan and keeps what is left of the trial free", async ({ expect }) => {
    const { on, asked } = provider({ "/v1/checkout/sessions": { id: "cs_1", url: "https://checkout.stripe.com/c/1" } });
    const { browser, userId, email } = await signedIn(on);
    const answer = await browser.post("/dashboard/plan/checkout", { plan: "scale" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "https://checkout.stripe.com/c/1"]);
    const [call] = asked;
    expect(call?.authorization).toBe("Bearer sk_test_of_this_test");
    expect(Object.fromEntries(call!.body)).toMatchObject({
      mode: "subscription",
      client_reference_id: userId,
      customer_email: email,
      "line_items[0][price]": "price_scale",
      "subscription_data[metadata][user_id]": userId,
    });
    const trialEnd = Number(call?.body.get("subscription_data[trial_end]")) * 1000;
    expect(Math.abs(trialEnd - (await row(userId))!.ends!)).toBeLessThan(1000);
    expect((await browser.post("/dashboard/plan/checkout", { plan: "gold" })).status).toBe(404);
  });

  test("an event sets what the provider says now, and the portal opens", async ({ expect }) => {
    const { on, answers } = provider({ "/v1/billing_portal/sessions": { url: "https://billing.stripe.com/p/1" } });
    const { browser, userId } = await signedIn(on);
    expect((await browser.post("/dashboard/plan/portal")).status).toBe(400);
    answers["/v1/subscriptions/sub_1"] = subscription(userId);
    // The event itself is out of date: only its id counts.
    expect((await event(on, subscription(userId, { status: "past_due" }))).status).toBe(200);
    expect(await row(userId)).toMatchObject({ plan: "scale", status: "active", customer: `cus_${userId}` });
    const portal = await browser.post("/dashboard/plan/portal");
    expect(portal.headers.get("location")).toBe("https://billing.stripe.com/p/1");
    expect((await browser.post("/dashboard/plan/checkout", { plan: "scale" })).status).toBe(400);
  });

  test("a failed payment gets a grace that begins once; the end pauses, a payment resumes", async ({ expect }) => {
    const { on, answers } = provider();
    const { userId, workspaceId } = await signedIn(on);
    const postId = crypto.randomUUID();
    await env.DB.prepare(
      `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, watch_at, post_type, caption, media, platforms, plan_hash, confirm_hash, created_via, created_at, updated_at)
       VALUES (?1, ?2, ?3, 'scheduled', ?4, 1, 7, 'text', 'hi', '[]', '["x"]', 'h', ?1, 'api', 0, 0)`,
    )
      .bind(postId, workspaceId, userId, Date.now() + 10 * DAY)
      .run();
    const accountId = crypto.randomUUID();
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO accounts (id, user_id, workspace_id, connection_id, platform, platform_account_id, username, display_name, capabilities, missing_scopes, status, connected_at)
         VALUES (?1, ?2, ?3, ?1, 'x', ?1, 'u', 'U', '{}', '[]', 'active', 0)`,
      ).bind(accountId, userId, workspaceId),
      env.DB.prepare(
        `INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at)
         VALUES (?1, ?2, 'x', 'u', 'hi', '{}', 'pending', 0, '[]', 0)`,
      ).bind(postId, accountId),
    ]);
    const says = async (more: Record<string, unknown>) => {
      answers["/v1/subscriptions/sub_1"] = subscription(userId, more);
      expect((await event(on, { id: "sub_1" })).status).toBe(200);
      const post = await env.DB.prepare("SELECT status FROM posts WHERE id = ?")
        .bind(postId)
        .first<{ status: string }>();
      return { ...(await row(userId)), post: post?.status };
    };
    const before = Date.now();
    const failed = await says({ status: "past_due" });
    expect(failed).toMatchObject({ status: "past_due", post: "scheduled" });
    expect(failed.ends! - before).toBeGreaterThanOrEqual(7 * DAY);
    expect((await says({ status: "past_due" })).ends).toBe(failed.ends);
    expect(await says({ status: "unpaid" })).toMatchObject({ status: "canceled", ends: null, post: "paused" });
    expect(await says({ status: "incomplete" })).toMatchObject({ status: "canceled", post: "paused" });
    expect(await says({ status: "active" })).toMatchObject({ status: "active", post: "scheduled" });
  });

  test("the end of an old subscription does not end its successor", async ({ expect }) => {
    const { on, answers } = provider();
    const { userId } = await signedIn(on);
    answers["/v1/subscriptions/sub_1"] = subscription(userId);
    await event(on, { id: "sub_1" });
    answers["/v1/subscriptions/sub_0"] = subscription(userId, { id: "sub_0", status: "canceled" });
    expect((await event(on, { id: "sub_0" }, { type: "customer.subscription.deleted" })).status).toBe(200);
    expect((await row(userId))?.status).toBe("active");
  });

  test("checkout's own event and a customer without our id are understood; strangers are not", async ({ expect }) => {
    const { on, answers } = provider();
    const { userId } = await signedIn(on);
    answers["/v1/subscriptions/sub_1"] = subscription(userId);
    await event(on, { id: "cs_1", subscription: "sub_1" }, { type: "checkout.session.completed" });
    expect((await row(userId))?.status).toBe("active");
    await setSubscription(on.services, { userId, plan: "scale", status: "canceled" });
    answers["/v1/subscriptions/sub_1"] = subscription(userId, { metadata: {} });
    await event(on, { id: "sub_1" });
    expect((await row(userId))?.status).toBe("active");
    answers["/v1/subscriptions/sub_9"] = subscription(crypto.randomUUID(), { id: "sub_9", customer: "cus_9" });
    expect((await event(on, { id: "sub_9" })).status).toBe(200);
    expect((await event(on, { id: "in_1" }, { type: "invoice.paid" })).status).toBe(200);
  });

  test("an unsigned, wrongly signed or old event is 400 and asks nobody", async ({ expect }) => {
    const { on, asked } = provider();
    const { userId } = await signedIn(on);
    const tries = [
      await on.fetch("/billing/events", { method: "POST", body: "{}" }),
      await event(on, subscription(userId), { secret: "whsec_of_somebody_else" }),
      await event(on, subscription(userId), { at: Date.now() - 10 * 60_000 }),
    ];
    expect(tries.map((answer) => answer.status)).toEqual([400, 400, 400]);
    expect(asked).toHaveLength(0);
  });

  test("a provider that does not answer is asked again later", async ({ expect }) => {
    const { on } = provider();
    const { userId } = await signedIn(on);
    expect((await event(on, subscription(userId))).status).toBe(500);
    expect((await row(userId))?.status).toBe("trialing");
    expect((await new Browser(on).get("/login")).status).toBe(200);
  });
});
