import type { Services } from "#context.ts";
import { DAY, HOUR } from "#core/clock.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { batch } from "#db/batch.ts";
import type { HeldReason } from "#db/schema.ts";
import type { AppTerms } from "#platforms/contract.ts";
import type { OperatorAlert } from "#metrics/alerts/decide-changes.ts";
import { alertsStatement } from "#metrics/alerts/store-operator-alerts.ts";
import { alertWebhook } from "#metrics/alerts/send-alerts.ts";
import { CRON_LATE_MS } from "#metrics/check-health.ts";
import { dailyLimits } from "#metrics/daily-limits.ts";
import { type LimitUse, usesOf } from "#metrics/limit-uses.ts";
import {
  type Counter,
  isBadSync,
  type Lateness,
  latenessOf,
  type PlatformOutcomes,
  outcomesByPlatform,
  total,
} from "#metrics/outcomes.ts";
import {
  bucketsOf,
  type DayRow,
  daysStatement,
  hourOf,
  type HourRow,
  hoursStatement,
  type LatenessRow,
  latenessStatement,
  openNoticesStatement,
  serviceStatement,
} from "#metrics/store-present.ts";

const HOURS_SHOWN = 24;
const DAYS_SHOWN = 30;

/** The results and the lateness of targets in one hour or day. */
export interface TimeSlice {
  readonly startsAt: number;
  readonly published: number;
  readonly failed: number;
  readonly unconfirmed: number;
  readonly lateness: Lateness;
}

/** The figures of the last 24 hours, or of the last 30 days. */
export interface Period {
  /** The hours or days of the period, oldest first. */
  readonly slices: readonly TimeSlice[];
  readonly platforms: readonly PlatformOutcomes[];
  readonly lateness: Lateness;
  /** Syncs of logins by the cron. `bad` counts those that failed or ended the login. */
  readonly syncs: { readonly all: number; readonly bad: number };
  readonly previews: number;
  readonly loginsEnded: number;
  readonly webhooksDisabled: number;
}

/** What a platform has cost for the posts of the last 30 days, estimated from its prices. */
export interface Spend {
  readonly platform: Platform;
  readonly posts: number;
  readonly withLink: number;
  readonly dollars: number;
  readonly terms: AppTerms;
}

/** The state of the whole installation for operators. It contains figures only: no user's id, name or text. */
export interface Operations {
  readonly overdue: number;
  /** When (ms) the cron last ran; null before its first run. */
  readonly cronRanAt: number | null;
  readonly isCronLate: boolean;
  readonly held: HeldReason | null;
  readonly publishingHeld: boolean;
  /** How many notices are open in all workspaces, by kind. Counting stops at `MAX_COUNTED` notices. */
  readonly open: { readonly unconfirmed: number; readonly reconnect: number; readonly webhooks: number };
  readonly day: Period;
  readonly month: Period;
  readonly limits: readonly LimitUse[];
  readonly spend: readonly Spend[];
  /** The raised alerts, and those cleared in the last 30 days, newest first. */
  readonly alerts: readonly OperatorAlert[];
  readonly channels: { readonly byMail: boolean; readonly byWebhook: boolean };
}

