import { exports } from "cloudflare:workers";
import type { BookEntry, SimSettings } from "#sandbox/contract.ts";

/* A person's or a test's hands on the sandbox, over HTTP alone. */

export const ORIGIN = "http://localhost:8787";

export const app = (path: string, init?: RequestInit): Promise<Response> =>
  exports.default.fetch(new Request(ORIGIN + path, { redirect: "manual", ...init }));

export const post = (path: string, body: unknown): Promise<Response> =>
  app(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

export const settings = async (
  platform: string,
  change: Partial<SimSettings> | Record<string, unknown>,
): Promise<void> => {
  const answer = await post(`/sandbox/platforms/${platform}/settings`, change);
  if (!answer.ok) {
    throw new Error(await answer.text());
  }
};

export const fault = (platform: string, plan: unknown): Promise<Response> =>
  post(`/sandbox/platforms/${platform}/faults`, plan);

export const bookOf = async (platform: string, account = ""): Promise<BookEntry[]> => {
  const answer = await app(`/sandbox/platforms/${platform}/posts${account && `?account=${account}`}`);
  return (await answer.json<{ posts: BookEntry[] }>()).posts;
};

export const sample = async (name: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await (await app(`/sandbox/media/${name}`)).arrayBuffer());
