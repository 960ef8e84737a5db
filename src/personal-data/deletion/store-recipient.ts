import type { Db } from "#db/client.ts";

export interface Recipient {
  readonly email: string;
  readonly timeZone: string;
}

export async function findRecipient(db: Db, userId: string): Promise<Recipient | null> {
  return await db.d1
    .prepare("SELECT email, time_zone AS timeZone FROM users WHERE id = ?")
    .bind(userId)
    .first<Recipient>();
}

/** Whether the service would lose its last user or its last operator with this person. */
export type LastOf = "users" | "operators";

/** Whether the user is the last user or operator of the service. Null if another one is left. */
export async function lastOf(db: Db, userId: string): Promise<LastOf | null> {
  const row = await db.d1
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM users o WHERE o.id <> u.id) AS others, u.role IS 'operator' AS isOperator,
         EXISTS (SELECT 1 FROM users o WHERE o.id <> u.id AND o.role = 'operator') AS otherOperators FROM users u WHERE u.id = ?`,
    )
    .bind(userId)
    .first<{ others: 0 | 1; isOperator: 0 | 1; otherOperators: 0 | 1 }>();
  if (row === null || (row.others === 1 && (row.isOperator === 0 || row.otherOperators === 1))) {
    return null;
  }
  return row.others === 0 ? "users" : "operators";
}
