import type { AvailabilityChanges } from "#accounts/index.ts";
import { pausePostsOfAccounts } from "./pause-posts-of-accounts.ts";
import { resumePostsOfAccounts } from "./resume-posts-of-accounts.ts";

/**
 * Resumes the posts of accounts that can be used again, and pauses those of accounts that cannot. A repeated call has
 * the same effect.
 */
export async function followAvailability(
  services: Parameters<typeof resumePostsOfAccounts>[0] & Parameters<typeof pausePostsOfAccounts>[0],
  { reactivatedAccountIds, blockedAccountIds }: AvailabilityChanges,
): Promise<void> {
  await resumePostsOfAccounts(services, reactivatedAccountIds);
  await pausePostsOfAccounts(services, blockedAccountIds);
}
