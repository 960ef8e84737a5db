import { DAY, MINUTE } from "#core/clock.ts";
import type { OperatorAlertKind, OperatorAlertState } from "#core/operator-alert.ts";
import type { Condition } from "./find-conditions.ts";

/** A condition that comes and goes within minutes is one alert. */
const CLEARED_AFTER_MS = 10 * MINUTE;
const REMINDED_AFTER_MS = DAY;
const KEPT_MS = 30 * DAY;

/** How long a condition must hold before it is an alert; none for the others. */
const RAISED_AFTER_MS: Partial<Record<OperatorAlertKind, number>> = { overdue: 3 * MINUTE };

/** A row of `operator_alerts`. */
export interface OperatorAlert extends Condition {
  readonly state: OperatorAlertState;
  readonly since: number;
  readonly calmSince: number | null;
  readonly changedAt: number;
  readonly mailed: number;
  readonly posted: number;
}

/** What becomes of a row: null when it is deleted. `before` is null for a new one. */
export interface AlertChange {
  readonly before: OperatorAlert | null;
  readonly after: OperatorAlert | null;
}

/** What changes now that these conditions hold; nothing for an alert that goes on. Pure. */
export function decideChanges(
  alerts: readonly OperatorAlert[],
  conditions: readonly Condition[],
  now: number,
): AlertChange[] {
  const keyOf = ({ kind, label }: Pick<Condition, "kind" | "label">) => `${kind} ${label}`;
  const known = new Map(alerts.map((alert) => [keyOf(alert), alert]));
  const held = new Set(conditions.map(keyOf));
  const holding = conditions.map((condition): AlertChange => {
    const before = known.get(keyOf(condition)) ?? null;
    return { before, after: whileHolding(before, condition, now) };
  });
  const calm = alerts
    .filter((alert) => !held.has(keyOf(alert)))
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

/** The changes of the last two days that a channel has not delivered: what was missed for longer is on the page. */
export function undelivered(alerts: readonly OperatorAlert[], sent: "mailed" | "posted", now: number): OperatorAlert[] {
  return alerts.filter(
    (alert) => alert.state !== "pending" && alert.changedAt > alert[sent] && alert.changedAt > now - 2 * DAY,
  );
}
