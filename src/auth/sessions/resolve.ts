import type { Actor } from "#core/actor.ts";
import { MINUTE } from "#core/clock.ts";
import { SCOPES } from "#core/scope.ts";
import type { Services } from "#context.ts";
import { hashSecret, secretKind } from "#auth/secrets.ts";
import { findSession } from "./store.ts";
import { subscriptionAccess, type SubscriptionState } from "#auth/subscriptions/access.ts";

/** How long (ms) after an authentication the user may create keys and passkeys and set a new password. */
const REAUTHENTICATION_MS = 10 * MINUTE;

export interface SignedInUser {
  readonly actor: Actor;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly timeZone: string;
  readonly hasPassword: boolean;
  readonly hasPasskey: boolean;
  /** Whether the user signed in, entered the password or used a passkey in this session within the last ten minutes. */
  readonly recentlyAuthenticated: boolean;
  readonly subscription: SubscriptionState | null;
  /** The user's workspaces, oldest first. `actor.workspaceId` is the active one. */
  readonly workspaces: readonly {
    readonly id: string;
    readonly name: string;
    /** Whether the user must enter the password or use a passkey again before approving an agent's request. */
    readonly approvalReauthentication: boolean;
  }[];
  /** How many requests of agents wait for the user's approval, in all workspaces together. */
  readonly pendingApprovals: number;
  /** How many notices of the active workspace are not dismissed. Counting stops at 100. */
  readonly openNotices: number;
  /** Whether the user is an operator, who can see the state of the whole installation. */
  readonly isOperator: boolean;
  /** When (ms) the user's data will be erased. Null if nobody has requested it. */
  readonly deletionDueAt: number | null;
}

/** Finds the user of a session cookie. It takes one D1 statement, or none if the token is malformed. */
export async function resolveSession(
  services: Pick<Services, "db" | "clock" | "config">,
  token: string | undefined,
): Promise<SignedInUser | null> {
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
      workspaceFrom: "user",
      ...subscriptionAccess(services.config, { subscription, emailVerified: row.email_verified_at !== null }, now),
      scopes: SCOPES,
      credential: { kind: "session", id: hash },
      via: "dashboard",
      timeZone: row.time_zone,
      recordsEvents: row.records_events === 1,
    },
    email: row.email,
    emailVerified: row.email_verified_at !== null,
    timeZone: row.time_zone,
    hasPassword: row.has_password === 1,
    hasPasskey: row.has_passkey === 1,
    recentlyAuthenticated: now - row.authenticated_at < REAUTHENTICATION_MS,
    subscription,
    workspaces: JSON.parse(row.workspaces) as SignedInUser["workspaces"],
    pendingApprovals: row.pending_approvals,
    openNotices: row.open_notices,
    isOperator: row.is_operator === 1,
    deletionDueAt: row.deletion_due_at,
  };
}
