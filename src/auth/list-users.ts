import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { parseEmail } from "./inputs.ts";
import { selectUsers, userIdByEmail, type UserRow } from "./store-users.ts";

/** Everybody, oldest first; for the operator. */
export function listUsers(services: Pick<Services, "db">): Promise<UserRow[]> {
  return selectUsers(services.db);
}

/** The user with this e-mail; for the operator, who may know that there is none. */
export async function userIdOf(services: Pick<Services, "db">, input: { email: string }): Promise<string> {
  return (
    (await userIdByEmail(services.db, parseEmail(input.email))) ??
    refuse({ code: "not_found", message: "there is no user with this e-mail" })
  );
}
