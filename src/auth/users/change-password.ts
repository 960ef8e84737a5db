import type { Services } from "#context.ts";
import { parsePassword } from "#auth/parse-inputs.ts";
import { confirmPassword, requireRecentAuthentication } from "#auth/sessions/reauthenticate.ts";
import type { SignedInUser } from "#auth/sessions/resolve.ts";
import { sessionLabel } from "#auth/sessions/store.ts";
import { hashPassword } from "#auth/passwords/password-hash.ts";
import { replacePassword } from "./store.ts";

export interface PasswordChange {
  /** The current password. It may be empty if the user authenticated recently and has a passkey or no password. */
  readonly current: string;
  readonly next: string;
  /** Whether the change also ends every API key, connected app, webhook and calendar feed. */
  readonly revokeAll: boolean;
}

/** Whether changing the password requires the current one even shortly after sign-in. */
export function alwaysNeedsPassword(session: Pick<SignedInUser, "hasPassword" | "hasPasskey">): boolean {
  return session.hasPassword && !session.hasPasskey;
}

/** Sets a user's new password and signs out every other browser. */
export async function changePassword(
  services: Pick<Services, "db" | "clock" | "ids">,
  session: SignedInUser,
  input: PasswordChange,
): Promise<void> {
  const { db, clock, ids } = services;
  const next = parsePassword(input.next, "new_password");
  await (alwaysNeedsPassword(session)
    ? confirmPassword(services, session, { password: input.current })
    : requireRecentAuthentication(services, session, { password: input.current }));
  const passwordHash = await hashPassword(ids, next);
  const { userId, credential } = session.actor;
  const kept = input.revokeAll ? [] : null;
  await replacePassword(db, {
    userId,
    email: session.email,
    passwordHash,
    keep: {
      sessions: [sessionLabel(credential.id)],
      keys: kept,
      apps: kept,
      webhooks: kept,
      feeds: kept,
      passkeys: null,
    },
    now: clock.now(),
  });
}
