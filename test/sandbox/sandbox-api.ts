import { exports } from "cloudflare:workers";
import type { PublishedPost, SimulatorSettings } from "#sandbox/contract.ts";

/* The routes under /sandbox as tests call them, over HTTP. */

export const ORIGIN = "http://localhost:8787";

export const fetchApp = (path: string, init?: RequestInit): Promise<Response> =>
  exports.default.fetch(new Request(ORIGIN + path, { redirect: "manual", ...init }));

export const postJson = (path: string, body: unknown): Promise<Response> =>
  fetchApp(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

export const changeSettings = async (
  platform: string,
  settings: Partial<SimulatorSettings> | Record<string, unknown>,
): Promise<void> => {
  const response = await postJson(`/sandbox/platforms/${platform}/settings`, settings);
  if (!response.ok) {
    throw new Error(await response.text());
  }
};

export const injectFault = (platform: string, fault: unknown): Promise<Response> =>
  postJson(`/sandbox/platforms/${platform}/faults`, fault);

export const publishedPosts = async (platform: string, account = ""): Promise<PublishedPost[]> => {
  const response = await fetchApp(`/sandbox/platforms/${platform}/posts${account && `?account=${account}`}`);
  return (await response.json<{ posts: PublishedPost[] }>()).posts;
};

export const sampleBytes = async (name: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await (await fetchApp(`/sandbox/media/${name}`)).arrayBuffer());
