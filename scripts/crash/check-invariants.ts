import type { PublishedPost, ApiClient } from "./api-client.ts";
import { sleep } from "./api-client.ts";
import { MAX_TARGETS } from "./choose-targets.ts";
import { MAX_TARGET, MULTI_TARGET } from "./minimums.ts";
import { type ExpectedPost, allowedVersions } from "./expected-posts.ts";

export interface Violation {
  readonly invariant: string;
  readonly marker: string;
  readonly what: string;
}

export interface CrashReport {
  readonly violations: readonly Violation[];
  readonly posts: number;
  readonly accepted: number;
  /** How many were accepted by platform, by media kind and by number of targets of their post. */
  readonly acceptedBy: ReadonlyMap<string, number>;
  readonly states: Readonly<Record<string, number>>;
  readonly unconfirmed: number;
  readonly lateMs: readonly number[];
}

interface TargetView {
  readonly platform: string;
  readonly status: string;
  readonly platform_post_id: string | null;
  readonly next_attempt_at: string | null;
  readonly error: { readonly code: string } | null;
}

interface PostView {
  readonly id: string;
  readonly status: string;
  readonly scheduled_at: string;
  readonly targets: readonly TargetView[];
}

/**
 * A target whose last attempt is younger is being worked on: a call with a video waits up to two minutes for its answer, and an
 * interrupted one is continued half a minute later.
 */
const MAX_ATTEMPT_MS = 200_000;
/**
 * A platform that processes a post is asked again and again, which no attempt records; a video of which nothing is published after
 * ten minutes is sent again.
 */
const MAX_PROCESSING_MS = 660_000;

const TERMINAL = new Set(["published", "partially_failed", "failed", "cancelled"]);

interface AttemptView {
  readonly at: string;
  readonly platform: string;
  readonly step: string;
  readonly outcome: string;
  readonly message: string | null;
}

/**
 * What is known of an open post that makes no progress: its next attempt is overdue or there is none, and the last one was long ago.
 * Null for one that makes progress.
 */
async function describeStalled(client: ApiClient, post: ExpectedPost, view: PostView): Promise<string | null> {
  const now = Date.now();
  const since = now - MAX_ATTEMPT_MS;
  if (view.targets.some(({ next_attempt_at }) => next_attempt_at !== null && Date.parse(next_attempt_at) > since)) {
    return null;
  }
  const answer = await client.callUntilOk("GET", `/v1/posts/${view.id}/attempts`, undefined, post.apiKey);
  const attempts = answer["attempts"] as AttemptView[];
  const isRecent = ({ at, step, outcome }: AttemptView): boolean =>
    Date.parse(at) > (step === "verify" && outcome !== "published" ? now - MAX_PROCESSING_MS : since);
  if (attempts.some(isRecent)) {
    return null;
  }
  const ago = (instant: string): string => `${Math.round((now - Date.parse(instant)) / 1000)} s ago`;
  const targets = view.targets.map(
    ({ platform, status, next_attempt_at }) =>
      `${platform} ${status}${next_attempt_at === null ? "" : `, next attempt ${ago(next_attempt_at)}`}`,
  );
  const history = attempts.map(
    ({ at, platform, step, outcome, message }) => `${platform} ${step} ${outcome} ${ago(at)} ${message ?? ""}`,
  );
  return `${view.id}, due ${ago(view.scheduled_at)}: ${targets.join(", ")}; ${history.join("; ")}`;
}

async function readPost(client: ApiClient, expected: ExpectedPost): Promise<PostView> {
  const { post } = await client.callUntilOk("GET", `/v1/posts/${expected.postId}`, undefined, expected.apiKey);
  return post as PostView;
}

/** Reads the posts until all have ended or `maxWaitMs` is over; runs cron meanwhile, as in production. */
async function readUntilEnded(
  client: ApiClient,
  posts: readonly ExpectedPost[],
  maxWaitMs: number,
): Promise<Map<ExpectedPost, PostView>> {
  const views = new Map<ExpectedPost, PostView>();
  const deadline = Date.now() + maxWaitMs;
  let open = posts.filter((post) => post.postId !== null);
  while (open.length > 0) {
    for (let index = 0; index < open.length; index += 20) {
      await Promise.all(
        open.slice(index, index + 20).map(async (post) => {
          views.set(post, await readPost(client, post));
        }),
      );
    }
    open = open.filter((post) => !TERMINAL.has(views.get(post)?.status ?? ""));
    if (Date.now() > deadline) {
      break;
    }
    if (open.length > 0) {
      await client.call("POST", "/sandbox/cron", {});
      await sleep(2000);
    }
  }
  return views;
}

/** What is published on the platforms, by platform and marker. */
type PublishedPosts = ReadonlyMap<string, readonly PublishedPost[]>;

