import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import type { Platform } from "#core/platform.ts";
import { fetchApp, publishedPosts, injectFault, ORIGIN, sampleBytes, changeSettings } from "./sandbox-api.ts";
import { createClient as createThreadsClient } from "./threads-client.ts";
import { singleChunkSource, createClient as createTikTokClient, putChunk, wholeRange } from "./tiktok-client.ts";
import { createClient } from "./x-client.ts";

const restart = (platform: Platform = "x"): Promise<void> =>
  evictDurableObject(env.SIMULATORS.get(env.SIMULATORS.idFromName(platform)));

test("a simulator keeps tokens, published posts, calls, faults and settings across a restart", async ({ expect }) => {
  const ada = await createClient("ada");
  await changeSettings("x", { quota: 7, access: "enterprise" });
  await injectFault("x", { match: { path: "/2/users/me" }, times: 2, effect: "answer", status: 503 });
  expect((await ada.callApi("GET", "/2/users/me")).status).toBe(503);
  expect((await ada.createPost({ text: "before the restart" })).status).toBe(201);

  await restart();

  expect(await publishedPosts("x", "ada")).toMatchObject([{ text: "before the restart" }]);
  expect((await ada.callApi("GET", "/2/users/me")).status).toBe(503);
  expect((await ada.callApi("GET", "/2/users/me")).status).toBe(200);
  const response = await ada.createPost({ text: "before the restart" });
  expect(response.status).toBe(403);
  expect(response.headers.get("x-user-limit-24hour-limit")).toBe("7");
  const { calls } = await (await fetchApp("/sandbox/platforms/x/calls")).json<{ calls: { path: string }[] }>();
  expect(calls.filter((call) => call.path === "/2/tweets")).toHaveLength(2);
});

test("an upload continues after a restart of the process", async ({ expect }) => {
  await changeSettings("x", { processing_ms: 0, quota: null });
  const ada = await createClient("ada");
  const bytes = await sampleBytes("portrait.mp4");
  const initialized = await ada.callApi("POST", "/2/media/upload/initialize", {
    media_type: "video/mp4",
    media_category: "tweet_video",
    total_bytes: bytes.length,
  });
  const { data } = await initialized.json<{ data: { id: string } }>();
  for (const [index, part] of [bytes.slice(0, 9000), bytes.slice(9000)].entries()) {
    const form = new FormData();
    form.set("media", new Blob([part]));
    form.set("segment_index", String(index));
    expect((await ada.callApi("POST", `/2/media/upload/${data.id}/append`, form)).status).toBe(200);
    await restart();
  }
  expect((await ada.callApi("POST", `/2/media/upload/${data.id}/finalize`)).status).toBe(200);
  expect((await ada.createPost({ media: { media_ids: [data.id] } })).status).toBe(201);
});

test("a media download interrupted by a restart is repeated at the next read", async ({ expect }) => {
  await changeSettings("threads", { processing_ms: 0, visibility_ms: 0 });
  const ada = await createThreadsClient();
  // The media URL redirects through another platform, which delays its first response.
  await injectFault("pinterest", { match: { path: "/oauth/" }, effect: "delay", delay_ms: 60_000 });
  const query = new URLSearchParams({
    client_id: "sandbox-pinterest",
    scope: "boards:read",
    response_type: "code",
    login: "ada",
    redirect_uri: `${ORIGIN}/sandbox/media/portrait.jpg`,
  });
  const image_url = `${ORIGIN}/sandbox/www.pinterest.com/oauth/?${query.toString()}`;
  const id = await ada.createContainer({ media_type: "IMAGE", image_url, text: "downloaded twice" });
  await abortAllDurableObjects();
  expect(await (await ada.request(`/${id}`, { fields: "status" })).json()).toMatchObject({ status: "FINISHED" });
  expect((await ada.publishContainer(id)).status).toBe(200);
  expect((await publishedPosts("threads", "ada")).at(-1)).toMatchObject({
    text: "downloaded twice",
    media: [{ type: "image" }],
  });
});

test("a post whose processing ended during a restart is listed as published", async ({ expect }) => {
  await changeSettings("tiktok", { processing_ms: 0 });
  const ada = await createTikTokClient();
  const videoFile = await sampleBytes("portrait.mp4");
  const { publish_id, upload_url } = await ada.startPublish("inbox/video", {
    source_info: singleChunkSource(videoFile),
  });
  await restart("tiktok");
  expect((await putChunk(upload_url, videoFile, wholeRange(videoFile))).status).toBe(201);
  await restart("tiktok");
  expect((await publishedPosts("tiktok", "ada")).at(-1)).toMatchObject({ kind: "draft", options: { publish_id } });
});
