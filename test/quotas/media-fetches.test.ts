import { describe, expect, test } from "vitest";
import { importMedia } from "#media/index.ts";
import { listLimits } from "#quotas/index.ts";
import { refusalOf } from "../posts/test-context.ts";
import { createTestContext, type TestContext } from "../media/test-context.ts";

function withLimits(ctx: TestContext, mediaFetchesPerHour: number, mediaFetchesPerHostPerHour: number): TestContext {
  const limits = { ...ctx.actor.limits, mediaFetchesPerHour, mediaFetchesPerHostPerHour };
  return { ...ctx, actor: { ...ctx.actor, limits } };
}

const urls = (host: string, count: number) => Array.from({ length: count }, (_, i) => `https://${host}/${i}.jpg`);

describe("media fetches per hour", () => {
  test("a call over the limit fetches nothing and is not counted", async () => {
    const ctx = withLimits(createTestContext(), 3, 10);
    await refusalOf(importMedia(ctx, { urls: urls("1.1.1.1", 2) }));
    expect(ctx.internet.requests).toHaveLength(2);
    const refusal = await refusalOf(importMedia(ctx, { urls: urls("1.0.0.1", 2) }));
    expect(refusal).toMatchObject({
      code: "rate_limited",
      details: [{ code: "quota_exceeded", message: "media_fetches_per_hour", limit: 3, actual: 2 }],
    });
    expect(refusal.retryAfterSeconds).toBeGreaterThan(0);
    expect(ctx.internet.requests).toHaveLength(2);
    expect((await listLimits(ctx)).used).toMatchObject({ mediaFetchesPerHour: 2, mediaFetchesPerHostPerHour: 2 });
  });

  test("a host has a limit of its own, and others can still be fetched from", async () => {
    const ctx = withLimits(createTestContext(), 100, 2);
    const refusal = await refusalOf(importMedia(ctx, { urls: urls("1.1.1.1", 3) }));
    expect(refusal.details).toMatchObject([
      { code: "quota_exceeded", message: "media_fetches_per_host_per_hour", limit: 2, actual: 0 },
    ]);
    expect(ctx.internet.requests).toEqual([]);
    expect(await refusalOf(importMedia(ctx, { urls: urls("1.1.1.1", 2) }))).toMatchObject({
      code: "validation_failed",
    });
    expect(await refusalOf(importMedia(ctx, { urls: urls("1.1.1.1", 1) }))).toMatchObject({ code: "rate_limited" });
    const named = withLimits(createTestContext(), 100, 1);
    const bothNames = ["https://files.example.com/0.jpg", "https://files.example.com./1.jpg"];
    expect(await refusalOf(importMedia(named, { urls: bothNames }))).toMatchObject({ code: "rate_limited" });
    expect(await refusalOf(importMedia(ctx, { urls: urls("1.0.0.1", 1) }))).toMatchObject({
      code: "validation_failed",
    });
  });

  test("of eight parallel imports only those within the limit fetch", async () => {
    const ctx = withLimits(createTestContext(), 5, 100);
    const refusals = await Promise.all(
      Array.from({ length: 8 }, (_, i) => refusalOf(importMedia(ctx, { urls: [`https://1.1.1.1/p${i}.jpg`] }))),
    );
    expect(refusals.filter(({ code }) => code === "rate_limited")).toHaveLength(3);
    expect(ctx.internet.requests).toHaveLength(5);
  });
});
