import { mapInParallel } from "#accounts/index.ts";
import type { Services } from "#context.ts";
import { DAY, MINUTE } from "#core/clock.ts";
import { log } from "#core/log.ts";
import type { Mailer } from "#core/mailer.ts";
import { composeAlertMail } from "./compose-alert-mail.ts";
import { toNotice } from "./store-notice-rows.ts";
import {
  type AlertRecipient,
  claimAlertMail,
  markMailed,
  selectWorkspacesToMail,
  type UnmailedNoticeRow,
} from "./store-alert-mails.ts";
import type { Notice } from "./types.ts";

const INTERVAL_MS = 10 * MINUTE;
/**
 * How old (ms) a notice may be to be mailed. Notices get older if the mail service fails for days, or if the operator
 * configures it late.
 */
const NEWS_MS = 3 * DAY;
const WORKSPACES_PER_RUN = 50;
const NOTICES_PER_MAIL = 500;

type AlertServices = Pick<Services, "clock" | "config" | "db">;

/**
 * Mails owners of workspaces what they should act on, at most once in ten minutes per workspace. A run first claims a
 * workspace for ten minutes, so that two cron runs never send the same mail, and a failed one is tried again after
 * that. Notices are marked after the mail is sent: a crash in between sends a mail twice, but the other order would
 * lose it.
 */
export async function sendAlerts({ mailer, ...services }: AlertServices & Pick<Services, "mailer">): Promise<void> {
  if (mailer === null) {
    return;
  }
  const workspaceIds = await selectWorkspacesToMail(services.db, {
    notSince: services.clock.now() - INTERVAL_MS,
    limit: WORKSPACES_PER_RUN,
  });
  await mapInParallel(workspaceIds, async (workspaceId) => {
    try {
      await mailWorkspace(services, mailer, workspaceId);
    } catch (error) {
      log("error", "alert_mail_failed", {
        workspace_id: workspaceId,
        error: error instanceof Error ? error.name : typeof error,
      });
    }
  });
}

async function mailWorkspace(services: AlertServices, mailer: Mailer, workspaceId: string): Promise<void> {
  const { clock, config } = services;
  const db = services.db;
  const now = clock.now();
  const claimed = await claimAlertMail(db, { workspaceId, now, notSince: now - INTERVAL_MS, limit: NOTICES_PER_MAIL });
  if (claimed === null) {
    return;
  }
  const { recipient, rows } = claimed;
  const notices = rows
    .filter((row) => isWanted(row, recipient, now))
    .map(toNotice)
    .filter((notice): notice is Notice => notice !== null)
    .filter(({ kind }) => kind !== "subscription_ends" || config.planForAll === null);
  if (notices.length > 0) {
    await mailer.send(await composeAlertMail(config, recipient, notices));
    log("info", "alert_mail_sent", { workspace_id: workspaceId, notices: notices.length });
  }
  await markMailed(db, { workspaceId, rows, now, isSent: notices.length > 0 });
}

/**
 * Whether the recipient wants a mail about a notice. An unwanted notice is skipped for good, but the dashboard lists
 * it.
 */
function isWanted(row: UnmailedNoticeRow, recipient: AlertRecipient, now: number): boolean {
  return (
    recipient.isVerified && row.dismissed_at === null && !recipient.muted.includes(row.kind) && row.at > now - NEWS_MS
  );
}
