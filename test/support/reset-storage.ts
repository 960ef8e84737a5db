import { listDurableObjectIds, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

/**
 * Empties the database, KV, R2 and every object. `reset` passes over what is not in memory, and the runtime drops an object
 * that is idle for ten seconds, so they are woken first: a mark of the database that outlives it would hold all publishing.
 * Posts stay asleep: no id returns, and `reset` deletes all alarms.
 */
export async function resetStorage(): Promise<void> {
  const { DB, TOKENS, MEDIA, SANDBOX_BLOBS, SIMULATORS, SENDERS, RECEIVERS, WATCH } = env;
  const namespaces = [SIMULATORS, SENDERS, RECEIVERS, WATCH];
  await Promise.all([
    DB.prepare("SELECT 1").run(),
    ...[TOKENS, MEDIA, SANDBOX_BLOBS].map((bucket) => bucket.list({ limit: 1 })),
    ...namespaces.map(async (namespace) => {
      const ids = await listDurableObjectIds(namespace);
      await Promise.all(ids.map((id) => runInDurableObject(namespace.get(id), () => undefined)));
    }),
  ]);
  await reset();
}
