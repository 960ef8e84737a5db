import type { Config } from "#config.ts";
import type { Mail } from "#core/mailer.ts";
import type { OperatorAlertKind } from "#core/operator-alert.ts";
import type { OperatorAlert } from "./decide-changes.ts";

export const OPERATOR_ALERT_TITLES = {
  overdue: "Posts are overdue",
  late: "Posts leave late",
  platform_failing: "Most posts at a platform fail",
  operator_fault: "A platform refuses the app",
  refresh_failing: "Logins cannot be refreshed",
  held: "Publishing is held",
  limit: "A limit is near",
} as const satisfies Record<OperatorAlertKind, string>;

/**
 * Writes one mail to operators about all changed alerts. It contains figures of the installation and no user's data.
 */
export function composeOperatorMail(
  { origin }: Pick<Config, "origin">,
  alerts: readonly OperatorAlert[],
): Omit<Mail, "to"> {
  const lines = alerts.map(({ kind, detail, state }) =>
    state === "cleared"
      ? `No longer: ${OPERATOR_ALERT_TITLES[kind]}\n  It was: ${detail}`
      : `${OPERATOR_ALERT_TITLES[kind]}\n  ${detail}`,
  );
  const [only] = alerts;
  const one =
    only === undefined ? "" : `${only.state === "cleared" ? "No longer: " : ""}${OPERATOR_ALERT_TITLES[only.kind]}`;
  const host = new URL(origin).host;
  return {
    subject: alerts.length === 1 ? `${one} (${host})` : `${alerts.length} alerts of ${host}`,
    text: [
      ...lines,
      `How the service runs: ${origin}/dashboard/operate`,
      "You get this mail because you operate this installation. An alert that goes on is repeated once a day.",
    ]
      .join("\n\n")
      .concat("\n"),
  };
}
