import { parseEmail, parsePassword } from "#auth/parse-inputs.ts";
import type { Services } from "#context.ts";
import { hashPassword } from "#auth/passwords/password-hash.ts";
import { replacePassword } from "./store.ts";

/**
 * Sets a user's password without the current one, for the operator. Ends every session; keys, apps and passkeys stay.
 */
export async function setPassword(
  { db, clock, ids }: Pick<Services, "db" | "clock" | "ids">,
  user: { readonly userId: string; readonly email: string; readonly password: string },
): Promise<void> {
  await replacePassword(db, {
    userId: user.userId,
    email: parseEmail(user.email),
    passwordHash: await hashPassword(ids, parsePassword(user.password)),
    keep: { sessions: [], keys: null, apps: null, passkeys: null, webhooks: null, feeds: null },
    now: clock.now(),
  });
}
