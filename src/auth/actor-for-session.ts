import type { Actor } from "#core/actor.ts";
import { SCOPES } from "#core/scope.ts";
import type { Services } from "#context.ts";
import { hashSecret, secretKind } from "./secret-format.ts";
import { findSession } from "./store-sessions.ts";
import { standing, type SubscriptionState } from "./subscription.ts";

export interface SignedIn {
  readonly actor: Actor;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly timeZone: string;
  readonly hasPassword: boolean;
  readonly subscription: SubscriptionState | null;
}

/** Who a session cookie belongs to: one D1 statement for a well-formed token, none for junk. */
export async function actorForSession(
  services: Pick<Services, "db" | "clock" | "config">,
  token: string | undefined,
): Promise<SignedIn | null> {
  if (token === undefined || secretKind(token) !== "session") {
    return null;
  }
  const now = services.clock.now();
  const hash = await hashSecret(token);
  const row = await findSession(services.db, hash, now);
  if (row === null) {
    return null;
  }
  const subscription =
    row.plan === null || row.status === null
      ? null
      : { plan: row.plan, status: row.status, currentPeriodEnd: row.current_period_end };
  return {
    actor: {
      userId: row.user_id,
      workspaceId: row.workspace_id,
      ...standing(subscription, services.config.planForAll, now),
      scopes: SCOPES,
      credential: { kind: "session", id: hash },
      via: "dashboard",
    },
    email: row.email,
    emailVerified: row.email_verified_at !== null,
    timeZone: row.time_zone,
    hasPassword: row.has_password === 1,
    subscription,
  };
}
