import type { OperatorAlertKind } from "#core/operator-alert.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import { isCodeOf, TARGET_ERRORS } from "#core/codes.ts";
import { SECOND } from "#core/clock.ts";
import { type Counter, endedOf, isBadSync, type Lateness, outcomesByPlatform, total } from "#metrics/outcomes.ts";
import type { LimitUse } from "#metrics/limit-uses.ts";
import { isNear } from "#metrics/service-limits.ts";

const MAX_OVERDUE = 5;
const MAX_P99_MS = 60 * SECOND;
const MIN_ENDED = 10;
const MAX_FAILED_SHARE = 0.5;
const MIN_SYNCS = 5;
const MAX_FAILED_SYNCS_SHARE = 0.2;

/** The present state of the installation, from which alerts are decided. */
export interface Present {
  readonly overdue: number;
  readonly isHeld: boolean;
  /** The counters of this hour and the last one, and the targets that wait for the operator. */
  readonly recent: readonly Counter[];
  readonly lateness: Lateness;
  readonly limits: readonly Pick<LimitUse, "label" | "what" | "used" | "limit">[];
}

/** A condition that is true now and on which operators should act. */
export interface Condition {
  readonly kind: OperatorAlertKind;
  readonly label: string;
  /** The numbers that make the condition true, in words. */
  readonly detail: string;
}

const format = (count: number): string => count.toLocaleString("en-GB");

/** Lists every alert condition that is true now. A pure function. */
export function findConditions(present: Present): Condition[] {
  return [
    ...overdueConditions(present),
    ...platformConditions(present.recent),
    ...operatorFaults(present.recent),
    ...syncConditions(present.recent),
    ...present.limits.flatMap(({ label, what, used, limit }): Condition[] => {
      if (limit === null || !isNear(used, limit)) {
        return [];
      }
      const percent = Math.floor((used * 100) / limit);
      return [{ kind: "limit", label, detail: `${what}: ${format(used)} of ${format(limit)} (${percent} %).` }];
    }),
  ];
}

function overdueConditions({ overdue, isHeld, lateness }: Present): Condition[] {
  const late = lateness.p99Ms ?? 0;
  return [
    ...(isHeld
      ? [
          {
            kind: "held",
            label: "",
            detail: "The database was put back to an earlier time, and nothing is published until you release it.",
          } as const,
        ]
      : []),
    ...(overdue > MAX_OVERDUE
      ? [{ kind: "overdue", label: "", detail: `${format(overdue)} posts are more than a minute overdue.` } as const]
      : []),
    ...(late > MAX_P99_MS
      ? [
          {
            kind: "late",
            label: "",
            detail: `One post of a hundred left ${Math.round(late / SECOND)} seconds late or later (of ${format(lateness.sample)} since the hour before).`,
          } as const,
        ]
      : []),
  ];
}

function platformConditions(recent: readonly Counter[]): Condition[] {
  return outcomesByPlatform(recent).flatMap((outcomes): Condition[] => {
    const [ended, bad] = [endedOf(outcomes), outcomes.failed + outcomes.unconfirmed];
    const [most] = outcomes.codes;
    return ended >= MIN_ENDED && bad > ended * MAX_FAILED_SHARE
      ? [
          {
            kind: "platform_failing",
            label: outcomes.platform,
            detail: `${format(bad)} of ${format(ended)} posts at ${PLATFORM_NAMES[outcomes.platform]} failed or are not confirmed since the hour before, most of them with ${most?.code ?? "no code"}.`,
          },
        ]
      : [];
  });
}

function operatorFaults(recent: readonly Counter[]): Condition[] {
  const counts = new Map<string, number>();
  for (const { metric, label, count } of recent) {
    if (metric === "operator_fault") {
      counts.set(label, count + (counts.get(label) ?? 0));
    }
  }
  return [...counts].map(([label, count]) => {
    const [platform = "", code = ""] = label.split(".");
    const advice = isCodeOf(TARGET_ERRORS, code) ? ` ${TARGET_ERRORS[code]}` : "";
    const posts = count === 1 ? "1 post" : `${format(count)} posts`;
    return {
      kind: "operator_fault",
      label,
      detail: `${posts} at ${PLATFORM_NAMES[platform as Platform]} failed or wait with ${code}.${advice}`,
    };
  });
}

function syncConditions(recent: readonly Counter[]): Condition[] {
  const syncs = recent.filter(({ metric }) => metric === "sync");
  const all = total(syncs, ({ count }) => count);
  const bad = total(
    syncs.filter(({ label }) => isBadSync(label)),
    ({ count }) => count,
  );
  return all >= MIN_SYNCS && bad > all * MAX_FAILED_SYNCS_SHARE
    ? [
        {
          kind: "refresh_failing",
          label: "",
          detail: `${format(bad)} of ${format(all)} logins could not be refreshed since the hour before.`,
        },
      ]
    : [];
}
