import { DAY, MINUTE } from "#core/clock.ts";
import type { OperatorAlertKind, OperatorAlertState } from "#core/operator-alert.ts";
import type { Condition } from "./find-conditions.ts";

/**
 * How long (ms) the condition of an alert must be false before the alert is cleared. A condition that comes and goes is
 * then one alert.
 */
const CLEARED_AFTER_MS = 10 * MINUTE;
const REMINDED_AFTER_MS = DAY;
const KEPT_MS = 30 * DAY;

/**
 * How long (ms) a condition must be true before it raises an alert. Conditions that are missing here raise it at once.
 */
const RAISED_AFTER_MS: Partial<Record<OperatorAlertKind, number>> = { overdue: 3 * MINUTE };

export interface OperatorAlert extends Condition {
  readonly state: OperatorAlertState;
  readonly since: number;
  readonly calmSince: number | null;
  readonly changedAt: number;
  readonly mailed: number;
  readonly posted: number;
}

/** A change of an alert's row. `before` is null for a new row, `after` is null for a deleted one. */
export interface AlertChange {
  readonly before: OperatorAlert | null;
  readonly after: OperatorAlert | null;
}

/**
 * Decides which alerts change under the present conditions. An alert that continues does not change. A pure function.
 */
export function decideChanges(
  alerts: readonly OperatorAlert[],
  conditions: readonly Condition[],
  now: number,
): AlertChange[] {
  const keyOf = ({ kind, label }: Pick<Condition, "kind" | "label">) => `${kind} ${label}`;
  const known = new Map(alerts.map((alert) => [keyOf(alert), alert]));
  const current = new Set(conditions.map(keyOf));
  const holding = conditions.map((condition): AlertChange => {
    const before = known.get(keyOf(condition)) ?? null;
    return { before, after: whileHolding(before, condition, now) };
  });
  const calm = alerts
    .filter((alert) => !current.has(keyOf(alert)))
    .map((before): AlertChange => ({ before, after: whileCalm(before, now) }));
  return [...holding, ...calm].filter(({ before, after }) => before !== after);
}

function whileHolding(before: OperatorAlert | null, condition: Condition, now: number): OperatorAlert {
  const waitsMs = RAISED_AFTER_MS[condition.kind] ?? 0;
  if (before === null || before.state === "cleared") {
    return {
      ...(before ?? { mailed: 0, posted: 0 }),
      ...condition,
      state: waitsMs > 0 ? "pending" : "raised",
      since: now,
      calmSince: null,
      changedAt: now,
    };
  }
  if (before.state === "pending") {
    return now - before.since >= waitsMs ? { ...before, ...condition, state: "raised", changedAt: now } : before;
  }
  if (now - before.changedAt >= REMINDED_AFTER_MS) {
    return { ...before, ...condition, calmSince: null, changedAt: now };
  }
  return before.calmSince === null ? before : { ...before, calmSince: null };
}

function whileCalm(before: OperatorAlert, now: number): OperatorAlert | null {
  if (before.state === "pending") {
    return null;
  }
  if (before.state === "cleared") {
    return now - before.changedAt >= KEPT_MS ? null : before;
  }
  if (before.calmSince === null) {
    return { ...before, calmSince: now };
  }
  return now - before.calmSince >= CLEARED_AFTER_MS ? { ...before, state: "cleared", changedAt: now } : before;
}

/** The changes of the last two days that a channel has not delivered. Older ones are only on the operators' page. */
export function undelivered(alerts: readonly OperatorAlert[], sent: "mailed" | "posted", now: number): OperatorAlert[] {
  return alerts.filter(
    (alert) => alert.state !== "pending" && alert.changedAt > alert[sent] && alert.changedAt > now - 2 * DAY,
  );
}
