import { eraseArchive } from "#archive/index.ts";
import { endPayment } from "#auth/billing/index.ts";
import type { Services } from "#context.ts";
import { sha256Hex } from "#core/encoding.ts";
import { log } from "#core/log.ts";
import { eraseMedia } from "#media/index.ts";
import { erasePosts } from "#post-status/index.ts";
import { sendDeletionMail } from "./mails.ts";
import { stopUser } from "./stop-user.ts";
import { selectWebhookIds } from "./store-logins.ts";
import { deleteRows, deleteUserRows } from "./store-rows.ts";
import { beginErasing, completeDeletion, type UserDeletion } from "./store-user-deletions.ts";

/* The limits of one run. A Worker invocation may make 1,000 calls, and other jobs of the same run share them. */
const POST_ROUNDS = 20;
const MEDIA_ROUNDS = 10;
const ARCHIVE_CALLS = 20;
const ROW_ROUNDS = 10;

/**
 * Erases a limited part of the user's data. The order keeps the rest findable: posts come before the archive, so that
 * no more posts move there, and the user comes last. Returns whether nothing is left. Safe to interrupt and to repeat.
 */
export async function eraseUser(services: Services, { userId }: UserDeletion): Promise<boolean> {
  const { db, clock } = services;
  const deletion = await beginErasing(db, { userId, now: clock.now() });
  if (deletion === null || !(await stopUser(services, deletion))) {
    return false;
  }
  await endPayment(services, userId);
  // While a post is publishing, the publisher needs its rows, so the next run continues.
  if ((await erasePosts(services, deletion.workspaceIds, POST_ROUNDS)) !== "erased") {
    return false;
  }
  await Promise.all(
    (await selectWebhookIds(db, deletion.workspaceIds)).map(async (id) => {
      await services.sender(id).remove();
    }),
  );
  if (!(await eraseFiles(services, deletion)) || !(await deleteRows(db, deletion, ROW_ROUNDS))) {
    return false;
  }
  await sendDeletionMail(services, deletion, "erased");
  await deleteUserRows(db, deletion);
  return true;
}

async function eraseFiles(services: Services, deletion: UserDeletion): Promise<boolean> {
  return (
    (await eraseArchive(services, deletion.workspaceIds, ARCHIVE_CALLS)) &&
    (await eraseMedia(services, deletion, MEDIA_ROUNDS))
  );
}

/** Erases again what running requests may have written meanwhile, then keeps only a hash of the user. */
export async function finishErasing(services: Services, deletion: UserDeletion): Promise<boolean> {
  const { db, clock } = services;
  const { userId, workspaceIds } = deletion;
  if (
    (await erasePosts(services, workspaceIds, POST_ROUNDS)) !== "erased" ||
    !(await eraseFiles(services, deletion)) ||
    !(await deleteRows(db, deletion, ROW_ROUNDS))
  ) {
    return false;
  }
  await deleteUserRows(db, deletion);
  await completeDeletion(db, { userId, userHash: await sha256Hex(`user:${userId}`), erasedAt: clock.now() });
  log("info", "user_deleted", { requested_by: deletion.requestedBy });
  return true;
}
