import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { parseEmail } from "#auth/parse-inputs.ts";
import { selectUsers, userIdByEmail, type UserRow } from "./store.ts";

/** All users, oldest first; for the operator's command line. */
export function listUsers(services: Pick<Services, "db">): Promise<UserRow[]> {
  return selectUsers(services.db);
}

/** The user with this e-mail; only for the operator, because the answer tells whether the address has an account. */
export async function userIdOf(services: Pick<Services, "db">, input: { email: string }): Promise<string> {
  return (
    (await userIdByEmail(services.db, parseEmail(input.email))) ??
    refuse({ code: "not_found", message: "there is no user with this e-mail" })
  );
}
