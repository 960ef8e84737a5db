import type { Services } from "#context.ts";
import { keyIdsOf, seal, SealingError, unseal } from "#core/aes-gcm.ts";
import { DAY } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import { SEALED_COLUMNS } from "#db/sealed-columns.ts";
import { readProgress, replaceSealed, saveProgress, type SealedRow, selectSealedOtherwise } from "./store-sealed.ts";

const ROWS_PER_RUN = 50;

/** How far the present pass over all encrypted columns has come. */
interface Progress {
  readonly keyId: string;
  /** The day (number since 1970, UTC) on which the pass over all columns began. */
  readonly day: number;
  /** The index of the column in `SEALED_COLUMNS`. It is the length of this list if the pass is done. */
  readonly column: number;
  readonly after: string;
}

function continued(stored: string, start: Progress): Progress {
  const progress = stored === "" ? null : (JSON.parse(stored) as Progress);
  const isDone = progress?.column === SEALED_COLUMNS.length;
  return progress?.keyId !== start.keyId || (isDone && progress.day !== start.day) ? start : progress;
}

/**
 * Encrypts texts of older keys with the current key, at most 50 per cron run. While there are several keys, a pass over
 * all columns begins every day, because an isolate of the previous release may have written with the old key. Every
 * text stays readable, even if a run is killed or two runs overlap. Null if there was nothing to check.
 */
export async function resealSecrets(
  services: Pick<Services, "clock" | "config" | "db" | "ids">,
): Promise<{ readonly resealed: number; readonly unreadable: number } | null> {
  const { clock, config, db } = services;
  if (keyIdsOf(config).length < 2) {
    return null;
  }
  const stored = await readProgress(db);
  const day = Math.floor(clock.now() / DAY);
  let progress = continued(stored, { keyId: config.tokenKeyId, day, column: 0, after: "" });
  let room = ROWS_PER_RUN;
  let resealed = 0;
  let unreadable = 0;
  for (;;) {
    const column = SEALED_COLUMNS[progress.column];
    if (column === undefined || room === 0) {
      break;
    }
    const rows = await selectSealedOtherwise(db, column, { keyId: progress.keyId, after: progress.after, limit: room });
    const opened = (await Promise.all(rows.map(async (row) => await resealRow(services, row)))).filter(
      (row) => row !== null,
    );
    unreadable += rows.length - opened.length;
    if (opened.length > 0) {
      await failpoint("reseal.before_write");
      resealed += await replaceSealed(db, column, opened);
      await failpoint("reseal.after_write");
    }
    const last = rows.at(-1);
    progress =
      last === undefined || rows.length < room
        ? { ...progress, column: progress.column + 1, after: "" }
        : { ...progress, after: last.key };
    room -= rows.length;
  }
  const after = JSON.stringify(progress);
  if (after !== stored) {
    await saveProgress(db, stored, after);
  }
  return room === ROWS_PER_RUN ? null : { resealed, unreadable };
}

/** Encrypts one row again. Null for a text that no key can decrypt; it stays, because the operator may have the key. */
async function resealRow(
  { config, ids }: Pick<Services, "config" | "ids">,
  { key, purpose, sealed }: SealedRow,
): Promise<{ readonly key: string; readonly sealed: string; readonly resealed: string } | null> {
  try {
    return { key, sealed, resealed: await seal(config, ids, purpose, await unseal(config, purpose, sealed)) };
  } catch (error) {
    if (!(error instanceof SealingError)) {
      throw error;
    }
    log("error", "reseal.unreadable", { key, reason: error.code });
    return null;
  }
}
