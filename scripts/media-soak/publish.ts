import { call, sleep } from "../service.ts";

const DUE_IN_MS = 15_000;
const POLL_MS = 2000;
const TIMEOUT_MS = 20 * 60_000;

interface Post {
  readonly id: string;
  readonly status: string;
  readonly targets: readonly { readonly error: { readonly message: string } | null }[];
}

export interface SoakServices {
  readonly origin: string;
  /** Origin of the process that simulates the platforms. */
  readonly platformsOrigin: string;
  readonly apiKey: string;
}

/** Publishes a stored video to one platform; returns the hash of the file that the platform received. */
export async function publish(
  { origin, platformsOrigin, apiKey }: SoakServices,
  platform: string,
  mediaUrl: string,
): Promise<string> {
  const api = <T>(method: string, path: string, body?: unknown) =>
    call<T>(origin, method, path, { key: apiKey, ...(body !== undefined && { body }) });
  const { accounts } = await api<{ accounts: { id: string }[] }>("POST", "/sandbox/connect", {
    api_key: apiKey,
    platform,
    login: "ada",
  });
  const { confirmation_token } = await api<{ confirmation_token: string }>("POST", "/v1/posts/preview", {
    // Platforms refuse a repeated text as a duplicate.
    caption: `A very large video, ${crypto.randomUUID()}`,
    scheduled_at: new Date(Date.now() + DUE_IN_MS).toISOString(),
    targets: [
      {
        account_id: accounts[0]?.id,
        ...(platform === "youtube" && { platform_options: { title: "A very large video" } }),
      },
    ],
    media_urls: [mediaUrl],
  });
  const { posts } = await api<{ posts: Post[] }>("POST", "/v1/posts/confirm", { confirmation_token });
  let post = posts[0] as Post;
  for (
    const deadline = Date.now() + TIMEOUT_MS;
    ["scheduled", "publishing"].includes(post.status) && Date.now() < deadline;
  ) {
    await sleep(POLL_MS);
    ({ post } = await api<{ post: Post }>("GET", `/v1/posts/${post.id}`));
  }
  if (post.status !== "published") {
    return `${post.status}: ${post.targets[0]?.error?.message ?? "no reason given"}`;
  }
  const published = await call<{ posts: { media: { sha256: string }[] }[] }>(
    platformsOrigin,
    "GET",
    `/sandbox/platforms/${platform}/posts`,
  );
  return published.posts.at(-1)?.media[0]?.sha256 ?? "the published post has no media";
}
