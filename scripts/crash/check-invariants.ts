import { sleep } from "../service.ts";
import type { ApiClient } from "./api-client.ts";
import { findInventedFiles, formatProblem } from "./check-formats.ts";
import { postsWithMarker, type PublishedPosts, publishedOf, readPublishedPosts } from "./published-posts.ts";
import { type ExpectedPost, partMarker, publishedVersion } from "./expected-posts.ts";
import { findExtraViolations, readPublishedExtras, type TargetExtras } from "./check-extras.ts";
import { groupsOf } from "./count-groups.ts";

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
  readonly platform_post_url: string | null;
  readonly next_attempt_at: string | null;
  readonly error: { readonly code: string } | null;
  readonly extras: TargetExtras;
  readonly parts: readonly { readonly status: string; readonly platform_post_id: string | null }[] | null;
}

interface PostView {
  readonly id: string;
  readonly status: string;
  readonly scheduled_at: string;
  readonly targets: readonly TargetView[];
}

/**
 * A target whose last attempt is younger than this is still in progress: a call with a video waits up to two minutes for its
 * answer, and the service continues an interrupted one after half a minute.
 */
const MAX_ATTEMPT_MS = 200_000;
/**
 * The service polls a platform that processes a post, and records no attempt for that. It sends a video again if nothing is
 * published after ten minutes.
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
 * Describes an open post that makes no progress: its next attempt is overdue or missing, and the last one was long ago. Null for a
 * post that makes progress.
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

/** Violations that show on the platforms at any time: a post twice (I1), after a cancel (I3), with a wrong text (I4), early (I5). */
export function findPlatformViolations(post: ExpectedPost, publishedPosts: PublishedPosts): Violation[] {
  const violations: Violation[] = [];
  const report = (invariant: string, what: string): void => {
    violations.push({ invariant, marker: post.marker, what });
  };
  for (const platform of post.platforms) {
    const onPlatform = publishedOf(publishedPosts, platform, post);
    if (post.storyPlatforms.includes(platform) && postsWithMarker(publishedPosts, platform, post).length > 0) {
      report("I4", `${platform} holds it with its text, and not as a story`);
    }
    if (onPlatform.length > 1) {
      report("I1", `${platform} accepted it ${onPlatform.length} times`);
    }
    for (const published of onPlatform) {
      const acceptedAt = Date.parse(published.accepted_at);
      const version = publishedVersion(post, platform, published.text);
      const problem = formatProblem(post, platform, published);
      if (post.cancellation === "confirmed") {
        report("I3", `${platform} published it although its cancellation was confirmed`);
      }
      if (!version) {
        report("I4", `${platform} holds a text that was not the last confirmed one`);
      } else if (problem !== null) {
        report("I4", problem);
      } else if (acceptedAt < version.dueAt) {
        report("I5", `${platform} accepted it ${version.dueAt - acceptedAt} ms early`);
      }
    }
    if (post.threadPlatforms.includes(platform)) {
      violations.push(...findPartViolations(post, platform, publishedPosts));
    }
  }
  return violations;
}

/** Violations of the parts of a thread after the first: one twice (I1), after a cancel (I3), with a wrong text or other media (I4), or without the one before (I14). */
function findPartViolations(post: ExpectedPost, platform: string, publishedPosts: PublishedPosts): Violation[] {
  const violations: Violation[] = [];
  const report = (invariant: string, what: string): void => {
    violations.push({ invariant, marker: post.marker, what });
  };
  let hasBefore = postsWithMarker(publishedPosts, platform, post).length > 0;
  for (const [index, { text, media }] of post.parts.entries()) {
    const onPlatform = partsOf(post, platform, publishedPosts, index);
    const name = `part ${index + 2} of its thread`;
    if (onPlatform.length > 1) {
      report("I1", `${platform} accepted ${name} ${onPlatform.length} times`);
    }
    if (onPlatform.length > 0 && post.cancellation === "confirmed") {
      report("I3", `${platform} published ${name} although its cancellation was confirmed`);
    }
    if (onPlatform.some((published) => published.text !== text)) {
      report("I4", `${platform} holds another text as ${name}`);
    }
    if (onPlatform.some((published) => published.media.map(({ sha256 }) => sha256).join() !== media.join())) {
      report("I4", `${platform} holds ${name} with media files that are not those confirmed`);
    }
    if (onPlatform.length > 0 && !hasBefore) {
      report("I14", `${platform} holds ${name} without the one before`);
    }
    hasBefore = onPlatform.length > 0;
  }
  return violations;
}

