import type { Services } from "#context.ts";
import { log } from "#core/log.ts";
import { batch } from "#db/batch.ts";
import { dailyLimits } from "#metrics/daily-limits.ts";
import { usesOf } from "#metrics/limit-uses.ts";
import { latenessOf } from "#metrics/outcomes.ts";
import {
  bucketsOf,
  hourOf,
  hoursStatement,
  serviceStatement,
  waitingForOperatorStatement,
} from "#metrics/store-present.ts";
import { decideChanges, type OperatorAlert } from "./decide-changes.ts";
import { findConditions, type Present } from "./find-conditions.ts";
import { alertsStatement, writeAlertChanges } from "./store-operator-alerts.ts";
import { sendAlerts } from "./send-alerts.ts";

type WatchServices = Pick<Services, "adapterFor" | "clock" | "config" | "db" | "mailer" | "outbound">;

/**
 * Raises and clears alerts, repeats reminders, and sends the changes to operators. Writes nothing if nothing has
 * changed.
 */
export async function watchService(services: WatchServices): Promise<void> {
  const now = services.clock.now();
  const { present, alerts } = await readPresent(services, now);
  const changes = decideChanges(alerts, findConditions(present), now);
  if (changes.length > 0) {
    await writeAlertChanges(services.db, changes);
    for (const { before, after } of changes) {
      if (after !== null && after.state !== "pending" && after.state !== before?.state) {
        const { kind, label, state, detail } = after;
        log(state === "raised" ? "error" : "info", `operator_alert.${state}`, { kind, label, detail });
      }
    }
  }
  const unchanged = alerts.filter((alert) => !changes.some(({ before }) => before === alert));
  await sendAlerts(services, [...unchanged, ...changes.flatMap(({ after }) => after ?? [])]);
}

async function readPresent(
  services: WatchServices,
  now: number,
): Promise<{ readonly present: Present; readonly alerts: readonly OperatorAlert[] }> {
  const { config } = services;
  const db = services.db;
  const daily = dailyLimits(services);
  const { service, hours, alerts, waiting } = await batch(db, {
    service: serviceStatement(
      db,
      now,
      daily.map(({ counter }) => counter),
    ),
    hours: hoursStatement(db, hourOf(now) - 1),
    alerts: alertsStatement(db),
    waiting: waitingForOperatorStatement(db),
  });
  const recent = hours.results;
  const [state] = service.results;
  return {
    alerts: alerts.results,
    present: {
      overdue: state?.overdue ?? 0,
      isHeld: state?.held === "restored",
      recent: [...recent, ...waiting.results],
      lateness: latenessOf(bucketsOf(recent)),
      limits: usesOf(config, daily, service),
    },
  };
}
