import type { Platform } from "#core/platform.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";

interface Key {
  readonly platform: Platform;
  readonly server: string;
}

const SELECT_SEALED = "SELECT sealed FROM app_registrations WHERE platform = ?1 AND server = ?2";

export async function findRegistration(db: Db, { platform, server }: Key): Promise<string | null> {
  return await db.d1.prepare(SELECT_SEALED).bind(platform, server).first<string>("sealed");
}

/**
 * Stores the app's registration at a server, unless a parallel login has stored one. Returns the stored registration.
 */
export async function keepRegistration(db: Db, { platform, server }: Key, sealed: string, now: number) {
  const { stored } = await batch(db, {
    inserted: db.d1
      .prepare(
        `INSERT INTO app_registrations (platform, server, sealed, created_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (platform, server) DO NOTHING`,
      )
      .bind(platform, server, sealed, now),
    stored: withRows<{ sealed: string }>(db.d1.prepare(SELECT_SEALED).bind(platform, server)),
  });
  return stored.results[0]?.sealed ?? sealed;
}

/**
 * Deletes the app's registration at a server. With `sealed`, it is deleted only if exactly this encrypted text is still
 * stored.
 */
export async function deleteRegistration(db: Db, { platform, server }: Key, sealed: string | null): Promise<void> {
  await db.d1
    .prepare("DELETE FROM app_registrations WHERE platform = ?1 AND server = ?2 AND (?3 IS NULL OR sealed = ?3)")
    .bind(platform, server, sealed)
    .run();
}
