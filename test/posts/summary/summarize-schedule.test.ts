import { beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { summarizeSchedule } from "#posts/index.ts";
import { type DayCounters, computeLateness, computePatterns } from "#posts/summary/schedule-statistics.ts";
import { isTimeZone, zoneOffsetAt } from "#core/time-zone.ts";
import {
  createAccount,
  updatePostRow,
  createTestContext,
  type TestContext,
  NOON,
  refusalOf,
  schedulePost,
  freezeClock,
} from "../test-context.ts";

beforeEach(() => freezeClock());

const EMPTY_DAY = {
  counts: { scheduled: 0, publishing: 0, published: 0, partially_failed: 0, failed: 0, paused: 0 },
  platforms: {},
  lateness: {},
};

function dayWithSlot(instant: number, count = 1): DayCounters {
  const day = Math.floor(instant / DAY);
  return { ...EMPTY_DAY, day, slots: { [Math.floor((instant % DAY) / (15 * MINUTE))]: count } };
}

async function scheduleAt(ctx: TestContext, scheduledAt: number) {
  return await schedulePost(ctx, { accountIds: [await createAccount(ctx)], scheduledAt });
}

describe("the summary", () => {
  test("of an empty workspace has only zeros", async () => {
    const ctx = createTestContext();
    const summary = await summarizeSchedule(ctx, {});
    expect(summary).toEqual({
      timezone: "UTC",
      counts: { scheduled: 0, publishing: 0, published: 0, partially_failed: 0, failed: 0, paused: 0 },
      byPlatform: {},
      nextPostAt: null,
      upcoming: { next24Hours: 0, next7Days: 0, next30Days: 0 },
      patterns: { byWeekday: [0, 0, 0, 0, 0, 0, 0], byHour: Array(24).fill(0), busiest: [], postsPerWeek: 0 },
      lateness: { p50Ms: null, p99Ms: null, maxMs: null, sample: 0 },
    });
  });

  test("counts upcoming posts to the millisecond", async () => {
    freezeClock(NOON + 7 * MINUTE + 1);
    const ctx = createTestContext();
    const now = ctx.clock.now();
    for (const offset of [0, 1, DAY - 1, DAY, 7 * DAY - 1, 7 * DAY, 30 * DAY - 1, 30 * DAY, 100 * DAY]) {
      await scheduleAt(ctx, now + offset);
    }
    const paused = await scheduleAt(ctx, now + HOUR);
    await updatePostRow(paused.id, { status: "paused", watch_at: null });
    const cancelled = await scheduleAt(ctx, now + HOUR);
    await updatePostRow(cancelled.id, { status: "cancelled", watch_at: null });
    // One published within the current quarter hour, and one still scheduled although its time has passed.
    const past = await scheduleAt(ctx, now);
    await updatePostRow(past.id, { status: "published", scheduled_at: now - MINUTE, watch_at: null });
    const late = await scheduleAt(ctx, now);
    await updatePostRow(late.id, { scheduled_at: now - 1 });
    ctx.counting.reset();
    const summary = await summarizeSchedule(ctx, {});
    expect(ctx.counting.count.roundTrips).toBe(1);
    expect(summary.counts).toEqual({
      scheduled: 10,
      publishing: 0,
      published: 1,
      partially_failed: 0,
      failed: 0,
      paused: 1,
    });
    expect(summary.byPlatform).toEqual({ x: 10 });
    expect(summary.nextPostAt).toBe(now);
    expect(summary.upcoming).toEqual({ next24Hours: 3, next7Days: 5, next30Days: 7 });
    // The post in 100 days is outside the pattern window, and paused posts are not part of the patterns.
    expect(summary.patterns.byWeekday.reduce((sum, count) => sum + count)).toBe(10);
    expect(summary.patterns.postsPerWeek).toBe(0.39);
  });

  test("reads only day counters, independent of the number of posts", async () => {
    const ctx = createTestContext();
    for (let index = 0; index < 12; index++) {
      await scheduleAt(ctx, NOON + 2 * HOUR + index * MINUTE);
    }
    ctx.counting.reset();
    await summarizeSchedule(ctx, { timezone: "Asia/Kathmandu" });
    expect(ctx.counting.count.rowsRead).toBeLessThan(15);
  });

  test.for([
    ["an unknown place", "Mars/Olympus"],
    ["an offset", "+02:00"],
    ["an empty text", ""],
    ["a NUL", "\0"],
    ["an unpaired surrogate", "Europe/Berlin\ud800"],
    ["a very long text", "a".repeat(10_000)],
  ] as const)("%s is refused as a time zone", async ([, timezone], { expect }) => {
    expect(await refusalOf(summarizeSchedule(createTestContext(), { timezone }))).toMatchObject({
      code: "invalid_request",
      param: "timezone",
    });
  });
});

describe("patterns in a time zone", () => {
  test.for<[string, string, number, number]>([
    ["UTC", "2030-05-15T23:45:00Z", 2, 23],
    ["Europe/Berlin", "2030-05-15T23:45:00Z", 3, 1],
    ["America/Los_Angeles", "2030-05-13T03:00:00Z", 6, 20],
    ["Asia/Kathmandu", "2030-05-15T18:15:00Z", 3, 0],
    ["Asia/Kathmandu", "2030-05-15T18:00:00Z", 2, 23],
    ["Pacific/Kiritimati", "2030-05-15T10:00:00Z", 3, 0],
    // Clock change in Berlin: 00:45Z is 01:45 winter time, 01:00Z is 03:00 summer time.
    ["Europe/Berlin", "2030-03-31T00:45:00Z", 6, 1],
    ["Europe/Berlin", "2030-03-31T01:00:00Z", 6, 3],
    // New York, 10 March 2030: 06:45Z is 01:45, 07:00Z is 03:00.
    ["America/New_York", "2030-03-10T06:45:00Z", 6, 1],
    ["America/New_York", "2030-03-10T07:00:00Z", 6, 3],
    ["Australia/Lord_Howe", "2030-04-06T14:45:00Z", 6, 1],
    ["Australia/Lord_Howe", "2030-04-06T15:15:00Z", 6, 1],
  ])("%s at %s", ([zone, instant, weekday, hour], { expect }) => {
    const { byWeekday, byHour, busiest } = computePatterns(
      [dayWithSlot(Date.parse(instant))],
      zone,
      Date.parse("2030-05-01T12:00:00Z"),
    );
    expect(busiest).toEqual([{ weekday, hour, count: 1 }]);
    expect([byWeekday.indexOf(1), byHour.indexOf(1)]).toEqual([weekday, hour]);
  });

  test("contain the five busiest hours, earlier ones first among equals", () => {
    const days = [0, 1, 2, 3, 4, 5].map((day) => dayWithSlot(NOON + day * DAY, day === 3 ? 4 : 1));
    const { busiest } = computePatterns(days, "UTC", NOON);
    expect(busiest.map(({ weekday, count }) => [weekday, count])).toEqual([
      [5, 4],
      [0, 1],
      [2, 1],
      [3, 1],
      [4, 1],
    ]);
  });

  test("cover 90 days in both directions", () => {
    const days = [-90 * DAY, -90 * DAY - 15 * MINUTE, 90 * DAY - 15 * MINUTE, 90 * DAY].map((offset) =>
      dayWithSlot(NOON + offset),
    );
    expect(computePatterns(days, "UTC", NOON + 14 * MINUTE).byHour.reduce((sum, count) => sum + count)).toBe(2);
  });
});

describe("lateness", () => {
  test("gives percentiles of the last 30 days", () => {
    const day = Math.floor(NOON / DAY);
    const days: DayCounters[] = [
      { ...EMPTY_DAY, day, slots: {}, lateness: { "5": 50, "90": 48 } },
      { ...EMPTY_DAY, day: day - 29, slots: {}, lateness: { "5": 1, "1200": 1 } },
      { ...EMPTY_DAY, day: day - 30, slots: {}, lateness: { "99000": 100 } },
    ];
    expect(computeLateness(days, NOON)).toEqual({ p50Ms: 5, p99Ms: 90, maxMs: 1200, sample: 100 });
  });
});

describe("time zones", () => {
  test("are IANA names, not offsets", () => {
    expect(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"].every(isTimeZone)).toBe(true);
    expect(["+01:00", "-0100", "Nowhere", "1"].some(isTimeZone)).toBe(false);
  });

  test("have an offset for each instant, not for each day", () => {
    const change = Date.parse("2030-03-31T01:00:00Z");
    expect(zoneOffsetAt("Europe/Berlin", change - 1)).toBe(HOUR);
    expect(zoneOffsetAt("Europe/Berlin", change)).toBe(2 * HOUR);
    expect(zoneOffsetAt("Asia/Kolkata", -1)).toBe(5.5 * HOUR);
  });
});

describe("the zone's offset is asked for", () => {
  const days = [dayWithSlot(NOON), { ...EMPTY_DAY, day: NOON / DAY - 30, slots: {} }];

  function countOfQuestions(timeZone: string): number {
    const formatToParts = vi.spyOn(Intl.DateTimeFormat.prototype, "formatToParts");
    computePatterns(days, timeZone, NOON);
    const { length } = formatToParts.mock.calls;
    formatToParts.mockRestore();
    return length;
  }

  test("twice for a day with posts, never for an empty day or for UTC", () => {
    expect(countOfQuestions("Europe/Berlin")).toBe(2);
    expect(countOfQuestions("UTC")).toBe(0);
  });
});