/** One request per platform reads the published posts of all users. */
export async function readPublishedPosts(client: ApiClient, platforms: readonly string[]): Promise<PublishedPosts> {
  const postsByKey = new Map<string, PublishedPost[]>();
  for (const platform of platforms) {
    for (const post of await client.publishedPosts(platform)) {
      const key = `${platform} ${/^\S+/.exec(post.text)?.[0] ?? ""}`;
      postsByKey.set(key, [...(postsByKey.get(key) ?? []), post]);
    }
  }
  return postsByKey;
}

export const postsWithMarker = (
  publishedPosts: PublishedPosts,
  platform: string,
  { marker }: Pick<ExpectedPost, "marker">,
): readonly PublishedPost[] => publishedPosts.get(`${platform} ${marker}`) ?? [];

/** Violations that show on the platforms at any time: a post twice (I1), after a cancel (I3), with a wrong text (I4), early (I5). */
export function findPlatformViolations(post: ExpectedPost, publishedPosts: PublishedPosts): Violation[] {
  const violations: Violation[] = [];
  const report = (invariant: string, what: string): void => {
    violations.push({ invariant, marker: post.marker, what });
  };
  const allowed = allowedVersions(post);
  for (const platform of post.platforms) {
    const onPlatform = postsWithMarker(publishedPosts, platform, post);
    if (onPlatform.length > 1) {
      report("I1", `${platform} accepted it ${onPlatform.length} times`);
    }
    for (const published of onPlatform) {
      const acceptedAt = Date.parse(published.accepted_at);
      const version = allowed.find((candidate) => candidate.text === published.text);
      if (post.cancellation === "confirmed") {
        report("I3", `${platform} published it although its cancellation was confirmed`);
      }
      if (!version) {
        report("I4", `${platform} holds a text that was not the last confirmed one`);
      } else if (published.media.map(({ sha256 }) => sha256).join() !== post.media.join()) {
        report("I4", `${platform} holds ${published.media.length} media files that are not those confirmed`);
      } else if (acceptedAt < version.dueAt) {
        report("I5", `${platform} accepted it ${version.dueAt - acceptedAt} ms early`);
      }
    }
  }
  return violations;
}

/** What a run must have seen of each: the platform, the kind of media, several targets and the most targets. */
const groupsOf = ({ kind, platforms }: ExpectedPost, platform: string): string[] => [
  platform,
  kind,
  ...(platforms.length > 1 ? [MULTI_TARGET] : []),
  ...(platforms.length === MAX_TARGETS ? [MAX_TARGET] : []),
];

/** Compares what is published on the platforms with what the API says and what the callers were told. */
export async function checkInvariants(
  client: ApiClient,
  posts: readonly ExpectedPost[],
  platforms: readonly string[],
  maxWaitMs: number,
): Promise<CrashReport> {
  const views = await readUntilEnded(client, posts, maxWaitMs);
  const publishedPosts = await readPublishedPosts(client, platforms);
  const violations: Violation[] = [];
  const states: Record<string, number> = {};
  const lateMs: number[] = [];
  const acceptedBy = new Map<string, number>();
  let accepted = 0;
  let unconfirmed = 0;
  for (const post of posts) {
    const report = (invariant: string, what: string): void => {
      violations.push({ invariant, marker: post.marker, what });
    };
    const view = views.get(post);
    if (post.successfulConfirms > 1) {
      report("I7", `${post.successfulConfirms} confirms of one token answered 200`);
    }
    states[view?.status ?? "never confirmed"] = (states[view?.status ?? "never confirmed"] ?? 0) + 1;
    const stalled = view && !TERMINAL.has(view.status) ? await describeStalled(client, post, view) : null;
    if (stalled !== null) {
      report("I2", `still ${view?.status} (${stalled})`);
    }
    if (view && view.targets.length !== post.platforms.length) {
      report("I8", `${view.targets.length} targets instead of ${post.platforms.length}`);
    }
    violations.push(...findPlatformViolations(post, publishedPosts));
    const allowed = allowedVersions(post);
    for (const platform of post.platforms) {
      const onPlatform = postsWithMarker(publishedPosts, platform, post);
      accepted += onPlatform.length;
      for (const group of onPlatform.length > 0 ? groupsOf(post, platform) : []) {
        acceptedBy.set(group, (acceptedBy.get(group) ?? 0) + 1);
      }
      const target = view?.targets.find((candidate) => candidate.platform === platform);
      unconfirmed += target?.status === "unconfirmed" ? 1 : 0;
      for (const published of onPlatform) {
        const version = allowed.find((candidate) => candidate.text === published.text);
        lateMs.push(...(version ? [Date.parse(published.accepted_at) - version.dueAt] : []));
      }
      if (target?.status === "published" && !onPlatform.some((published) => published.id === target.platform_post_id)) {
        report("I6", `${platform} did not publish ${target.platform_post_id}, which the API reports as published`);
      }
      if (target?.status === "failed" && onPlatform.length > 0) {
        report("I6", `${platform} holds it, although the API reports failed (${target.error?.code})`);
      }
    }
  }
  return {
    violations,
    posts: views.size,
    accepted,
    acceptedBy,
    states,
    unconfirmed,
    lateMs: lateMs.toSorted((a, b) => a - b),
  };
}
