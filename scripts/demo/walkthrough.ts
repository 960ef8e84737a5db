import { setTimeout as sleep } from "node:timers/promises";
import { type ConnectedPlatform, createExamplePosts, type PlatformRules } from "./example-posts.ts";

/** Long enough to prepare images and videos at the platforms before the due time. */
const DUE_IN_MS = 20_000;
const TIMEOUT_MS = 50_000;
const POLL_MS = 500;

/** Calls the running service; throws unless the call succeeds. */
export type ServiceCall = <T>(
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

interface PublishedPost {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly title: string | null;
  readonly media: readonly { readonly type: string; readonly sha256: string }[];
  readonly accepted_at: string;
}

const FINAL_STATUSES = new Set(["published", "partially_failed", "failed"]);

const printHeading = (text: string): void => console.log(`\n${text}\n${"─".repeat(text.length)}`);
const timeOfDay = (instant: string | null): string => instant?.slice(11, 23) ?? "—";

/** Prints a table whose columns are as wide as their widest cell. */
function printTable(rows: readonly (readonly string[])[]): void {
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

/** Runs through the main features of the product; false if a result is wrong. */
export async function runWalkthrough(call: ServiceCall, origin: string): Promise<boolean> {
  const user = await call<{ api_key: string }>("POST", "/sandbox/users", { body: {} });
  const key = user.api_key;
  const api = <T>(method: string, path: string, body?: unknown): Promise<T> =>
    call<T>(method, `/v1${path}`, { key, ...(body !== undefined && { body }) });

  printHeading("A user connects the platforms");
  const connected = await connectAll(call, key);

  printHeading("Preview and confirm");
  const dueAt = new Date(Date.now() + DUE_IN_MS).toISOString();
  const posts: Post[] = [];
  for (const { name, body } of await createExamplePosts(origin, connected, api)) {
    const preview = await api<{
      preview: { targets: { platform: string; caption_length: number; caption_limit: number; caption_unit: string }[] };
      confirmation_token: string;
    }>("POST", "/posts/preview", { ...body, scheduled_at: dueAt });
    console.log(`  ${name}`);
    printTable(
      preview.preview.targets.map((target) => [
        `  ${target.platform}`,
        `${target.caption_length} of ${target.caption_limit} ${target.caption_unit}`,
      ]),
    );
    const { confirmation_token } = preview;
    const confirmed = await api<{ posts: Post[] }>("POST", "/posts/confirm", { confirmation_token });
    posts.push(...confirmed.posts);
  }

  printHeading("Scheduled posts");
  const scheduled = await api<{
    posts: { scheduled_at: string; status: string; caption: string; platforms: string[] }[];
  }>("GET", "/posts?fields=summary");
  printTable(
    scheduled.posts.map(({ scheduled_at, status, caption, platforms }) => [
      timeOfDay(scheduled_at),
      status,
      platforms.join(", "),
      caption.slice(0, 40),
    ]),
  );

  printHeading(`Waiting for ${timeOfDay(dueAt)} UTC`);
  const finishedPosts = await Promise.all(
    posts.map(({ id }) => waitUntilFinished(() => api<{ post: Post }>("GET", `/posts/${id}`))),
  );
  const targets = finishedPosts.flatMap((post) => post.targets);
  printTable([
    ["platform", "account", "status", "published", "delay", "URL"],
    ...targets.map((target) => [
      target.platform,
      target.username,
      target.status,
      timeOfDay(target.published_at),
      target.late_by_ms === null ? "—" : `${target.late_by_ms} ms`,
      target.platform_post_url ?? target.error?.message ?? "—",
    ]),
  ]);

  printHeading("Posts at the platforms");
  const publishedPosts = await Promise.all(
    [...new Set(targets.map((target) => target.platform))].map((platform) => readPublishedPosts(call, platform)),
  );
  printTable([
    ["platform", "accepted", "kind", "media", "text"],
    ...publishedPosts.flatMap(({ platform, posts: platformPosts }) =>
      platformPosts.map((post) => [
        platform,
        timeOfDay(post.accepted_at),
        post.kind,
        post.media.map(({ type, sha256 }) => `${type} ${sha256.slice(0, 8)}`).join(", ") || "—",
        (post.title ?? post.text).slice(0, 50),
      ]),
    ),
  ]);
  return checkResults(targets, publishedPosts, dueAt);
}

async function connectAll(call: ServiceCall, key: string): Promise<ConnectedPlatform[]> {
  const { platforms } = await call<{ platforms: PlatformRules[] }>("GET", "/v1/platforms", { key });
  const simulated = await call<{ platforms: { platform: string }[] }>("GET", "/sandbox/platforms");
  const known = new Set(simulated.platforms.map(({ platform }) => platform));
  const connected: ConnectedPlatform[] = [];
  for (const rules of platforms.filter(({ platform }) => known.has(platform))) {
    const { accounts } = await call<{ accounts: Account[] }>("POST", "/sandbox/connect", {
      body: { api_key: key, platform: rules.platform, login: "ada" },
    });
    const [account] = accounts;
    if (!account) {
      throw new Error(`${rules.platform}: the login has no account`);
    }
    connected.push({ rules, accountId: account.id });
    console.log(
      `  ${rules.platform}: ${accounts.map((account) => account.display_name || account.username).join(", ")}`,
    );
  }
  return connected;
}

/** Reads the post until it is finished or the timeout has passed. */
async function waitUntilFinished(read: () => Promise<{ post: Post }>): Promise<Post> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const { post } = await read();
    if (FINAL_STATUSES.has(post.status) || Date.now() > deadline) {
      return post;
    }
    await sleep(POLL_MS);
  }
}

interface PlatformPosts {
  readonly platform: string;
  readonly posts: readonly PublishedPost[];
}

async function readPublishedPosts(call: ServiceCall, platform: string): Promise<PlatformPosts> {
  return { platform, ...(await call<{ posts: PublishedPost[] }>("GET", `/sandbox/platforms/${platform}/posts`)) };
}

/** Checks that every target is published, that no post was early, and that each platform has exactly the expected posts. */
function checkResults(targets: readonly Target[], publishedPosts: readonly PlatformPosts[], dueAt: string): boolean {
  const problems: string[] = [];
  for (const target of targets) {
    if (target.status !== "published") {
      problems.push(`${target.platform} is ${target.status}`);
    }
  }
  for (const { platform, posts } of publishedPosts) {
    const expected = targets.filter((target) => target.platform === platform).length;
    if (posts.length !== expected) {
      problems.push(`${platform} has ${posts.length} posts instead of ${expected}`);
    }
    if (posts.some((post) => post.accepted_at < dueAt)) {
      problems.push(`${platform} published before the due time`);
    }
  }
  console.log(
    problems.length === 0
      ? `\n${targets.length} targets on ${publishedPosts.length} platforms: each published once, none early.`
      : `\nProblems: ${problems.join("; ")}.`,
  );
  return problems.length === 0;
}
