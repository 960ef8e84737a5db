import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { parsePassword } from "#auth/parse-inputs.ts";
import { checkPassword, hashPassword } from "./password-hash.ts";
import { passwordHashOf, replacePassword } from "./store.ts";

export interface PasswordChange {
  /** The current password; ignored for a user who has none. */
  readonly current: string;
  readonly next: string;
  /** Also revokes every API key and connected app. */
  readonly revokeAll: boolean;
}

/** Sets a new password and signs out every other browser. */
export async function changePassword(
  services: Pick<Services, "db" | "clock" | "ids">,
  session: { userId: string; sessionHash: string },
  input: PasswordChange,
): Promise<void> {
  const { db, clock, ids } = services;
  const storedHash = await passwordHashOf(db, session.userId);
  if (storedHash !== null && !(await checkPassword(input.current, storedHash)).matches) {
    refuse({ code: "invalid_request", message: "the current password is wrong", param: "current_password" });
  }
  const passwordHash = await hashPassword(ids, parsePassword(input.next, "new_password"));
  await replacePassword(db, {
    userId: session.userId,
    passwordHash,
    keepSessionHash: session.sessionHash,
    revokeAll: input.revokeAll,
    now: clock.now(),
  });
}
