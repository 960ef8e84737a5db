import { endLoginsOfPerson, type PersonOfPlatform } from "#accounts/index.ts";
import type { Services } from "#context.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { pausePostsOfAccounts } from "./pause-posts-of-accounts.ts";

/** Ends the logins of a person who removed the app at the platform. Pauses the posts that now have no usable account. */
export async function deauthorize(
  services: Pick<Services, "arm" | "clock" | "db" | "defer">,
  person: PersonOfPlatform,
): Promise<void> {
  const reason = `The access of Almanac was removed at ${PLATFORM_NAMES[person.platform]}. Connect the account again.`;
  await pausePostsOfAccounts(services, await endLoginsOfPerson(services.db, person, reason));
}
