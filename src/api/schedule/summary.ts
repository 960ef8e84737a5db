import { z } from "@hono/zod-openapi";
import { POST_STATUSES } from "#core/status.ts";
import { summarizeSchedule } from "#posts/index.ts";
import type { ScheduleSummary as DomainSummary } from "#posts/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { EXAMPLE_PLATFORM, Instant, instantOrNull, PlatformName } from "#wire/schemas/common.ts";
import { EXAMPLE_POST, LATENESS } from "#wire/schemas/post.ts";
import { success } from "#wire/schemas/content.ts";

const Counts = z.object(
  Object.fromEntries(POST_STATUSES.map((status) => [status, z.int()])) as Record<
    (typeof POST_STATUSES)[number],
    z.ZodInt
  >,
);

const ScheduleSummary = z
  .object({
    timezone: z.string(),
    counts: Counts.openapi({ description: "Posts by status, at any time." }),
    by_platform: z.partialRecord(PlatformName, z.int()).openapi({
      description: "Scheduled posts by platform.",
      type: "object",
      additionalProperties: { type: "integer" },
    }),
    next_post_at: Instant.nullable(),
    upcoming: z.object({ next_24_hours: z.int(), next_7_days: z.int(), next_30_days: z.int() }),
    patterns: z
      .object({
        by_weekday: z.array(z.int()).length(7).openapi({ description: "Starts with Monday." }),
        by_hour: z
          .array(z.int())
          .length(24)
          .openapi({ description: "Starts at midnight, in the requested time zone." }),
        busiest: z
          .array(
            z.object({
              weekday: z.int().openapi({ description: "0 is Monday." }),
              hour: z.int(),
              count: z.int(),
            }),
          )
          .max(5),
        posts_per_week: z.number(),
      })
      .openapi({ description: "Scheduled and published posts of the last 90 and the next 90 days." }),
    lateness: z
      .object({
        p50_ms: z.int().nullable(),
        p99_ms: z.int().nullable(),
        max_ms: z.int().nullable(),
        sample: z.int().openapi({ description: "The number of published targets in these figures." }),
      })
      .openapi({
        description: `\`late_by_ms\` of the targets that were published in the last 30 days, from ${LATENESS}, to two significant digits.`,
      }),
  })
  .openapi("ScheduleSummary");

type ScheduleSummary = z.infer<typeof ScheduleSummary>;

function presentSummary(summary: DomainSummary): ScheduleSummary {
  const { upcoming, patterns, lateness } = summary;
  return {
    timezone: summary.timezone,
    counts: { ...summary.counts },
    by_platform: { ...summary.byPlatform },
    next_post_at: instantOrNull(summary.nextPostAt),
    upcoming: {
      next_24_hours: upcoming.next24Hours,
      next_7_days: upcoming.next7Days,
      next_30_days: upcoming.next30Days,
    },
    patterns: {
      by_weekday: [...patterns.byWeekday],
      by_hour: [...patterns.byHour],
      busiest: patterns.busiest.map(({ weekday, hour, count }) => ({ weekday, hour, count })),
      posts_per_week: patterns.postsPerWeek,
    },
    lateness: { p50_ms: lateness.p50Ms, p99_ms: lateness.p99Ms, max_ms: lateness.maxMs, sample: lateness.sample },
  };
}

const EXAMPLE: ScheduleSummary = {
  timezone: "Europe/Berlin",
  counts: { scheduled: 1, publishing: 0, published: 14, partially_failed: 0, failed: 1, paused: 0 },
  by_platform: { [EXAMPLE_PLATFORM]: 1 },
  next_post_at: EXAMPLE_POST.scheduled_at,
  upcoming: { next_24_hours: 0, next_7_days: 0, next_30_days: 0 },
  patterns: {
    by_weekday: [2, 1, 4, 3, 5, 1, 0],
    by_hour: [0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 0, 0, 4, 0, 0, 0, 0, 0, 5, 2, 0, 0, 0, 0],
    busiest: [{ weekday: 4, hour: 18, count: 3 }],
    posts_per_week: 0.6,
  },
  lateness: { p50_ms: 84, p99_ms: 231, max_ms: 240, sample: 14 },
};

const route = operation("posts:read", {
  method: "get",
  path: "/schedule/summary",
  operationId: "summarizeSchedule",
  summary: "Summarize the schedule",
  description: "Counts by status and platform, the next posts, and when posts are usually published.",
  request: {
    query: z.object({
      timezone: z
        .string()
        .min(1)
        .max(64)
        .default("UTC")
        .openapi({ param: { description: "An IANA time zone for weekdays and hours." }, example: "Europe/Berlin" }),
    }),
  },
  responses: success(200, "The summary.", ScheduleSummary, EXAMPLE),
});

export const summary = newRouter().openapi(route, async (c) => {
  const { timezone } = c.req.valid("query");
  return c.json(presentSummary(await summarizeSchedule(c.get("ctx"), { timezone })), 200);
});
