import type { Context } from "#context.ts";
import { PLAN_LIMITS } from "#core/plan.ts";
import { refuse } from "#core/errors.ts";
import { failpoint } from "#core/failpoint.ts";
import { REMOVAL_TRIES, REMOVAL_WAIT_MS } from "./limits.ts";
import { promoteStaged, type Staged } from "./staged.ts";
import { keepRows, type KeptRow, markReady } from "./store-keep.ts";
import { type MediaRow, toResolved } from "./store.ts";
import type { Inspection, ResolvedMedia } from "./types.ts";
import { mediaKey } from "./urls.ts";

/** A file that has arrived and been looked into, not yet kept. */
export interface Arrived {
  readonly staged: Staged;
  readonly sha256: string;
  readonly inspection: Inspection;
  readonly filename: string;
}

/** Rows for the files; waits while an object with the same bytes is just being deleted. */
async function takeUp(
  ctx: Pick<Context, "actor" | "db" | "clock" | "ids">,
  arrived: readonly Arrived[],
  limitBytes: number,
): Promise<readonly KeptRow[]> {
  const items = arrived.map(({ staged, sha256, inspection, filename }) => ({
    ...inspection,
    id: ctx.ids.secretUuid(),
    sha256,
    filename,
    sizeBytes: staged.sizeBytes,
  }));
  for (let attempt = 1; ; attempt += 1) {
    const { rows, state } = await keepRows(ctx.db, ctx.actor, items, limitBytes, ctx.clock.now());
    if (rows.length === items.length) {
      return rows;
    }
    if (state.removing === 0) {
      const wanted = items.reduce((sum, item) => sum + item.sizeBytes, 0);
      refuseStorage(limitBytes, state.usedBytes, wanted);
    }
    if (attempt === REMOVAL_TRIES) {
      refuse({
        code: "validation_failed",
        message: "an unused copy of this file is being removed; try again in ten minutes",
      });
    }
    await scheduler.wait(REMOVAL_WAIT_MS);
  }
}

export function refuseStorage(limitBytes: number, usedBytes: number, wantedBytes: number): never {
  refuse({
    code: "storage_limit_reached",
    message:
      `the workspace holds ${usedBytes} of ${limitBytes} bytes, and this needs up to ${wantedBytes} more; ` +
      "media that no post uses goes after 30 days, or choose a larger plan",
    details: [
      {
        code: "storage_limit_reached",
        message: "bytes kept, with this file, would exceed the plan",
        limit: limitBytes,
        actual: usedBytes + wantedBytes,
      },
    ],
  });
}

/** Keeps files for good, all or none of them; in the order given. Bytes that are already here are not written again. */
export async function keepMedia(
  ctx: Pick<Context, "actor" | "db" | "bucket" | "config" | "clock" | "ids">,
  arrived: readonly Arrived[],
): Promise<readonly ResolvedMedia[]> {
  const distinct = [...new Map(arrived.map((file) => [file.sha256, file])).values()];
  const rows = await takeUp(ctx, distinct, PLAN_LIMITS[ctx.actor.plan].storageBytes);
  const byHash = new Map(rows.map((row) => [row.sha256, row]));
  const storing = rows.filter((row) => row.state === "storing");
  await failpoint("media.before_store");
  for (const file of distinct) {
    const row = byHash.get(file.sha256);
    if (row?.state === "storing" && row.stored === 0) {
      await storeObject(ctx, file.staged, file.sha256, row);
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
  return arrived.map(({ sha256 }) => {
    const row = byHash.get(sha256);
    if (!row) {
      throw new Error("a kept media row is missing");
    }
    return toResolved(row, ctx.config);
  });
}

export async function storeObject(
  { bucket }: Pick<Context, "bucket">,
  staged: Staged,
  sha256: string,
  row: Pick<MediaRow, "contentType">,
): Promise<void> {
  await promoteStaged(bucket, staged, { key: mediaKey(sha256), sha256, contentType: row.contentType });
}
