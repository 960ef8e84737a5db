import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";
import { DAY, HOUR, toIsoInstant } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import type { Platform } from "#core/platform.ts";
import type { PublishedPost } from "#sandbox/contract.ts";
import { connectInputOf } from "#sandbox/registry.ts";
import { FREE_BOX_HEADER_BYTES, freeBox } from "../../scripts/free-box.ts";
import { concatBytes } from "../media/bytes.ts";
import { sampleBytes } from "../sandbox/sandbox-api.ts";
import { type ApiResponse, callApi } from "../support/call-api.ts";
import { ORIGIN } from "../support/origin.ts";
import { runObjectAlarm } from "../support/object-alarm.ts";
import type { ApiCaller } from "../support/create-caller.ts";

/* Drives a user's journey through the service over HTTP only, except that it sets the clock and fires the alarms. */

/** Sets the clock far ahead, so that no alarm fires by itself, and some days later per test, so that tests share no quota. */
export function useJourneyClock(from: string, daysBetween = 10): void {
  let clock = Date.parse(from);
  beforeEach(() => {
    clock += daysBetween * DAY;
    vi.useFakeTimers({ toFake: ["Date"], now: clock });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

export interface Account {
  readonly id: string;
  readonly platform: Platform;
  readonly platform_account_id: string;
  readonly username: string;
  readonly display_name: string;
  readonly status: string;
  readonly status_reason: string | null;
}

/** Calls the API and throws on any other status. */
export async function callExpecting(
  caller: ApiCaller,
  method: string,
  path: string,
  body?: unknown,
  status = 200,
): Promise<ApiResponse> {
  const response = await callApi(caller, { method, path, ...(body !== undefined && { body }) });
  if (response.status !== status) {
    throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(response.body)}`);
  }
  return response;
}

/** A browser with one cookie jar: sends a request and returns the response without following its redirect. */
function createBrowser(): (url: URL, form?: Record<string, string> | [string, string][]) => Promise<Response> {
  const cookies = new Map<string, string>();
  // Browsers at one address would share its limit.
  const address = crypto.randomUUID();
  return async (url, form) => {
    const response = await exports.default.fetch(
      new Request(url, {
        ...(form && { method: "POST", body: new URLSearchParams(form) }),
        redirect: "manual",
        headers: {
          origin: ORIGIN,
          "cf-connecting-ip": address,
          cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; "),
        },
      }),
    );
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
}

const MAX_REDIRECTS = 5;

/**
 * Requests the connect URL, opens its page, sends its form, selects a login on the platform's page, follows the redirects,
 * chooses every account that the login offers, and syncs the accounts.
 */
export async function connectInBrowser(
  caller: ApiCaller,
  platform: Platform,
  login = "ada",
): Promise<{ readonly accounts: readonly Account[]; readonly lastPage: string }> {
  const { body } = await callExpecting(caller, "POST", "/accounts", { platform });
  const connectUrl = new URL(body.connect_url);
  const browse = createBrowser();
  const startPage = await (await browse(connectUrl)).text();
  if (!startPage.includes("Continue to ")) {
    throw new Error(`the connect page of ${platform} has no form: ${startPage}`);
  }
  const started = await browse(connectUrl, { method: "oauth", ...connectInputOf(platform, login) });
  const platformUrl = new URL(started.headers.get("location") ?? "", connectUrl);
  const consentPage = await (await browse(platformUrl)).text();
  const links = Array.from(
    consentPage.matchAll(/href="(?<query>\?[^"]+)"/g),
    (link) => new URL(link.groups!["query"]!.replaceAll("&amp;", "&"), platformUrl),
  );
  const loginLink = links.find((link) => link.searchParams.get("login") === login);
  if (!loginLink) {
    throw new Error(`the login page of ${platform} does not list "${login}": ${consentPage}`);
  }
  let url = loginLink;
  let lastResponse = await browse(url);
  for (let count = 0; count < MAX_REDIRECTS && lastResponse.headers.has("location"); count += 1) {
    url = new URL(lastResponse.headers.get("location") ?? "", url);
    lastResponse = await browse(url);
  }
  let lastPage = await lastResponse.text();
  const offered = Array.from(lastPage.matchAll(/name="account" value="([^"]*)"/g), ([, id = ""]) => id);
  if (offered.length > 0) {
    lastResponse = await browse(
      url,
      offered.map((id): [string, string] => ["account", id]),
    );
    lastPage = await lastResponse.text();
  }
  if (!lastResponse.ok) {
    throw new Error(`the browser ended at ${lastResponse.status}: ${lastPage}`);
  }
  await callExpecting(caller, "POST", "/accounts/sync");
  return { accounts: await listAccounts(caller, platform), lastPage };
}

export async function listAccounts(caller: ApiCaller, platform: Platform): Promise<readonly Account[]> {
  return (await callExpecting(caller, "GET", `/accounts?platform=${platform}`)).body.accounts;
}

// ---------------------------------------------------------------- media

export interface JourneyFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  jpg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  mp4: "video/mp4",
  pdf: "application/pdf",
};
const contentTypeOf = (name: string): string => CONTENT_TYPES[name.split(".").at(-1) ?? ""] ?? "";

/** So much makes a sample as large as a usual short video. */
function randomFreeBox(): Uint8Array {
  const box = freeBox(80_000);
  crypto.getRandomValues(box.subarray(FREE_BOX_HEADER_BYTES, 1000 + FREE_BOX_HEADER_BYTES));
  return box;
}

/** A sample with unique bytes, where its format allows extra bytes. */
export async function createUniqueFile(name: string): Promise<JourneyFile> {
  const original = await sampleBytes(name);
  const uniqueSuffix = name.endsWith(".mp4")
    ? randomFreeBox()
    : /\.(?:jpg|pdf)$/.test(name)
      ? new TextEncoder().encode(crypto.randomUUID())
      : new Uint8Array();
  const bytes = concatBytes(original, uniqueSuffix);
  return { name, bytes, sha256: await sha256Hex(bytes) };
}

export interface MediaItem {
  readonly url: string;
  readonly type: "image" | "video";
}

/** Uploads a file to the signed URL that the service returns. */
export async function uploadFile(caller: ApiCaller, file: JourneyFile): Promise<MediaItem> {
  return (await uploadAny(caller, file)).media_item;
}

/** Uploads a PDF file; its address is for the option `document`. */
export async function uploadDocument(caller: ApiCaller, file: JourneyFile): Promise<{ readonly url: string }> {
  return (await uploadAny(caller, file)).document;
}

async function uploadAny(caller: ApiCaller, file: JourneyFile) {
  const content_type = contentTypeOf(file.name);
  const { body } = await callExpecting(caller, "POST", "/media/uploads", {
    filename: file.name,
    content_type,
    size_bytes: file.bytes.length,
  });
  const uploaded = await exports.default.fetch(
    new Request(body.upload.url, { method: "PUT", headers: body.upload.headers, body: file.bytes }),
  );
  if (!uploaded.ok) {
    throw new Error(`the upload answered ${uploaded.status}: ${await uploaded.text()}`);
  }
  return body;
}

// ---------------------------------------------------------------- posts

export interface Target {
  readonly account_id: string;
  readonly status: string;
  readonly effective_caption: string;
  readonly platform_options: Readonly<Record<string, unknown>>;
  readonly platform_post_id: string | null;
  readonly platform_post_url: string | null;
  readonly published_at: string | null;
  readonly started_at: string | null;
  readonly error: Readonly<Record<string, unknown>> | null;
  readonly parts: readonly Readonly<Record<string, unknown>>[] | null;
}

export interface Post {
  readonly id: string;
  readonly status: string;
  readonly scheduled_at: string;
  readonly plan_hash: string;
  readonly paused_reason: string | null;
  readonly targets: readonly Target[];
  readonly media_items: readonly { readonly sha256: string }[];
}

const isoInOneHour = (): string => toIsoInstant(Math.ceil(Date.now() / 1000) * 1000 + HOUR);

export async function schedulePost(
  caller: ApiCaller,
  body: Readonly<Record<string, unknown>>,
): Promise<{
  readonly post: Post;
  readonly preview: { readonly plan_hash: string; readonly targets: readonly Target[] };
}> {
  const previewed = await callExpecting(caller, "POST", "/posts/preview", { scheduled_at: isoInOneHour(), ...body });
  const { confirmation_token, preview } = previewed.body;
  const confirmed = await callExpecting(caller, "POST", "/posts/confirm", { confirmation_token });
  await waitUntilArmed(confirmed.body.posts[0].id);
  return { post: confirmed.body.posts[0], preview };
}

/** Previews an edit and confirms it; returns the first post of the preview. */
export async function editPost(caller: ApiCaller, body: Readonly<Record<string, unknown>>) {
  const { body: previewed } = await callExpecting(caller, "POST", "/posts/edit/preview", body);
  await callExpecting(caller, "POST", "/posts/edit/confirm", { confirmation_token: previewed.confirmation_token });
  return previewed.preview.posts[0];
}

/** The object of a post that is due in more than a minute is armed after the response. */
export async function waitUntilArmed(postId: string): Promise<void> {
  while ((await nextAlarm(postId)) === null) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

export async function readPost(caller: ApiCaller, id: string): Promise<Post> {
  return (await callExpecting(caller, "GET", `/posts/${id}`)).body.post;
}

const publisherStub = (postId: string) => env.POSTS.get(env.POSTS.idFromName(postId));

/** When the object of the post wakes; null where it is not armed. */
export const nextAlarm = (postId: string): Promise<number | null> =>
  runInDurableObject(publisherStub(postId), (_, { storage }) => storage.getAlarm());

/** A Durable Object wakes up slightly before the due time and waits; here the clock skips that wait. */
const EARLY_WAKE_MS = 3000;

/** Moves the clock from alarm to alarm until the object's process ends right after a visible call; returns how often it did. */
export async function killAfterCall({ id, scheduled_at }: Pick<Post, "id" | "scheduled_at">): Promise<number> {
  const due = Date.parse(scheduled_at);
  const killed = { count: 0 };
  setFailpointHook((point) => {
    if (point === "commit.after_send") {
      killed.count += 1;
      throw new Error("killed after the visible call");
    }
  });
  for (let round = 0; killed.count === 0 && round < 50; round += 1) {
    const alarm = (await nextAlarm(id))!;
    vi.setSystemTime(Math.max(Date.now(), alarm > due - EARLY_WAKE_MS ? Math.max(due, alarm) : alarm));
    await runObjectAlarm(publisherStub(id));
  }
  setFailpointHook(undefined);
  return killed.count;
}

const MAX_ALARMS = 150;

/** Moves the clock from alarm to alarm until the Durable Objects of these posts, all due at the same time, have no alarm left. */
export async function runAlarmsUntilIdle(posts: readonly Pick<Post, "id" | "scheduled_at">[]): Promise<void> {
  const due = Date.parse(posts[0]?.scheduled_at ?? "");
  for (let round = 0; round < MAX_ALARMS; round += 1) {
    const alarms = await Promise.all(posts.map(async ({ id }) => [id, await nextAlarm(id)] as const));
    const pending = alarms.filter((entry): entry is readonly [string, number] => entry[1] !== null);
    if (pending.length === 0) {
      return;
    }
    const next = Math.min(...pending.map(([, alarm]) => alarm));
    const now = Math.max(Date.now(), next < due && next > due - EARLY_WAKE_MS ? due : next);
    vi.setSystemTime(now);
    await Promise.all(
      pending.filter(([, alarm]) => alarm <= now).map(async ([id]) => runObjectAlarm(publisherStub(id))),
    );
  }
  throw new Error(`alarms are still pending after ${MAX_ALARMS} rounds`);
}

export async function disconnect(caller: ApiCaller, account_id: string): Promise<void> {
  await callExpecting(caller, "DELETE", "/accounts", { account_id, confirm: true });
}

// ---------------------------------------------------------------- the sandbox

const getFromSandbox = async <T>(path: string): Promise<T> =>
  (await exports.default.fetch(`${ORIGIN}/sandbox${path}`)).json<T>();

export const publishedPosts = async (platform: Platform): Promise<readonly PublishedPost[]> =>
  (await getFromSandbox<{ posts: readonly PublishedPost[] }>(`/platforms/${platform}/posts`)).posts;

export interface PlatformCall {
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
}

export const platformCalls = async (platform: Platform, since: number): Promise<readonly PlatformCall[]> =>
  (await getFromSandbox<{ calls: readonly PlatformCall[] }>(`/platforms/${platform}/calls?since=${since}`)).calls;

async function postToSandbox(path: string, body: unknown): Promise<void> {
  const response = await exports.default.fetch(`${ORIGIN}/sandbox${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) {
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  }
}

/** The user revokes the app's access at the platform. */
export const revokeAtPlatform = (platform: Platform, account: string): Promise<void> =>
  postToSandbox(`/platforms/${platform}/revoke`, { account });

/** Runs the cron jobs of one minute. */
export const runCron = (): Promise<void> => postToSandbox("/cron", {});
