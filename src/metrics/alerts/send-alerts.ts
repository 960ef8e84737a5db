import type { Services } from "#context.ts";
import { MINUTE, SECOND, toIsoInstant } from "#core/clock.ts";
import { log } from "#core/log.ts";
import { VERSION } from "#core/version.ts";
import { sendTry } from "#webhooks/delivery/send-try.ts";
import { composeOperatorMail } from "./compose-operator-mail.ts";
import { type OperatorAlert, undelivered } from "./decide-changes.ts";
import { type AlertChannel, claimSending, markSent, releaseSending } from "./store-operator-alerts.ts";

/**
 * The shortest time (ms) between two messages of a channel. Changes in between are sent together. For the webhook it
 * only covers the duration of one try.
 */
const INTERVAL_MS: Readonly<Record<AlertChannel, number>> = { mail: 10 * MINUTE, webhook: 30 * SECOND };

type SendServices = Pick<Services, "clock" | "config" | "db" | "mailer" | "outbound">;

/** The operator's webhook for alerts: its address and signing secret. Null unless both are set. */
export function alertWebhook({
  config,
}: Pick<Services, "config">): { readonly url: string; readonly secret: string } | null {
  const [url, secret] = [config.setting("ALERT_WEBHOOK"), config.setting("ALERT_WEBHOOK_SECRET")];
  return url === null || secret === null ? null : { url, secret };
}

/** Sends changed alerts through every configured channel. The next run repeats what failed, for up to two days. */
export async function sendAlerts(services: SendServices, alerts: readonly OperatorAlert[]): Promise<void> {
  const now = services.clock.now();
  const webhook = alertWebhook(services);
  await Promise.all([
    services.mailer !== null && undelivered(alerts, "mailed", now).length > 0
      ? sendBy(services, "mail", async (sent, emails) => await mailAll(services, sent, emails))
      : null,
    webhook !== null && undelivered(alerts, "posted", now).length > 0
      ? sendBy(services, "webhook", async (sent) => await post(services, webhook, sent))
      : null,
  ]);
}

async function sendBy(
  services: SendServices,
  channel: AlertChannel,
  send: (alerts: readonly OperatorAlert[], emails: readonly string[]) => Promise<boolean>,
): Promise<void> {
  const { clock, db } = services;
  const now = clock.now();
  const claimed = await claimSending(db, channel, { now, notSince: now - INTERVAL_MS[channel] });
  if (claimed === null) {
    return;
  }
  const alerts = undelivered(claimed.alerts, channel === "mail" ? "mailed" : "posted", now);
  if (alerts.length > 0 && (await send(alerts, claimed.emails))) {
    await markSent(db, channel, alerts);
  } else {
    await releaseSending(db, channel, now);
  }
}

/**
 * Mails all operators. True if at least one got the mail, or if there is none. Otherwise an address that fails would
 * make the others get the same mail again.
 */
async function mailAll(
  { config, mailer }: SendServices,
  alerts: readonly OperatorAlert[],
  emails: readonly string[],
): Promise<boolean> {
  const mail = composeOperatorMail(config, alerts);
  const sent = await Promise.allSettled(emails.map(async (to) => await mailer?.send({ ...mail, to })));
  const failed = sent.filter(({ status }) => status === "rejected").length;
  if (failed > 0) {
    log("warn", "operator_alert.not_mailed", { failed, operators: emails.length });
  }
  return failed === 0 || failed < emails.length;
}

async function post(
  services: SendServices,
  { url, secret }: { readonly url: string; readonly secret: string },
  alerts: readonly OperatorAlert[],
): Promise<boolean> {
  const changedAt = Math.max(...alerts.map((alert) => alert.changedAt));
  const body = JSON.stringify({
    type: "operator_alerts",
    timestamp: toIsoInstant(changedAt),
    data: {
      origin: services.config.origin,
      version: VERSION,
      alerts: alerts.map(({ kind, label, state, since, detail }) => ({
        kind,
        label,
        state,
        since: toIsoInstant(since),
        detail,
      })),
    },
  });
  // The id stays the same for every try, so that the receiver recognizes a repetition.
  const id = `alerts_${changedAt}_${alerts.length}`;
  const { attempt, meaning } = await sendTry(services, { url, secrets: [secret] }, { id, body });
  if (meaning.kind !== "delivered") {
    log("warn", "operator_alert.not_posted", { status: attempt.status, error: attempt.error });
  }
  return meaning.kind === "delivered";
}
