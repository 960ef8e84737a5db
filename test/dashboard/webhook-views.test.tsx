import type { HtmlEscapedString } from "hono/utils/html";
import { describe, test } from "vitest";
import { EVENT_TYPES } from "#core/event-type.ts";
import type { Delivery, DeliveryTry, WebhookHealth } from "#core/webhook-sender.ts";
import { formatExactly, readDisplay } from "#dashboard/wording/display.ts";
import { DeliveryList, Response } from "#dashboard/webhooks/deliveries.tsx";
import { DisabledBanner, HealthFacts, StateTag } from "#dashboard/webhooks/health.tsx";
import { describeTry, EVENT_GROUPS, visibleResponse } from "#dashboard/webhooks/wording.ts";
import type { Webhook } from "#webhooks/index.ts";

/* What the pages of a webhook say of its state and of its deliveries; times are those of Berlin. */

const display = readDisplay("Europe/Berlin", "en-GB");
const AT = Date.parse("2026-12-01T09:00:07.041Z");

const HEALTHY: WebhookHealth = {
  lastSuccessAt: AT,
  lastFailureAt: null,
  failures: 0,
  pending: 0,
  nextTryAt: null,
};

const webhook = (overrides: Partial<Webhook> = {}): Webhook => ({
  id: "0197a000-0000-7000-8000-000000000001",
  workspaceId: "0197a000-0000-7000-8000-000000000002",
  url: "https://receiver.example/events",
  description: "",
  types: ["*"],
  createdAt: AT,
  updatedAt: AT,
  disabledAt: null,
  disabledReason: null,
  previousSecretUntil: null,
  madeBy: null,
  health: HEALTHY,
  ...overrides,
});

const attempt = (overrides: Partial<DeliveryTry> = {}): DeliveryTry => ({
  at: AT,
  durationMs: 41.6,
  status: 200,
  error: null,
  response: "",
  ...overrides,
});

const delivery = (overrides: Partial<Delivery> = {}): Delivery => ({
  id: "d1",
  eventId: "evt_1",
  eventType: "post.published",
  subjectId: "p1",
  status: "delivered",
  createdAt: AT,
  tries: [attempt()],
  nextTryAt: null,
  body: "{}",
  ...overrides,
});

const html = async (element: HtmlEscapedString | Promise<HtmlEscapedString>) => (await element).toString();
const text = async (element: HtmlEscapedString | Promise<HtmlEscapedString>) =>
  (await html(element)).replaceAll(/<[^>]*>/g, "");

describe("the state of a webhook", () => {
  test("failing, once a try failed after the last success", async ({ expect }) => {
    const health = { ...HEALTHY, failures: 3, lastFailureAt: AT + 60_000, pending: 2, nextTryAt: AT + 300_000 };
    expect(await text(<StateTag webhook={webhook()} />)).toBe("Active");
    expect(await text(<StateTag webhook={webhook({ health })} />)).toBe("Failing");
    expect(await text(<HealthFacts health={health} display={display} />)).toBe(
      "Last success Tue, 1 Dec 2026, 10:00:07" +
        "3 failed tries since; the last Tue, 1 Dec 2026, 10:01:07" +
        "2 deliveries waiting" +
        "Next try Tue, 1 Dec 2026, 10:05:07",
    );
  });

  test("nothing is said of a success that never was", async ({ expect }) => {
    const never = { ...HEALTHY, lastSuccessAt: null };
    expect(await text(<HealthFacts health={never} display={display} />)).toBe("Nothing delivered yet");
    expect(await text(<HealthFacts health={{ ...never, failures: 1 }} display={display} />)).toBe(
      "1 failed try, none that succeeded",
    );
  });

  test.for([
    ["user", "Switched off", "You switched this webhook off"],
    ["gone", "Disabled", "answered 410 Gone"],
    ["failing", "Disabled", "for five days nothing could be delivered"],
  ] as const)("%s: why nothing is sent, and since when", async ([disabledReason, tag, sentence], { expect }) => {
    const off = webhook({ disabledReason, disabledAt: AT });
    expect(await text(<StateTag webhook={off} />)).toBe(tag);
    const banner = await text(<DisabledBanner webhook={off} display={display} />);
    expect(banner).toContain(sentence);
    expect(banner).toContain("Since Tue, 1 Dec 2026, 10:00:07.");
    expect(await text(<DisabledBanner webhook={webhook()} display={display} />)).toBe("");
  });
});

describe("the types of events", () => {
  test("each can be chosen, but the test that is only sent by hand", ({ expect }) => {
    const offered = EVENT_GROUPS.flatMap(({ types }) => Object.keys(types));
    expect(offered).toEqual(EVENT_TYPES.filter((type) => type !== "webhook.test"));
  });
});

describe("what a receiver answered", () => {
  test("is text, whatever it contains", async ({ expect }) => {
    const page = await html(<Response response={`<script>alert(1)</script>"'&`} />);
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;");
    expect(page).not.toContain("<script");
    expect(await html(<Response response="" />)).toBe("");
  });

  test("steers neither a terminal nor the direction of text, and ends after 1,024 characters", ({ expect }) => {
    expect(visibleResponse("a\u001b[31m\u0000b\r\n\tc\u202ed\u2066")).toBe("a[31mb\n\tcd");
    expect(visibleResponse("x".repeat(5000))).toHaveLength(1024);
  });

  test("a try names the status or why there was none, and how long it took", ({ expect }) => {
    expect(describeTry(attempt())).toBe("200 after 42 ms");
    expect(describeTry(attempt({ status: null, error: "timeout", durationMs: 10_004 }))).toBe(
      "no answer after 10.0 s: timeout",
    );
  });
});

describe("the list of deliveries", () => {
  const list = (props: Partial<Parameters<typeof DeliveryList>[0]>) => (
    <DeliveryList
      path="/webhooks/w"
      page={{ deliveries: [], next: null }}
      filter={null}
      isFirstPage
      display={display}
      {...props}
    />
  );

  test("says what was tried last and what comes next, and leads to the page of each", async ({ expect }) => {
    const failing = delivery({
      id: "d2",
      status: "pending",
      tries: [attempt(), attempt({ status: 503, durationMs: 9 })],
      nextTryAt: AT + 60_000,
    });
    const page = { deliveries: [failing, delivery({ tries: [] })], next: null };
    const rendered = await html(list({ page }));
    expect(rendered).toContain('href="/webhooks/w/deliveries/d2"');
    const words = await text(list({ page }));
    expect(words).toContain("2 tries, the last: 503 after 9 ms");
    expect(words).toContain("Next try Tue, 1 Dec 2026, 10:01:07");
    expect(words).toContain("Not tried yet");
  });

  test("filters by status, and older ones keep the filter", async ({ expect }) => {
    const rendered = await html(
      list({ page: { deliveries: [delivery()], next: "d&1" }, filter: "failed", isFirstPage: false }),
    );
    expect(rendered).toContain('href="/webhooks/w?status=failed#deliveries" aria-current="page"');
    expect(rendered).toContain('href="/webhooks/w?status=failed&amp;before=d%261#deliveries"');
    expect(await text(list({ filter: "failed" }))).toContain("None with this status.");
  });
});

describe("an exact time", () => {
  test("has seconds, on either clock", ({ expect }) => {
    expect(formatExactly(display, AT)).toBe("Tue, 1 Dec 2026, 10:00:07");
    expect(formatExactly(readDisplay("Europe/Berlin", "en-US"), AT)).toBe("Tue, 1 Dec 2026, 10:00:07 am");
  });
});
