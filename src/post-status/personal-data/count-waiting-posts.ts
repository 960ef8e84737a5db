import type { Services } from "#context.ts";

import { countWaiting } from "./store-user-posts.ts";

export async function countWaitingPosts(
  services: Pick<Services, "db">,
  workspaceIds: readonly string[],
): Promise<number> {
  return await countWaiting(services.db, workspaceIds);
}
