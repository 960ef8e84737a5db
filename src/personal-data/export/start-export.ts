import { requireRecentAuthentication, type SignedInUser } from "#auth/index.ts";
import type { Services } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { FILE_LIMITS, planFiles } from "./plan-files.ts";
import { selectWorkspaceIds } from "#personal-data/store-workspaces.ts";
import { type DataExport, saveExport } from "./store-exports.ts";

/** How long (ms) the browser that requested the files can download them. */
const EXPORT_LIFETIME_MS = DAY;

/**
 * Starts an export of a person's data: decides which files there are. Their contents are read when they are downloaded.
 */
export async function startExport(
  services: Pick<Services, "db" | "clock" | "ids">,
  session: SignedInUser,
  input: { readonly password: string },
  limits = FILE_LIMITS,
): Promise<DataExport> {
  await requireRecentAuthentication(services, session, input);
  const { db, clock, ids } = services;
  const { userId, credential } = session.actor;
  const now = clock.now();
  const made: DataExport = {
    id: ids.uuid(),
    userId,
    sessionHash: credential.id,
    createdAt: now,
    expiresAt: now + EXPORT_LIFETIME_MS,
    files: await planFiles(services, await selectWorkspaceIds(db, userId), limits),
  };
  await saveExport(db, made);
  return made;
}
