import { beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { summarizeSchedule } from "#posting/index.ts";
import { type DayRow, latenessOf, patternsOf } from "#posting/calendar/schedule-statistics.ts";
import { isTimeZone, zoneOffsetAt } from "#posting/calendar/time-zone.ts";
import { account, force, house, type House, NOON, refusalOf, schedule, stopTheClock } from "./test-context.ts";

beforeEach(() => stopTheClock());

const NOTHING = {
  counts: { scheduled: 0, publishing: 0, published: 0, partially_failed: 0, failed: 0, paused: 0 },
  platforms: {},
  lateness: {},
};

function dayOf(instant: number, count = 1): DayRow {
  const day = Math.floor(instant / DAY);
  return { ...NOTHING, day, slots: { [Math.floor((instant % DAY) / (15 * MINUTE))]: count } };
}

async function at(ctx: House, scheduledAt: number) {
  return await schedule(ctx, { accountIds: [await account(ctx)], scheduledAt });
}

describe("the summary", () => {
  test("of an empty workspace is all zeros", async () => {
    const ctx = house();
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

  test("counts to the millisecond what is to come", async () => {
    stopTheClock(NOON + 7 * MINUTE + 1);
    const ctx = house();
    const now = ctx.clock.now();
    for (const offset of [0, 1, DAY - 1, DAY, 7 * DAY - 1, 7 * DAY, 30 * DAY - 1, 30 * DAY, 100 * DAY]) {
      await at(ctx, now + offset);
    }
    const paused = await at(ctx, now + HOUR);
    await force(paused.id, { status: "paused", watch_at: null });
    const cancelled = await at(ctx, now + HOUR);
    await force(cancelled.id, { status: "cancelled", watch_at: null });
    // Published within the quarter hour that is not over yet, and still waiting although its time has passed.
    const past = await at(ctx, now);
    await force(past.id, { status: "published", scheduled_at: now - MINUTE, watch_at: null });
    const late = await at(ctx, now);
    await force(late.id, { scheduled_at: now - 1 });
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
    // The one in 100 days is outside the patterns, the paused one is no pattern.
    expect(summary.patterns.byWeekday.reduce((sum, count) => sum + count)).toBe(10);
    expect(summary.patterns.postsPerWeek).toBe(0.39);
  });

  test("reads its days and nothing else, however many posts there are", async () => {
    const ctx = house();
    for (let index = 0; index < 12; index++) {
      await at(ctx, NOON + 2 * HOUR + index * MINUTE);
    }
    ctx.counting.reset();
    await summarizeSchedule(ctx, { timezone: "Asia/Kathmandu" });
    expect(ctx.counting.count.rowsRead).toBeLessThan(15);
  });

  test.for([
    ["a place that is not there", "Mars/Olympus"],
    ["an offset", "+02:00"],
    ["nothing", ""],
    ["a NUL", "\0"],
    ["half a character", "Europe/Berlin\ud800"],
    ["a novel", "a".repeat(10_000)],
  ] as const)("%s is no time zone", async ([, timezone], { expect }) => {
    expect(await refusalOf(summarizeSchedule(house(), { timezone }))).toMatchObject({
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
    // The night of the change in Berlin: 00:45Z is 01:45 winter time, 01:00Z is 03:00 summer time.
    ["Europe/Berlin", "2030-03-31T00:45:00Z", 6, 1],
    ["Europe/Berlin", "2030-03-31T01:00:00Z", 6, 3],
    // New York, 10 March 2030: 06:45Z is 01:45, 07:00Z is 03:00.
    ["America/New_York", "2030-03-10T06:45:00Z", 6, 1],
    ["America/New_York", "2030-03-10T07:00:00Z", 6, 3],
    ["Australia/Lord_Howe", "2030-04-06T14:45:00Z", 6, 1],
    ["Australia/Lord_Howe", "2030-04-06T15:15:00Z", 6, 1],
  ])("%s at %s", ([zone, instant, weekday, hour], { expect }) => {
    const { byWeekday, byHour, busiest } = patternsOf(
      [dayOf(Date.parse(instant))],
      zone,
      Date.parse("2030-05-01T12:00:00Z"),
    );
    expect(busiest).toEqual([{ weekday, hour, count: 1 }]);
    expect([byWeekday.indexOf(1), byHour.indexOf(1)]).toEqual([weekday, hour]);
  });

  test("name the five busiest hours, the earlier first among equals", () => {
    const days = [0, 1, 2, 3, 4, 5].map((day) => dayOf(NOON + day * DAY, day === 3 ? 4 : 1));
    const { busiest } = patternsOf(days, "UTC", NOON);
    expect(busiest.map(({ weekday, count }) => [weekday, count])).toEqual([
      [5, 4],
      [0, 1],
      [2, 1],
      [3, 1],
      [4, 1],
    ]);
  });

  test("end after 90 days on both sides", () => {
    const days = [-90 * DAY, -90 * DAY - 15 * MINUTE, 90 * DAY - 15 * MINUTE, 90 * DAY].map((offset) =>
      dayOf(NOON + offset),
    );
    expect(patternsOf(days, "UTC", NOON + 14 * MINUTE).byHour.reduce((sum, count) => sum + count)).toBe(2);
  });
});

describe("lateness", () => {
  test("ranks the last 30 days", () => {
    const day = Math.floor(NOON / DAY);
    const days: DayRow[] = [
      { ...NOTHING, day, slots: {}, lateness: { "5": 50, "90": 48 } },
      { ...NOTHING, day: day - 29, slots: {}, lateness: { "5": 1, "1200": 1 } },
      { ...NOTHING, day: day - 30, slots: {}, lateness: { "99000": 100 } },
    ];
    expect(latenessOf(days, NOON)).toEqual({ p50Ms: 5, p99Ms: 90, maxMs: 1200, sample: 100 });
  });
});

describe("time zones", () => {
  test("are names, not offsets", () => {
    expect(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"].every(isTimeZone)).toBe(true);
    expect(["+01:00", "-0100", "Nowhere", "1"].some(isTimeZone)).toBe(false);
  });

  test("tell the offset of the moment, not of the day", () => {
    const change = Date.parse("2030-03-31T01:00:00Z");
    expect(zoneOffsetAt("Europe/Berlin", change - 1)).toBe(HOUR);
    expect(zoneOffsetAt("Europe/Berlin", change)).toBe(2 * HOUR);
    expect(zoneOffsetAt("Asia/Kolkata", -1)).toBe(5.5 * HOUR);
  });
});
