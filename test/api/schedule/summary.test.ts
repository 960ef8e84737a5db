import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, isoInDays, scheduleTextPost } from "../../support/api-workflows.ts";
import { createCaller } from "../../support/create-caller.ts";

describe("200", () => {
  test("zeros without posts, in UTC", async ({ expect }) => {
    const response = await callApi(await createCaller(), { method: "GET", path: "/schedule/summary" });
    expect(response).toMatchObject({
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

  test("counts scheduled posts", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const soon = isoInDays(2);
    await scheduleTextPost(caller, account.id, { scheduled_at: soon });
    await scheduleTextPost(caller, account.id, { scheduled_at: isoInDays(20) });
    const response = await callApi(caller, { method: "GET", path: "/schedule/summary?timezone=Europe/Berlin" });
    expect(response.body).toMatchObject({
      timezone: "Europe/Berlin",
      counts: { scheduled: 2 },
      by_platform: { x: 2 },
      next_post_at: soon,
      upcoming: { next_24_hours: 0, next_7_days: 1, next_30_days: 2 },
    });
    const total = response.body.patterns.by_hour.reduce((sum: number, count: number) => sum + count, 0);
    expect(total).toBe(2);
  });
});

describe("400", () => {
  test.for(["", "Mars/Olympus", "%00", "%2B02:00", "x".repeat(65), "UTC&timezone=UTC"])(
    "timezone=%s",
    async (zone, { expect }) => {
      const response = await callApi(await createCaller(), {
        method: "GET",
        path: `/schedule/summary?timezone=${zone}`,
      });
      expect(response).toMatchObject({ status: 400, body: { param: "timezone" } });
    },
  );
});
