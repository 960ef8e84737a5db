import { MINUTE } from "#core/clock.ts";
import type { PostsDb } from "#db/client.ts";
import type { PostPlan } from "./post-plan.ts";
import type { TokenKey } from "./confirmation-token.ts";

/** The minute in which a token expires leads the primary key, so that cleaning up is a range delete. */
const minuteOf = (at: number): number => Math.floor(at / MINUTE);

export async function insertPreviewedPlan(db: PostsDb, { hash, expiresAt }: TokenKey, json: string): Promise<void> {
  await db.d1
    .prepare("INSERT INTO previewed_plans (expiry_minute, token_hash, plan) VALUES (?1, ?2, ?3)")
    .bind(minuteOf(expiresAt), hash, json)
    .run();
}

export function previewedPlanStatement(db: PostsDb, { hash, expiresAt }: TokenKey): D1PreparedStatement {
  return db.d1
    .prepare("SELECT plan FROM previewed_plans WHERE expiry_minute = ?1 AND token_hash = ?2")
    .bind(minuteOf(expiresAt), hash);
}

/** Null for a plan that is not in D1. */
export function readPreviewedPlan(result: D1Result | undefined): PostPlan | null {
  const [row] = (result?.results ?? []) as readonly { readonly plan: string }[];
  return row === undefined ? null : (JSON.parse(row.plan) as PostPlan);
}

/** Deletes plans whose tokens expired before the minute before `now`; returns how many. */
export async function deletePreviewedPlans(db: PostsDb, now: number, limit: number): Promise<number> {
  const { meta } = await db.d1
    .prepare(
      `DELETE FROM previewed_plans WHERE (expiry_minute, token_hash) IN
         (SELECT expiry_minute, token_hash FROM previewed_plans WHERE expiry_minute < ?1 LIMIT ?2)`,
    )
    .bind(minuteOf(now) - 1, limit)
    .run();
  return meta.changes;
}
