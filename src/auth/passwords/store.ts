import type { Db } from "#db/client.ts";

/** Replaces a hash that has outdated parameters, after a correct password. */
export async function updatePasswordHash(db: Db, userId: string, passwordHash: string): Promise<void> {
  await db.d1.prepare("UPDATE users SET password_hash = ?2 WHERE id = ?1").bind(userId, passwordHash).run();
}
