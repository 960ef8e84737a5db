import { evictAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { resetStorage } from "./reset-storage.ts";

test("also empties what has left the memory", async ({ expect }) => {
  const simulator = () => env.SIMULATORS.get(env.SIMULATORS.idFromName("x"));
  const watch = () => env.WATCH.get(env.WATCH.idFromName("database"));
  const sender = () => env.SENDERS.get(env.SENDERS.idFromName("hook"));
  await env.TOKENS.put("left", "over");
  await env.MEDIA.put("left", "over");
  await env.DB.exec("CREATE TABLE left_over (id INTEGER)");
  await runInDurableObject(simulator(), (_, { storage }) => storage.kv.put("left", "over"));
  await watch().remember({ epoch: 1, beat: 1 });
  await runInDurableObject(sender(), (_, { storage }) => storage.kv.put("left", "over"));
  await evictAllDurableObjects();

  await resetStorage();
  expect(await runInDurableObject(simulator(), (_, { storage }) => storage.kv.get("left"))).toBeUndefined();
  expect(await runInDurableObject(sender(), (_, { storage }) => storage.kv.get("left"))).toBeUndefined();
  expect(await watch().highest()).toMatchObject({ epoch: 0, beat: 0 });
  expect(await env.TOKENS.get("left")).toBeNull();
  expect(await env.MEDIA.head("left")).toBeNull();
  await expect(env.DB.exec("SELECT * FROM left_over")).rejects.toThrow("no such table");
});
