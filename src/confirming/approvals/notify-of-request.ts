import type { Context } from "#context.ts";
import type { Author } from "#core/actor.ts";
import { MINUTE } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import { log } from "#core/log.ts";
import type { PostPlan } from "#planning/plan/post-plan.ts";
import { claimApprovalMail } from "./store-approval-mail.ts";

const INTERVAL_MS = 15 * MINUTE;
const FIRST_WORDS = 60;

type NotifyContext = Pick<Context, "actor" | "config" | "db" | "defer" | "mailer">;

/**
 * Mails the user after the response that an agent's request waits. At most one mail in 15 minutes, because the
 * dashboard lists all requests.
 */
export function notifyOfRequest(
  ctx: NotifyContext,
  request: { readonly plan: PostPlan; readonly requestedBy: Author; readonly now: number },
): void {
  const { mailer } = ctx;
  if (mailer === null) {
    return;
  }
  ctx.defer(
    sendMail({ ...ctx, mailer }, request).catch((error: unknown) => {
      log("error", "approval_mail_failed", { error: error instanceof Error ? error.name : typeof error });
    }),
  );
}

async function sendMail(
  { actor, config, db, mailer }: NotifyContext & { readonly mailer: NonNullable<Context["mailer"]> },
  { plan, requestedBy, now }: { readonly plan: PostPlan; readonly requestedBy: Author; readonly now: number },
): Promise<void> {
  const hash = await sha256Hex(`approval_mail_sent:${actor.userId}`);
  const email = await claimApprovalMail(db, { userId: actor.userId, hash, now, until: now + INTERVAL_MS });
  if (email === null) {
    return;
  }
  const name = oneLine(requestedBy.name);
  await mailer.send({
    to: email,
    subject: `${name} asks for your approval`,
    text: `${name} wants to ${describePlan(plan)}.

See exactly what it is and decide:
${config.origin}/approvals

Nothing is scheduled or changed until you approve it. Further requests of the next 15 minutes are in the same list.`,
  });
}

/** Describes a plan for the mail with its first words only. The page shows the whole text, and only after a sign-in. */
function describePlan(plan: PostPlan): string {
  const [first, ...others] = plan.kind === "schedule" ? [plan.post] : plan.posts;
  const words = [...oneLine(first?.caption ?? "")];
  const beginning = words.length > FIRST_WORDS ? `${words.slice(0, FIRST_WORDS).join("")}…` : words.join("");
  const what =
    plan.kind === "edit"
      ? others.length === 0
        ? "change a post"
        : `change ${others.length + 1} posts`
      : others.length === 0
        ? "schedule a post"
        : `schedule ${others.length + 1} posts`;
  return beginning === "" ? what : `${what}: “${beginning}”`;
}

/** Writes untrusted text on one line without control and format characters, for the subject or a sentence of a mail. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Z}\s]+/gu, " ").trim();
}
