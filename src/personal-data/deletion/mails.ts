import type { Services } from "#context.ts";
import type { Mail } from "#core/mailer.ts";
import { log } from "#core/log.ts";
import { findRecipient, type Recipient } from "./store-recipient.ts";
import type { UserDeletion } from "./store-user-deletions.ts";

type MailServices = Pick<Services, "config" | "db" | "mailer">;

/** Writes a time in the reader's zone, such as `16 December 2026 at 09:05`. */
function formatTime(instant: number, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone }).format(instant);
}

const zoneOf = ({ timeZone }: Recipient) => timeZone.replaceAll("_", " ");

const MAILS = {
  requested: (origin, recipient, { dueAt, requestedBy }) => ({
    subject: "Your Almanac account will be deleted",
    text: `${requestedBy === "operator" ? "The operator of this service" : "You"} asked for the deletion of your account and everything in it.

Scheduled posts are cancelled, and the logins at platforms, API keys, connected apps and webhooks are ended. Everything else is erased on ${formatTime(dueAt, recipient.timeZone)} (${zoneOf(recipient)}).

Until then you can sign in, download your data, and keep your account with one button:
${origin}/dashboard/profile/deletion

If you did not ask for this, sign in now, keep your account and change your password.
`,
  }),
  tomorrow: (origin, recipient, { dueAt }) => ({
    subject: "Your Almanac account will be deleted tomorrow",
    text: `Your account and everything in it is erased on ${formatTime(dueAt, recipient.timeZone)} (${zoneOf(recipient)}). Nobody can bring it back after that.

Until then you can sign in, download your data, and keep your account with one button:
${origin}/dashboard/profile/deletion
`,
  }),
  erased: () => ({
    subject: "Your Almanac account is deleted",
    text: `Your account and everything in it is deleted. This is the last mail to this address.

What you published stays at the platforms: delete it there if you want.
`,
  }),
} as const satisfies Record<string, (origin: string, recipient: Recipient, deletion: UserDeletion) => Omit<Mail, "to">>;

/**
 * Sends a mail about a deletion, if the service can send mails. False if the mail service refused it. A deletion after
 * a restore sends none, because the person already got it before.
 */
export async function sendDeletionMail(
  { config, db, mailer }: MailServices,
  deletion: UserDeletion,
  kind: keyof typeof MAILS,
): Promise<boolean> {
  const isNews = mailer !== null && deletion.requestedBy !== "restore";
  const recipient = isNews ? await findRecipient(db, deletion.userId) : null;
  if (mailer === null || recipient === null) {
    return true;
  }
  try {
    await mailer.send({ to: recipient.email, ...MAILS[kind](config.authUrl, recipient, deletion) });
    return true;
  } catch (error) {
    log("error", "deletion.mail_failed", { kind, error: error instanceof Error ? error.name : typeof error });
    return false;
  }
}
