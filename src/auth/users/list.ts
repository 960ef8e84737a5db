import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { parseEmail } from "#auth/parse-inputs.ts";
import { selectUsers, userIdByEmail, type UserRow } from "./store.ts";

/** Lists all users, oldest first, for the operator's command line. */
export function listUsers(services: Pick<Services, "db">): Promise<UserRow[]> {
  return selectUsers(services.db);
}

/**
 * Finds the user with this e-mail address. Only for the operator, because the result reveals whether the address has an
 * account.
 */
export async function userIdOf(services: Pick<Services, "db">, input: { email: string }): Promise<string> {
  return (
    (await userIdByEmail(services.db, parseEmail(input.email))) ??
    refuse({ code: "not_found", message: "there is no user with this e-mail" })
  );
}
