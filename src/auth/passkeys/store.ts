import { and, desc, eq } from "drizzle-orm";
import type { Db } from "#db/client.ts";
import { passkeys } from "#db/schema.ts";

export type StoredPasskey = typeof passkeys.$inferSelect;

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

export function selectPasskeys(db: Db, userId: string): Promise<StoredPasskey[]> {
  return db.orm.select().from(passkeys).where(eq(passkeys.userId, userId)).orderBy(desc(passkeys.createdAt));
}

export async function findPasskey(db: Db, id: string): Promise<StoredPasskey | undefined> {
  const [passkey] = await db.orm.select().from(passkeys).where(eq(passkeys.id, id));
  return passkey;
}

/** Stores a passkey. False if any user has already registered it. */
export async function insertPasskey(db: Db, passkey: typeof passkeys.$inferInsert): Promise<boolean> {
  const inserted = await db.orm.insert(passkeys).values(passkey).onConflictDoNothing().returning({ id: passkeys.id });
  return inserted.length === 1;
}

export async function recordPasskeyUse(db: Db, id: string, counter: number, now: number): Promise<void> {
  await db.orm.update(passkeys).set({ counter, lastUsedAt: now }).where(eq(passkeys.id, id));
}

export async function deletePasskey(db: Db, userId: string, id: string): Promise<boolean> {
  const deleted = await db.orm
    .delete(passkeys)
    .where(and(eq(passkeys.id, id), eq(passkeys.userId, userId)))
    .returning({ id: passkeys.id });
  return deleted.length === 1;
}
