import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import type { Platform } from "#core/platform.ts";
import { app, bookOf, fault, ORIGIN, sample, settings } from "./help.ts";
import { person as onThreads } from "./threads-person.ts";
import { fileOf, person as onTikTok, put, wholeRange } from "./tiktok-person.ts";
import { person } from "./x-person.ts";

const evict = (platform: Platform = "x"): Promise<void> =>
  evictDurableObject(env.SIMULATORS.get(env.SIMULATORS.idFromName(platform)));

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

test("media that was being fetched when the process died is fetched again at the next look", async ({ expect }) => {
  await settings("threads", { processing_ms: 0, visibility_ms: 0 });
  const ada = await onThreads();
  // An address that leads through another platform, which takes its time once.
  await fault("pinterest", { match: { path: "/oauth/" }, effect: "delay", delay_ms: 60_000 });
  const query = new URLSearchParams({
    client_id: "sandbox-pinterest",
    response_type: "code",
    login: "ada",
    redirect_uri: `${ORIGIN}/sandbox/media/portrait.jpg`,
  });
  const image_url = `${ORIGIN}/sandbox/www.pinterest.com/oauth/?${query.toString()}`;
  const id = await ada.contain({ media_type: "IMAGE", image_url, text: "twice fetched" });
  await abortAllDurableObjects();
  expect(await (await ada.read(`/${id}`, { fields: "status" })).json()).toMatchObject({ status: "FINISHED" });
  expect((await ada.publish(id)).status).toBe(200);
  expect((await bookOf("threads", "ada")).at(-1)).toMatchObject({ text: "twice fetched", media: [{ type: "image" }] });
});

test("a post whose processing ended while nobody was there stands in the book", async ({ expect }) => {
  await settings("tiktok", { processing_ms: 0 });
  const ada = await onTikTok();
  const film = await sample("portrait.mp4");
  const { publish_id, upload_url } = await ada.begin("inbox/video", { source_info: fileOf(film) });
  await evict("tiktok");
  expect((await put(upload_url, film, wholeRange(film))).status).toBe(201);
  await evict("tiktok");
  expect((await bookOf("tiktok", "ada")).at(-1)).toMatchObject({ kind: "draft", options: { publish_id } });
});
