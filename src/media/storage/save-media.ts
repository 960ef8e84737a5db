import type { Context } from "#context.ts";
import type { ReceivedContent } from "#media/convert/received-content.ts";
import { refuse } from "#core/errors.ts";
import { failpoint } from "#core/failpoint.ts";
import { CONVERTED_RECIPE, insertFits } from "./store-fits.ts";
import { REMOVAL_WAIT_ATTEMPTS, REMOVAL_WAIT_MS } from "#media/limits.ts";
import { copyStagedFile, type StagedFile } from "./staged-file.ts";
import { insertMediaRows, type SavedMediaRow, markReady } from "./store-save-media.ts";
import { type MediaRow, toResolved } from "#media/store.ts";
import type { ResolvedFile } from "#media/types.ts";
import { mediaKey } from "#media/urls.ts";

/** A file that was received and inspected, but is not saved yet. */
export interface ReceivedFile extends ReceivedContent {
  readonly filename: string;
}

/** Inserts a row for each file. It waits while an object with the same bytes is being deleted. */
async function insertRows(
  ctx: Pick<Context, "actor" | "db" | "clock" | "ids">,
  files: readonly ReceivedFile[],
  limitBytes: number,
): Promise<readonly SavedMediaRow[]> {
  const items = files.map(({ staged, sha256, inspection, filename }) => ({
    ...inspection,
    id: ctx.ids.secretUuid(),
    sha256,
    filename,
    sizeBytes: staged.sizeBytes,
  }));
  for (let attempt = 1; ; attempt += 1) {
    const { rows, state } = await insertMediaRows(ctx.db, ctx.actor, items, limitBytes, ctx.clock.now());
    if (rows.length === items.length) {
      return rows;
    }
    if (state.removing === 0) {
      const wantedBytes = items.reduce((sum, item) => sum + item.sizeBytes, 0);
      refuseStorageLimit(limitBytes, state.usedBytes, wantedBytes);
    }
    if (attempt === REMOVAL_WAIT_ATTEMPTS) {
      refuseBeingRemoved();
    }
    await scheduler.wait(REMOVAL_WAIT_MS);
  }
}

function refuseBeingRemoved(): never {
  refuse({
    code: "validation_failed",
    message: "an unused copy of this file is being removed; try again in ten minutes",
  });
}

export function refuseStorageLimit(limitBytes: number, usedBytes: number, wantedBytes: number): never {
  refuse({
    code: "storage_limit_reached",
    message:
      `your workspaces store ${usedBytes} of ${limitBytes} bytes, and this needs up to ${wantedBytes} more; ` +
      "media that no post uses is deleted after 30 days, or choose a larger plan",
    details: [
      {
        code: "storage_limit_reached",
        message: "stored bytes including this file would exceed the plan",
        limit: limitBytes,
        actual: usedBytes + wantedBytes,
      },
    ],
  });
}

/** Saves all files or none, in the given order. Bytes that are already stored are not written again. */
export async function saveMedia(
  ctx: Pick<Context, "actor" | "db" | "bucket" | "config" | "clock" | "ids">,
  files: readonly ReceivedFile[],
): Promise<readonly ResolvedFile[]> {
  const distinct = [...new Map(files.map((file) => [file.sha256, file])).values()];
  const rows = await insertRows(ctx, distinct, ctx.actor.limits.storageBytes);
  const byHash = new Map(rows.map((row) => [row.sha256, row]));
  const storing = rows.filter((row) => row.state === "storing");
  await failpoint("media.before_store");
  for (const file of distinct) {
    const row = byHash.get(file.sha256);
    if (row?.state === "storing" && row.stored === 0) {
      await writeObject(ctx, file.staged, file.sha256, row);
    }
  }
  await failpoint("media.before_ready");
  if (storing.length > 0) {
    await markReady(
      ctx.db,
      storing.map((row) => row.id),
      ctx.clock.now(),
    );
  }
  await rememberConverted(
    ctx,
    ctx.actor.workspaceId,
    files.map((file) => ({ ...file, mediaId: byHash.get(file.sha256)?.id ?? "" })),
  );
  return files.map(({ sha256 }) => {
    const row = byHash.get(sha256);
    if (!row) {
      throw new Error("a saved media row is missing");
    }
    return toResolved(row, ctx.config);
  });
}

/** Records from which HEIC and AVIF images these JPEGs were made, so that the same image gets the same item again. */
export async function rememberConverted(
  { db }: Pick<Context, "db">,
  workspaceId: string,
  files: readonly (Pick<ReceivedContent, "madeOf"> & { readonly mediaId: string })[],
): Promise<void> {
  const made = files.flatMap(({ madeOf, mediaId }) =>
    madeOf === undefined ? [] : [{ sha256: madeOf, recipe: CONVERTED_RECIPE, mediaId }],
  );
  if (made.length > 0) {
    await insertFits(db, { workspaceId }, made);
  }
}

export async function writeObject(
  { bucket }: Pick<Context, "bucket">,
  staged: StagedFile,
  sha256: string,
  row: Pick<MediaRow, "contentType">,
): Promise<void> {
  if (staged.inMemory === null && staged.objects.length === 0) {
    // The JPEG was already stored, but somebody deleted its item a moment ago.
    refuseBeingRemoved();
  }
  await copyStagedFile(bucket, staged, { key: mediaKey(sha256), sha256, contentType: row.contentType });
}
