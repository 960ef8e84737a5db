import type { FC } from "hono/jsx";
import { type Display, formatDateTime } from "#dashboard/wording/display.ts";
import { OPERATOR_ALERT_TITLES, type Operations } from "#metrics/index.ts";

type Alert = Operations["alerts"][number];

const MAX_CLEARED = 20;

const AlertItem: FC<{ alert: Alert; display: Display }> = ({
  alert: { kind, detail, since, state, changedAt },
  display,
}) => (
  <li>
    <strong>{OPERATOR_ALERT_TITLES[kind]}</strong> <span class="hint">{`since ${formatDateTime(display, since)}`}</span>
    {state === "cleared" && <span class="hint">{`, until ${formatDateTime(display, changedAt)}`}</span>}
    <p>{detail}</p>
  </li>
);

function waysOf({ byMail, byWebhook }: Operations["channels"]): string {
  if (!byMail && !byWebhook) {
    return "Sent to nobody: set up mail (MAIL_FROM) or ALERT_WEBHOOK.";
  }
  const ways = [...(byMail ? ["by mail to operators"] : []), ...(byWebhook ? ["to ALERT_WEBHOOK"] : [])];
  return `Sent ${ways.join(" and ")}.`;
}

/** Lists the open alerts of the installation and those of the last 30 days. */
export const AlertsList: FC<{ operations: Operations; display: Display }> = ({
  operations: { alerts, channels, publishingHeld },
  display,
}) => {
  const raised = alerts.filter(({ state }) => state === "raised");
  const cleared = alerts.filter(({ state }) => state === "cleared");
  return (
    <section class="card" aria-labelledby="alerts">
      <h2 id="alerts">Alerts</h2>
      {publishingHeld && <p class="banner">PUBLISHING=hold: nothing is published until the variable is taken away.</p>}
      {raised.length === 0 ? (
        <p class="calm">Nothing is wrong.</p>
      ) : (
        <ul class="plain-list attention">
          {raised.map((alert) => (
            <AlertItem alert={alert} display={display} />
          ))}
        </ul>
      )}
      {cleared.length > 0 && (
        <details class="numbers">
          <summary>{`${cleared.length} in the last 30 days`}</summary>
          <ul class="plain-list attention">
            {cleared.slice(0, MAX_CLEARED).map((alert) => (
              <AlertItem alert={alert} display={display} />
            ))}
          </ul>
        </details>
      )}
      <p class="hint">{waysOf(channels)}</p>
    </section>
  );
};
