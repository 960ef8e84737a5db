import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { parsePassword } from "./inputs.ts";
import { checkPassword, hashPassword } from "./password.ts";
import { passwordHashOf, replacePassword } from "./store-users.ts";

export interface PasswordChange {
  /** What the user has now; ignored for a user who never had one. */
  readonly current: string;
  readonly next: string;
  /** Also ends every API key and connected app. */
  readonly revokeAll: boolean;
}

/** Sets a new password and signs out every other browser. */
export async function changePassword(
  services: Pick<Services, "db" | "clock" | "ids">,
  session: { userId: string; sessionHash: string },
  input: PasswordChange,
): Promise<void> {
  const { db, clock, ids } = services;
  const stored = await passwordHashOf(db, session.userId);
  if (stored !== null && !(await checkPassword(input.current, stored)).matches) {
    refuse({ code: "invalid_request", message: "the current password is not right", param: "current_password" });
  }
  const passwordHash = await hashPassword(ids, parsePassword(input.next, "new_password"));
  await replacePassword(db, {
    userId: session.userId,
    passwordHash,
    keptSession: session.sessionHash,
    revokeAll: input.revokeAll,
    now: clock.now(),
  });
}
