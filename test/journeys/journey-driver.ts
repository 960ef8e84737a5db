import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";
import { DAY, HOUR, toInstant } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import type { Platform } from "#core/platform.ts";
import type { BookEntry } from "#sandbox/contract.ts";
import { joined } from "../media/bytes.ts";
import { sample, settings } from "../sandbox/help.ts";
import { type Answer, call } from "../support/call.ts";
import { ORIGIN } from "../support/origin.ts";
import type { Caller } from "../support/user.ts";

/* What a person and a program do with the service, over HTTP alone. Only the clock and the alarms are moved by hand. */

/** Far enough ahead that no alarm fires by itself; days apart, so that no journey uses up another one's quota. */
export function journeysApart(from: string): void {
  let clock = Date.parse(from);
  beforeEach(async () => {
    clock += 10 * DAY;
    vi.useFakeTimers({ toFake: ["Date"], now: clock });
    await settings("linkedin", { version_months: 1200 });
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

async function api(caller: Caller, method: string, path: string, body?: unknown, status = 200): Promise<Answer> {
  const answer = await call(caller, { method, path, ...(body !== undefined && { body }) });
  if (answer.status !== status) {
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
  return answer;
}

/** Asks for the connect URL, opens it, picks a login on the platform's page, comes back, syncs. */
export async function connectInBrowser(
  caller: Caller,
  platform: Platform,
  login = "ada",
): Promise<{ readonly accounts: readonly Account[]; readonly lastPage: string }> {
  const { body } = await api(caller, "POST", "/accounts", { platform });
  const entrance = new URL(body.connect_url);
  const consent = await (await exports.default.fetch(entrance)).text();
  const links = Array.from(
    consent.matchAll(/href="(?<query>\?[^"]+)"/g),
    (link) => new URL(link.groups!["query"]!.replaceAll("&amp;", "&"), entrance),
  );
  const choice = links.find((link) => link.searchParams.get("login") === login);
  if (!choice) {
    throw new Error(`the page of ${platform} offers no "${login}": ${consent}`);
  }
  const end = await exports.default.fetch(choice);
  const lastPage = await end.text();
  if (!end.ok) {
    throw new Error(`the browser ended at ${end.status}: ${lastPage}`);
  }
  await api(caller, "POST", "/accounts/sync");
  return { accounts: await accountsOf(caller, platform), lastPage };
}

export async function accountsOf(caller: Caller, platform: Platform): Promise<readonly Account[]> {
  return (await api(caller, "GET", `/accounts?platform=${platform}`)).body.accounts;
}

// ---------------------------------------------------------------- media

export interface File {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
}

const TYPES: Readonly<Record<string, string>> = {
  jpg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
  mp4: "video/mp4",
};
const typeOf = (name: string): string => TYPES[name.split(".").at(-1) ?? ""] ?? "";

/** Bytes that a film may carry along and no player reads; the whole is then as long as short films usually are. */
function freeBox(size: number): Uint8Array {
  const box = new Uint8Array(size);
  new DataView(box.buffer).setUint32(0, size);
  box.set(new TextEncoder().encode("free"), 4);
  crypto.getRandomValues(box.subarray(8, 1008));
  return box;
}

/** A true file that nobody has had before, where its format lets it carry something of its own. */
export async function freshFile(name: string): Promise<File> {
  const original = await sample(name);
  const own = name.endsWith(".mp4")
    ? freeBox(80_000)
    : name.endsWith(".jpg")
      ? new TextEncoder().encode(crypto.randomUUID())
      : new Uint8Array();
  const bytes = joined(original, own);
  return { name, bytes, sha256: await sha256Hex(bytes) };
}

export interface MediaItem {
  readonly url: string;
  readonly type: "image" | "video";
}

/** Sends a file to the signed address it is given. */
export async function upload(caller: Caller, file: File): Promise<MediaItem> {
  const content_type = typeOf(file.name);
  const { body } = await api(caller, "POST", "/media/uploads", {
    filename: file.name,
    content_type,
    size_bytes: file.bytes.length,
  });
  const sent = await exports.default.fetch(
    new Request(body.upload.url, { method: "PUT", headers: body.upload.headers, body: file.bytes }),
  );
  if (!sent.ok) {
    throw new Error(`the upload answered ${sent.status}: ${await sent.text()}`);
  }
  return body.media_item;
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

const inAnHour = (): string => toInstant(Math.ceil(Date.now() / 1000) * 1000 + HOUR);

export async function schedule(
  caller: Caller,
  body: Readonly<Record<string, unknown>>,
): Promise<{
  readonly post: Post;
  readonly preview: { readonly plan_hash: string; readonly targets: readonly Target[] };
}> {
  const previewed = await api(caller, "POST", "/posts/preview", { scheduled_at: inAnHour(), ...body });
  const { confirmation_token, preview } = previewed.body;
  const confirmed = await api(caller, "POST", "/posts/confirm", { confirmation_token });
  return { post: confirmed.body.posts[0], preview };
}

export async function readPost(caller: Caller, id: string): Promise<Post> {
  return (await api(caller, "GET", `/posts/${id}`)).body.post;
}

const objectOf = (postId: string) => env.POSTS.get(env.POSTS.idFromName(postId));

const nextAlarm = (postId: string): Promise<number | null> =>
  runInDurableObject(objectOf(postId), (_, { storage }) => storage.getAlarm());

const MOST_ALARMS = 150;
/** Objects wake up a little early and then wait for the instant; here time jumps over the waiting. */
const EARLY_MS = 3000;

/** Lets time pass from alarm to alarm until the objects of these posts, due at one instant, have nothing left to do. */
export async function letTimePass(posts: readonly Pick<Post, "id" | "scheduled_at">[]): Promise<void> {
  const due = Date.parse(posts[0]?.scheduled_at ?? "");
  for (let turn = 0; turn < MOST_ALARMS; turn += 1) {
    const alarms = await Promise.all(posts.map(async ({ id }) => [id, await nextAlarm(id)] as const));
    const set = alarms.filter((entry): entry is readonly [string, number] => entry[1] !== null);
    if (set.length === 0) {
      return;
    }
    const next = Math.min(...set.map(([, alarm]) => alarm));
    const at = Math.max(Date.now(), next < due && next > due - EARLY_MS ? due : next);
    vi.setSystemTime(at);
    await Promise.all(set.filter(([, alarm]) => alarm <= at).map(async ([id]) => runDurableObjectAlarm(objectOf(id))));
  }
  throw new Error(`after ${MOST_ALARMS} alarms there is no end in sight`);
}

export async function disconnect(caller: Caller, account_id: string): Promise<void> {
  await api(caller, "DELETE", "/accounts", { account_id, confirm: true });
}

// ---------------------------------------------------------------- the platform's side

const sandbox = async <T>(path: string): Promise<T> =>
  (await exports.default.fetch(`${ORIGIN}/sandbox${path}`)).json<T>();

export const bookOf = async (platform: Platform): Promise<readonly BookEntry[]> =>
  (await sandbox<{ posts: readonly BookEntry[] }>(`/platforms/${platform}/posts`)).posts;

export interface PlatformCall {
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
}

export const callsTo = async (platform: Platform, since: number): Promise<readonly PlatformCall[]> =>
  (await sandbox<{ calls: readonly PlatformCall[] }>(`/platforms/${platform}/calls?since=${since}`)).calls;

async function tell(path: string, body: unknown): Promise<void> {
  const answer = await exports.default.fetch(`${ORIGIN}/sandbox${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) {
    throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  }
}

/** The person withdraws the app at the platform. */
export const withdrawAt = (platform: Platform, account: string): Promise<void> =>
  tell(`/platforms/${platform}/revoke`, { account });

/** What happens once a minute. */
export const runCron = (): Promise<void> => tell("/cron", {});
