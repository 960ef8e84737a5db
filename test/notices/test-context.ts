import { env } from "cloudflare:workers";
import type { Context } from "#context.ts";
import type { AlertKind } from "#core/alert.ts";
import type { SubscriptionStatus } from "#core/plan.ts";

interface OwnerOptions {
  readonly timeZone?: string;
  readonly isVerified?: boolean;
  readonly subscription?: { readonly status: SubscriptionStatus; readonly currentPeriodEnd: number | null };
}

/** The rows of the context's user and workspace; returns the e-mail address. */
export async function createOwner({ actor }: Pick<Context, "actor">, options: OwnerOptions = {}): Promise<string> {
  const { timeZone = "UTC", isVerified = true, subscription } = options;
  const email = `${actor.userId}@example.com`;
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO users (id, email, active_workspace_id, time_zone, email_verified_at, created_at) VALUES (?, ?, ?, ?, ?, 1)",
    ).bind(actor.userId, email, actor.workspaceId, timeZone, isVerified ? 1 : null),
    env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Shop', 1)").bind(
      actor.workspaceId,
      actor.userId,
    ),
    ...(subscription === undefined
      ? []
      : [
          env.DB.prepare(
            "INSERT INTO subscriptions (user_id, plan, status, current_period_end, updated_at) VALUES (?, 'growth', ?, ?, 1)",
          ).bind(actor.userId, subscription.status, subscription.currentPeriodEnd),
        ]),
  ]);
  return email;
}

export async function insertWebhook(
  { actor, ids }: Pick<Context, "actor" | "ids">,
  { description }: { readonly description: string },
): Promise<string> {
  const id = ids.uuid();
  await env.DB.prepare(
    `INSERT INTO webhooks (id, user_id, workspace_id, url, description, types, sealed_secret, start_after, created_at, updated_at, disabled_reason)
     VALUES (?, ?, ?, 'https://receiver.example/hook', ?, '["*"]', '', 0, 1, 1, 'failing')`,
  )
    .bind(id, actor.userId, actor.workspaceId, description)
    .run();
  return id;
}

/** A notice as the triggers write it. */
export async function insertNotice(
  { actor }: Pick<Context, "actor">,
  kind: AlertKind,
  subjectId: string,
  at: number,
  { dismissedAt = null }: { readonly dismissedAt?: number | null } = {},
): Promise<void> {
  await env.DB.prepare("INSERT INTO notices (workspace_id, kind, subject_id, at, dismissed_at) VALUES (?, ?, ?, ?, ?)")
    .bind(actor.workspaceId, kind, subjectId, at, dismissedAt)
    .run();
}

/** What the publisher writes when a target ends. */
export async function endTarget(
  postId: string,
  accountId: string,
  state: "failed" | "unconfirmed",
  error: { readonly message: string } | null,
): Promise<void> {
  await env.DB.prepare(
    "UPDATE post_targets SET state = ?, error = ?, updated_at = ? WHERE post_id = ? AND account_id = ?",
  )
    .bind(state, error === null ? null : JSON.stringify(error), Date.now(), postId, accountId)
    .run();
}
