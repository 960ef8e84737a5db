import { setTimeout as pause } from "node:timers/promises";
import { type Part, planPosts, type PlatformRules } from "./plan.ts";

/** Long enough for pictures and films to be with their platforms before their time. */
const DUE_IN_MS = 20_000;
const PATIENCE_MS = 50_000;
const POLL_MS = 500;

/** One call of the running service; anything but success throws. */
export type Call = <T>(
  method: string,
  path: string,
  options?: { readonly body?: unknown; readonly key?: string },
) => Promise<T>;

interface Target {
  readonly platform: string;
  readonly username: string;
  readonly status: string;
  readonly platform_post_id: string | null;
  readonly platform_post_url: string | null;
  readonly published_at: string | null;
  readonly late_by_ms: number | null;
  readonly error: { readonly message: string } | null;
}

interface Post {
  readonly id: string;
  readonly status: string;
  readonly scheduled_at: string;
  readonly targets: readonly Target[];
}

interface Account {
  readonly id: string;
  readonly platform: string;
  readonly username: string;
  readonly display_name: string;
}

interface BookEntry {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly title: string | null;
  readonly media: readonly { readonly type: string; readonly sha256: string }[];
  readonly accepted_at: string;
}

const OVER = new Set(["published", "partially_failed", "failed"]);

const heading = (text: string): void => console.log(`\n${text}\n${"─".repeat(text.length)}`);
const clock = (instant: string | null): string => instant?.slice(11, 23) ?? "—";

/** Prints a table whose columns are as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows) {
    console.log(
      `  ${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()}`,
    );
  }
}

/** Goes once through the product; false when anything was not as it should be. */
export async function tell(call: Call, origin: string): Promise<boolean> {
  const user = await call<{ api_key: string }>("POST", "/sandbox/users", { body: {} });
  const key = user.api_key;
  const api = <T>(method: string, path: string, body?: unknown): Promise<T> =>
    call<T>(method, `/v1${path}`, { key, ...(body !== undefined && { body }) });

  heading("A user connects the platforms");
  const parts = await connectAll(call, key);

  heading("Preview and confirm");
  const dueAt = new Date(Date.now() + DUE_IN_MS).toISOString();
  const posts: Post[] = [];
  for (const { name, body } of await planPosts(origin, parts, api)) {
    const preview = await api<{
      preview: { targets: { platform: string; caption_length: number; caption_limit: number; caption_unit: string }[] };
      confirmation_token: string;
    }>("POST", "/posts/preview", { ...body, scheduled_at: dueAt });
    console.log(`  ${name}`);
    table(
      preview.preview.targets.map((target) => [
        `  ${target.platform}`,
        `${target.caption_length} of ${target.caption_limit} ${target.caption_unit}`,
      ]),
    );
    const { confirmation_token } = preview;
    const confirmed = await api<{ posts: Post[] }>("POST", "/posts/confirm", { confirmation_token });
    posts.push(...confirmed.posts);
  }

  heading("The calendar");
  const calendar = await api<{
    posts: { scheduled_at: string; status: string; caption: string; platforms: string[] }[];
  }>("GET", "/posts?fields=summary");
  table(
    calendar.posts.map(({ scheduled_at, status, caption, platforms }) => [
      clock(scheduled_at),
      status,
      platforms.join(", "),
      caption.slice(0, 40),
    ]),
  );

  heading(`Waiting for ${clock(dueAt)} UTC`);
  const ends = await Promise.all(posts.map(({ id }) => untilOver(() => api<{ post: Post }>("GET", `/posts/${id}`))));
  const targets = ends.flatMap((post) => post.targets);
  table([
    ["platform", "account", "status", "published", "after its time", "address"],
    ...targets.map((target) => [
      target.platform,
      target.username,
      target.status,
      clock(target.published_at),
      target.late_by_ms === null ? "—" : `${target.late_by_ms} ms`,
      target.platform_post_url ?? target.error?.message ?? "—",
    ]),
  ]);

  heading("What the platforms themselves have");
  const books = await Promise.all(
    [...new Set(targets.map((target) => target.platform))].map((one) => bookOf(call, one)),
  );
  table([
    ["platform", "accepted", "kind", "media", "text"],
    ...books.flatMap(({ platform, posts: entries }) =>
      entries.map((entry) => [
        platform,
        clock(entry.accepted_at),
        entry.kind,
        entry.media.map(({ type, sha256 }) => `${type} ${sha256.slice(0, 8)}`).join(", ") || "—",
        (entry.title ?? entry.text).slice(0, 50),
      ]),
    ),
  ]);
  return judge(targets, books, dueAt);
}

async function connectAll(call: Call, key: string): Promise<Part[]> {
  const { platforms } = await call<{ platforms: PlatformRules[] }>("GET", "/v1/platforms", { key });
  const played = await call<{ platforms: { platform: string }[] }>("GET", "/sandbox/platforms");
  const known = new Set(played.platforms.map(({ platform }) => platform));
  const parts: Part[] = [];
  for (const rules of platforms.filter(({ platform }) => known.has(platform))) {
    const { accounts } = await call<{ accounts: Account[] }>("POST", "/sandbox/connect", {
      body: { api_key: key, platform: rules.platform, login: "ada" },
    });
    const [account] = accounts;
    if (!account) {
      throw new Error(`${rules.platform}: the login has nothing to post to`);
    }
    parts.push({ rules, accountId: account.id });
    console.log(`  ${rules.platform}: ${accounts.map((one) => one.display_name || one.username).join(", ")}`);
  }
  return parts;
}

/** Reads until the post has ended or patience has. */
async function untilOver(read: () => Promise<{ post: Post }>): Promise<Post> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const { post } = await read();
    if (OVER.has(post.status) || Date.now() > deadline) {
      return post;
    }
    await pause(POLL_MS);
  }
}

interface Book {
  readonly platform: string;
  readonly posts: readonly BookEntry[];
}

async function bookOf(call: Call, platform: string): Promise<Book> {
  return { platform, ...(await call<{ posts: BookEntry[] }>("GET", `/sandbox/platforms/${platform}/posts`)) };
}

/** Every target published, never early, and every platform has exactly what the service says it has. */
function judge(targets: readonly Target[], books: readonly Book[], dueAt: string): boolean {
  const wrong: string[] = [];
  for (const target of targets) {
    if (target.status !== "published") {
      wrong.push(`${target.platform} is ${target.status}`);
    }
  }
  for (const { platform, posts } of books) {
    const expected = targets.filter((target) => target.platform === platform).length;
    if (posts.length !== expected) {
      wrong.push(`${platform} has ${posts.length} posts instead of ${expected}`);
    }
    if (posts.some((entry) => entry.accepted_at < dueAt)) {
      wrong.push(`${platform} was early`);
    }
  }
  console.log(
    wrong.length === 0
      ? `\n${targets.length} targets on ${books.length} platforms: each published once, none early.`
      : `\nNot as it should be: ${wrong.join("; ")}.`,
  );
  return wrong.length === 0;
}
