import { env } from "cloudflare:workers";
import { Stripe } from "stripe";
import { describe, test } from "vitest";
import { setSubscription } from "#auth/index.ts";
import { DAY } from "#core/clock.ts";
import type { Outbound } from "#context.ts";
import { unreachableOutbound } from "./test-context.ts";
import { BrowserClient, signInNewUser, createServiceFixture } from "./service-fixture.ts";

const SECRET = "whsec_of_this_test";
const SETTINGS = {
  STRIPE_SECRET_KEY: "sk_test_of_this_test",
  STRIPE_WEBHOOK_SECRET: SECRET,
  STRIPE_PRICE_STARTER: "price_starter",
  STRIPE_PRICE_GROWTH: "price_growth",
  STRIPE_PRICE_SCALE: "price_scale",
};

interface ProviderRequest {
  readonly path: string;
  readonly body: URLSearchParams;
  readonly authorization: string | null;
}

/** A fake payment provider: records requests and returns the given responses. */
function createPaymentProvider(responses: Record<string, unknown> = {}) {
  const requests: ProviderRequest[] = [];
  const outbound: Outbound = {
    ...unreachableOutbound,
    async publicFetch(request) {
      const { pathname } = new URL(request.url);
      const body = new URLSearchParams(await request.text());
      requests.push({ path: pathname, body, authorization: request.headers.get("authorization") });
      return pathname in responses
        ? Response.json(responses[pathname])
        : Response.json({ error: { type: "invalid_request_error", message: "no such thing" } }, { status: 404 });
    },
  };
  return { service: createServiceFixture(SETTINGS, outbound), requests, responses };
}

