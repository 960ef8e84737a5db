import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { connectOne, inDays, scheduleText } from "../../support/journey.ts";
import { newCaller } from "../../support/user.ts";

describe("200", () => {
  test("zeros at first, in UTC", async ({ expect }) => {
    const answer = await call(await newCaller(), { method: "GET", path: "/schedule/summary" });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        timezone: "UTC",
        counts: { scheduled: 0, publishing: 0, published: 0, partially_failed: 0, failed: 0, paused: 0 },
        by_platform: {},
        next_post_at: null,
        upcoming: { next_24_hours: 0, next_7_days: 0, next_30_days: 0 },
      },
    });
  });

  test("counts what is scheduled", async ({ expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller);
    const soon = inDays(2);
    await scheduleText(caller, account.id, { scheduled_at: soon });
    await scheduleText(caller, account.id, { scheduled_at: inDays(20) });
    const answer = await call(caller, { method: "GET", path: "/schedule/summary?timezone=Europe/Berlin" });
    expect(answer.body).toMatchObject({
      timezone: "Europe/Berlin",
      counts: { scheduled: 2 },
      by_platform: { x: 2 },
      next_post_at: soon,
      upcoming: { next_24_hours: 0, next_7_days: 1, next_30_days: 2 },
    });
    const total = answer.body.patterns.by_hour.reduce((sum: number, count: number) => sum + count, 0);
    expect(total).toBe(2);
  });
});

describe("400", () => {
  test.for(["", "Mars/Olympus", "%00", "%2B02:00", "x".repeat(65), "UTC&timezone=UTC"])(
    "timezone=%s",
    async (zone, { expect }) => {
      const answer = await call(await newCaller(), { method: "GET", path: `/schedule/summary?timezone=${zone}` });
      expect(answer).toMatchObject({ status: 400, body: { param: "timezone" } });
    },
  );
});
