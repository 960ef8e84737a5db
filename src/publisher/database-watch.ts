import { DurableObject } from "cloudflare:workers";
import { type DatabaseMark, type DatabaseWatchApi, isBehind } from "#core/database-watch.ts";
import type { Env } from "#config.ts";

const MARK_KEY = "mark";

/**
 * One Durable Object for the whole service, which notices a restore. Its storage does not go back when the database
 * does.
 */
export class DatabaseWatch extends DurableObject<Env> implements DatabaseWatchApi {
  highest(): Promise<DatabaseMark> {
    return Promise.resolve(this.ctx.storage.kv.get<DatabaseMark>(MARK_KEY) ?? { epoch: 0, beat: 0 });
  }

  /** Stores a mark. The stored mark never gets lower, because two cron runs may arrive in the other order. */
  async remember(mark: DatabaseMark): Promise<void> {
    if (isBehind(await this.highest(), mark)) {
      this.ctx.storage.kv.put(MARK_KEY, { epoch: mark.epoch, beat: mark.beat });
    }
  }
}