const partsOf = (post: ExpectedPost, platform: string, publishedPosts: PublishedPosts, index: number) =>
  postsWithMarker(publishedPosts, platform, { marker: partMarker(post.marker, index) });

/**
 * Whether a target that the API reports as published names its post. After a lost answer Instagram may only say that it published
 * the container, if several stories of an account look alike: the API then has the id of the container and no URL.
 */
export function isReportedTruly(
  post: ExpectedPost,
  {
    platform,
    platform_post_id,
    platform_post_url,
  }: Pick<TargetView, "platform" | "platform_post_id" | "platform_post_url">,
  publishedPosts: PublishedPosts,
): boolean {
  const onPlatform = publishedOf(publishedPosts, platform, post);
  if (platform !== "instagram" || !post.storyPlatforms.includes(platform) || platform_post_url !== null) {
    return onPlatform.some(({ id }) => id === platform_post_id);
  }
  const others = [...publishedPosts.values()].flat().filter((published) => !onPlatform.includes(published));
  return onPlatform.length > 0 && others.every(({ id }) => id !== platform_post_id);
}

/** Parts that the API reports as published and the platform does not have (I6), and the other way round where the target has ended. */
function findUntruePart(
  post: ExpectedPost,
  { platform, status, parts }: TargetView,
  publishedPosts: PublishedPosts,
): string | null {
  for (const index of post.parts.keys()) {
    const told = parts?.[index + 1];
    const onPlatform = partsOf(post, platform, publishedPosts, index);
    if (told?.status === "published" && !onPlatform.some(({ id }) => id === told.platform_post_id)) {
      return `${platform} does not have part ${index + 2}, which the API reports as published`;
    }
    if (onPlatform.length > 0 && told?.status !== "published" && (status === "published" || status === "failed")) {
      return `${platform} has part ${index + 2}, which the API reports as ${told?.status}`;
    }
  }
  return null;
}

/** Compares what is published on the platforms with what the API says and what the callers were told. */
export async function checkInvariants(
  client: ApiClient,
  posts: readonly ExpectedPost[],
  platforms: readonly string[],
  maxWaitMs: number,
): Promise<CrashReport> {
  const views = await readUntilEnded(client, posts, maxWaitMs);
  const publishedPosts = await readPublishedPosts(client, platforms);
  const publishedExtras = await readPublishedExtras(client, platforms);
  const atPlatforms = { posts: publishedPosts, extras: publishedExtras };
  const violations: Violation[] = findInventedFiles(posts, atPlatforms);
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
    for (const platform of post.platforms) {
      const onPlatform = publishedOf(publishedPosts, platform, post);
      accepted += onPlatform.length;
      for (const group of onPlatform.length > 0 ? groupsOf(post, platform, onPlatform, publishedExtras) : []) {
        acceptedBy.set(group, (acceptedBy.get(group) ?? 0) + 1);
      }
      const target = view?.targets.find((candidate) => candidate.platform === platform);
      unconfirmed += target?.status === "unconfirmed" ? 1 : 0;
      for (const published of onPlatform) {
        const version = publishedVersion(post, platform, published.text);
        lateMs.push(...(version ? [Date.parse(published.accepted_at) - version.dueAt] : []));
      }
      if (target?.status === "published" && !isReportedTruly(post, target, publishedPosts)) {
        report("I6", `${platform} did not publish ${target.platform_post_id}, which the API reports as published`);
      }
      const untruePart =
        target && post.threadPlatforms.includes(platform) ? findUntruePart(post, target, publishedPosts) : null;
      violations.push(...findExtraViolations(post, platform, target, atPlatforms));
      if (untruePart !== null) {
        report("I6", untruePart);
      }
      if (target?.status === "failed" && target.error?.code !== "thread_incomplete" && onPlatform.length > 0) {
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