/** Reads everything on the operators' page in one transaction. */
export async function getOperations(
  services: Pick<Services, "adapterFor" | "clock" | "config" | "db" | "mailer">,
): Promise<Operations> {
  const { adapterFor, clock, config, mailer } = services;
  const db = services.db;
  const now = clock.now();
  const firstHour = hourOf(now) - HOURS_SHOWN + 1;
  const firstDay = Math.floor(now / DAY) - DAYS_SHOWN + 1;
  const daily = dailyLimits(services);
  const sums = daily.map(({ counter }) => counter);
  const { service, hours, days, lateness, notices, alerts } = await batch(db, {
    service: serviceStatement(db, now, sums),
    hours: hoursStatement(db, firstHour),
    days: daysStatement(db, firstDay * (DAY / HOUR)),
    lateness: latenessStatement(db, firstDay * (DAY / HOUR)),
    notices: openNoticesStatement(db, now),
    alerts: alertsStatement(db),
  });
  const [state] = service.results;
  const open = new Map(notices.results.map(({ kind, n }) => [kind, n]));
  const month = monthOf(days.results, lateness.results, firstDay);
  return {
    overdue: state?.overdue ?? 0,
    cronRanAt: state === undefined || state.beat === 0 ? null : state.beat,
    isCronLate: state === undefined || now - state.beat > CRON_LATE_MS,
    held: state?.held ?? null,
    publishingHeld: config.publishingHeld,
    open: {
      unconfirmed: open.get("post_unconfirmed") ?? 0,
      reconnect: open.get("account_needs_reconnect") ?? 0,
      webhooks: open.get("webhook_disabled") ?? 0,
    },
    day: dayOf(hours.results, firstHour),
    month,
    limits: usesOf(config, daily, service),
    spend: PLATFORMS.flatMap((platform) => spendOf(platform, adapterFor(platform)?.appTerms, month.platforms)),
    alerts: alerts.results.filter((alert) => alert.state !== "pending"),
    channels: { byMail: mailer !== null, byWebhook: alertWebhook(services) !== null },
  };
}

function dayOf(rows: readonly HourRow[], firstHour: number): Period {
  const slices = Array.from({ length: HOURS_SHOWN }, (_, index) => {
    const ofHour = rows.filter(({ hour }) => hour === firstHour + index);
    return sliceOf((firstHour + index) * HOUR, ofHour, latenessOf(bucketsOf(ofHour)));
  });
  return periodOf(slices, rows, latenessOf(bucketsOf(rows)));
}

function monthOf(rows: readonly DayRow[], lateness: readonly LatenessRow[], firstDay: number): Period {
  const slices = Array.from({ length: DAYS_SHOWN }, (_, index) => {
    const day = firstDay + index;
    const late = lateness.filter((row) => row.day === day).map(({ ms, count }) => [ms, count] as const);
    return sliceOf(
      day * DAY,
      rows.filter((row) => row.day === day),
      latenessOf(new Map(late)),
    );
  });
  const buckets = new Map<number, number>();
  for (const { ms, count } of lateness) {
    buckets.set(ms, count + (buckets.get(ms) ?? 0));
  }
  return periodOf(slices, rows, latenessOf(buckets));
}

function sliceOf(startsAt: number, rows: readonly Counter[], lateness: Lateness): TimeSlice {
  const platforms = outcomesByPlatform(rows);
  return {
    startsAt,
    published: total(platforms, ({ published }) => published),
    failed: total(platforms, ({ failed }) => failed),
    unconfirmed: total(platforms, ({ unconfirmed }) => unconfirmed),
    lateness,
  };
}

function periodOf(slices: readonly TimeSlice[], rows: readonly Counter[], lateness: Lateness): Period {
  const countOf = (metric: string, isCounted: (label: string) => boolean = () => true) =>
    total(
      rows.filter((row) => row.metric === metric && isCounted(row.label)),
      ({ count }) => count,
    );
  return {
    slices,
    platforms: outcomesByPlatform(rows),
    lateness,
    syncs: {
      all: countOf("sync"),
      bad: countOf("sync", isBadSync),
    },
    previews: countOf("previews"),
    loginsEnded: countOf("notice", (label) => label === "account_needs_reconnect"),
    webhooksDisabled: countOf("notice", (label) => label === "webhook_disabled"),
  };
}

function spendOf(platform: Platform, terms: AppTerms | undefined, outcomes: readonly PlatformOutcomes[]): Spend[] {
  if (terms?.prices === undefined) {
    return [];
  }
  const { published = 0, publishedWithLink = 0 } = outcomes.find((one) => one.platform === platform) ?? {};
  const { postUsd, postWithLinkUsd } = terms.prices;
  const dollars = (published - publishedWithLink) * postUsd + publishedWithLink * postWithLinkUsd;
  return [{ platform, posts: published, withLink: publishedWithLink, dollars, terms }];
}