function stripeSubscription(userId: string, more: Record<string, unknown> = {}) {
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

async function sendEvent(
  service: ReturnType<typeof createServiceFixture>,
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
  return service.fetch("/billing/events", {
    method: "POST",
    body: payload,
    headers: { "stripe-signature": signature },
  });
}

function subscriptionRow(userId: string) {
  return env.DB.prepare(
    "SELECT plan, status, current_period_end AS ends, stripe_customer_id AS customer FROM subscriptions WHERE user_id = ?",
  )
    .bind(userId)
    .first<{ plan: string; status: string; ends: number | null; customer: string | null }>();
}

describe("payment", { timeout: 30_000 }, () => {
  test("is offered only if the operator configured it", async ({ expect }) => {
    const withoutBilling = createServiceFixture();
    const otherUser = await signInNewUser(withoutBilling);
    expect(await (await otherUser.browser.get("/dashboard/plan")).text()).not.toContain("/dashboard/plan/checkout");
    expect((await otherUser.browser.post("/dashboard/plan/checkout", { plan: "growth" })).status).toBe(404);
    expect((await withoutBilling.fetch("/billing/events", { method: "POST", body: "{}" })).status).toBe(404);
    const { service } = createPaymentProvider();
    const { browser } = await signInNewUser(service);
    const page = await browser.get("/dashboard/plan");
    expect(await page.text()).toContain("/dashboard/plan/checkout");
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' https://checkout.stripe.com");
  });

  test("redirects to the checkout of the chosen plan and keeps the rest of the trial free", async ({ expect }) => {
    const { service, requests } = createPaymentProvider({
      "/v1/checkout/sessions": { id: "cs_1", url: "https://checkout.stripe.com/c/1" },
    });
    const { browser, userId, email } = await signInNewUser(service);
    const response = await browser.post("/dashboard/plan/checkout", { plan: "scale" });
    expect([response.status, response.headers.get("location")]).toEqual([303, "https://checkout.stripe.com/c/1"]);
    const [call] = requests;
    expect(call?.authorization).toBe("Bearer sk_test_of_this_test");
    expect(Object.fromEntries(call!.body)).toMatchObject({
      mode: "subscription",
      client_reference_id: userId,
      customer_email: email,
      "line_items[0][price]": "price_scale",
      "subscription_data[metadata][user_id]": userId,
    });
    const trialEnd = Number(call?.body.get("subscription_data[trial_end]")) * 1000;
    expect(Math.abs(trialEnd - (await subscriptionRow(userId))!.ends!)).toBeLessThan(1000);
    expect((await browser.post("/dashboard/plan/checkout", { plan: "gold" })).status).toBe(404);
  });

  test("an event updates the subscription to its current state at the provider, and the portal opens", async ({
    expect,
  }) => {
    const { service, responses } = createPaymentProvider({
      "/v1/billing_portal/sessions": { url: "https://billing.stripe.com/p/1" },
    });
    const { browser, userId } = await signInNewUser(service);
    expect((await browser.post("/dashboard/plan/portal")).status).toBe(400);
    responses["/v1/subscriptions/sub_1"] = stripeSubscription(userId);
    // The data of the event is outdated: only its subscription id is used.
    expect((await sendEvent(service, stripeSubscription(userId, { status: "past_due" }))).status).toBe(200);
    expect(await subscriptionRow(userId)).toMatchObject({ plan: "scale", status: "active", customer: `cus_${userId}` });
    const portal = await browser.post("/dashboard/plan/portal");
    expect(portal.headers.get("location")).toBe("https://billing.stripe.com/p/1");
    expect((await browser.post("/dashboard/plan/checkout", { plan: "scale" })).status).toBe(400);
  });

  test("a failed payment starts one grace period; the end of the subscription pauses posts, a payment resumes them", async ({
    expect,
  }) => {
    const { service, responses } = createPaymentProvider();
    const { userId, workspaceId } = await signInNewUser(service);
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
    const applyState = async (more: Record<string, unknown>) => {
      responses["/v1/subscriptions/sub_1"] = stripeSubscription(userId, more);
      expect((await sendEvent(service, { id: "sub_1" })).status).toBe(200);
      const post = await env.DB.prepare("SELECT status FROM posts WHERE id = ?")
        .bind(postId)
        .first<{ status: string }>();
      return { ...(await subscriptionRow(userId)), post: post?.status };
    };
    const startedAt = Date.now();
    const failed = await applyState({ status: "past_due" });
    expect(failed).toMatchObject({ status: "past_due", post: "scheduled" });
    expect(failed.ends! - startedAt).toBeGreaterThanOrEqual(7 * DAY);
    expect((await applyState({ status: "past_due" })).ends).toBe(failed.ends);
    expect(await applyState({ status: "unpaid" })).toMatchObject({ status: "canceled", ends: null, post: "paused" });
    expect(await applyState({ status: "incomplete" })).toMatchObject({ status: "canceled", post: "paused" });
    expect(await applyState({ status: "active" })).toMatchObject({ status: "active", post: "scheduled" });
  });

  test("the end of an old subscription does not end the one that replaced it", async ({ expect }) => {
    const { service, responses } = createPaymentProvider();
    const { userId } = await signInNewUser(service);
    responses["/v1/subscriptions/sub_1"] = stripeSubscription(userId);
    await sendEvent(service, { id: "sub_1" });
    responses["/v1/subscriptions/sub_0"] = stripeSubscription(userId, { id: "sub_0", status: "canceled" });
    expect((await sendEvent(service, { id: "sub_0" }, { type: "customer.subscription.deleted" })).status).toBe(200);
    expect((await subscriptionRow(userId))?.status).toBe("active");
  });

  test("a checkout event and a customer without our user id are applied; unknown customers are ignored", async ({
    expect,
  }) => {
    const { service, responses } = createPaymentProvider();
    const { userId } = await signInNewUser(service);
    responses["/v1/subscriptions/sub_1"] = stripeSubscription(userId);
    await sendEvent(service, { id: "cs_1", subscription: "sub_1" }, { type: "checkout.session.completed" });
    expect((await subscriptionRow(userId))?.status).toBe("active");
    await setSubscription(service.services, { userId, plan: "scale", status: "canceled" });
    responses["/v1/subscriptions/sub_1"] = stripeSubscription(userId, { metadata: {} });
    await sendEvent(service, { id: "sub_1" });
    expect((await subscriptionRow(userId))?.status).toBe("active");
    responses["/v1/subscriptions/sub_9"] = stripeSubscription(crypto.randomUUID(), { id: "sub_9", customer: "cus_9" });
    expect((await sendEvent(service, { id: "sub_9" })).status).toBe(200);
    expect((await sendEvent(service, { id: "in_1" }, { type: "invoice.paid" })).status).toBe(200);
  });

  test("an unsigned, wrongly signed or old event is 400 and causes no request", async ({ expect }) => {
    const { service, requests } = createPaymentProvider();
    const { userId } = await signInNewUser(service);
    const attempts = [
      await service.fetch("/billing/events", { method: "POST", body: "{}" }),
      await sendEvent(service, stripeSubscription(userId), { secret: "whsec_of_somebody_else" }),
      await sendEvent(service, stripeSubscription(userId), { at: Date.now() - 10 * 60_000 }),
    ];
    expect(attempts.map((response) => response.status)).toEqual([400, 400, 400]);
    expect(requests).toHaveLength(0);
  });

  test("an event fails with 500 while the provider is unavailable, so that it is sent again", async ({ expect }) => {
    const { service } = createPaymentProvider();
    const { userId } = await signInNewUser(service);
    expect((await sendEvent(service, stripeSubscription(userId))).status).toBe(500);
    expect((await subscriptionRow(userId))?.status).toBe("trialing");
    expect((await new BrowserClient(service).get("/login")).status).toBe(200);
  });
});
