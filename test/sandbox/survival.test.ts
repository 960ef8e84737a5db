import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { app, bookOf, fault, sample, settings } from "./help.ts";
import { person } from "./x-person.ts";

const evict = (): Promise<void> => evictDurableObject(env.SIMULATORS.get(env.SIMULATORS.idFromName("x")));

test("what a platform knows outlives its process: tokens, book, calls, faults, settings", async ({ expect }) => {
  const ada = await person("ada");
  await settings("x", { quota: 7, access: "enterprise" });
  await fault("x", { match: { path: "/2/users/me" }, times: 2, effect: "answer", status: 503 });
  expect((await ada.api("GET", "/2/users/me")).status).toBe(503);
  expect((await ada.publish({ text: "before the end" })).status).toBe(201);

  await evict();

  expect(await bookOf("x", "ada")).toMatchObject([{ text: "before the end" }]);
  expect((await ada.api("GET", "/2/users/me")).status).toBe(503);
  expect((await ada.api("GET", "/2/users/me")).status).toBe(200);
  const answer = await ada.publish({ text: "before the end" });
  expect(answer.status).toBe(403);
  expect(answer.headers.get("x-user-limit-24hour-limit")).toBe("7");
  const { calls } = await (await app("/sandbox/platforms/x/calls")).json<{ calls: { path: string }[] }>();
  expect(calls.filter((call) => call.path === "/2/tweets")).toHaveLength(2);
});

test("an upload under way goes on after its process has died", async ({ expect }) => {
  await settings("x", { processing_ms: 0, quota: null });
  const ada = await person("ada");
  const bytes = await sample("portrait.mp4");
  const begun = await ada.api("POST", "/2/media/upload/initialize", {
    media_type: "video/mp4",
    media_category: "tweet_video",
    total_bytes: bytes.length,
  });
  const { data } = await begun.json<{ data: { id: string } }>();
  for (const [index, part] of [bytes.slice(0, 9000), bytes.slice(9000)].entries()) {
    const form = new FormData();
    form.set("media", new Blob([part]));
    form.set("segment_index", String(index));
    expect((await ada.api("POST", `/2/media/upload/${data.id}/append`, form)).status).toBe(200);
    await evict();
  }
  expect((await ada.api("POST", `/2/media/upload/${data.id}/finalize`)).status).toBe(200);
  expect((await ada.publish({ media: { media_ids: [data.id] } })).status).toBe(201);
});
