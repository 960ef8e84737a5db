import { sleep } from "../service.ts";
import type { ApiClient, CallOutcome } from "./api-client.ts";
import {
  commentMarker,
  COVER_PLATFORM,
  DOCUMENT_PLATFORM,
  type ExpectedPart,
  type ExpectedPost,
  type ExpectedVersion,
  partMarker,
  STORY_PLATFORMS,
} from "./expected-posts.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { type PostTargets, TargetChooser } from "./choose-targets.ts";
import type { MediaFile, MediaKind } from "./media-kinds.ts";
import { previewTarget, type SandboxUser, takesOption } from "./sandbox-user.ts";
import type { SampleName, UniqueFiles } from "./unique-files.ts";

/** The share of the posts that have a thread, where a platform takes one; each has eight parts, and some parts have media. */
const THREAD_SHARE = 0.12;
/** The media of the parts after the first. */
const PART_KINDS = [
  "text",
  "image",
  "text",
  "carousel",
  "text",
  "text",
  "video",
] as const satisfies readonly MediaKind[];
/** The share of the posts that are scheduled with others by one confirm. */
const BULK_SHARE = 0.1;
const BULK_POSTS = 3;
/** The share of the posts with a first comment, and of the videos that are added to two playlists. */
const COMMENT_SHARE = 0.3;
const PLAYLIST_SHARE = 0.5;
/** The share of the posts with one file that are stories, of the texts with a document, and of the videos with a picture as cover. */
const STORY_SHARE = 0.4;
const DOCUMENT_SHARE = 0.5;
const COVER_SHARE = 0.6;
/** Two of the sandbox's channel of `ada`. */
const PLAYLISTS = ["PLada0000000000000000000_1", "PLada0000000000000000000_2"];

/** The slowest KV of these runs takes longer only if a location has cached that the key is missing. */
const MAX_HIDDEN_MS = 10_000;

const isSuccess = (outcome: CallOutcome): boolean => outcome.answered && outcome.status === 200;

function confirmationOf(outcomes: readonly CallOutcome[]): ExpectedVersion["confirmation"] {
  if (outcomes.some(isSuccess)) {
    return "confirmed";
  }
  return outcomes.some((outcome) => !outcome.answered || outcome.status >= 500) ? "unknown" : "refused";
}

/** Sends one user's traffic: previews, confirms (sometimes three at once), edits and cancels, mostly near the due time. */
export class TrafficGenerator {
  readonly expectedPosts: ExpectedPost[] = [];
  readonly #client: ApiClient;
  readonly #random: SeededRandom;
  readonly #user: SandboxUser;
  readonly #name: string;
  readonly #media: ReadonlyMap<MediaKind, readonly MediaFile[]>;
  readonly #files: UniqueFiles;
  readonly #targets: TargetChooser;
  /** How often previews were refused, by code. A refused preview tests nothing. */
  readonly refusals = new Map<string, number>();
  /** How often a confirm was sent again because its token was not visible yet. */
  hiddenTokens = 0;
  readonly #activeWork = new Set<Promise<void>>();
  #postCount = 0;
  #unconfirmedPosts = 0;

  constructor(
    client: ApiClient,
    random: SeededRandom,
    user: SandboxUser,
    name: string,
    { media, files }: { readonly media: ReadonlyMap<MediaKind, readonly MediaFile[]>; readonly files: UniqueFiles },
  ) {
    this.#client = client;
    this.#random = random;
    this.#user = user;
    this.#name = name;
    this.#media = media;
    this.#files = files;
    this.#targets = new TargetChooser(random, user);
  }

  /** Starts the traffic for one post without waiting for it; `share` is how much of the run is over. */
  startPost(share: number): void {
    const work = this.#runPost(share).finally(() => this.#activeWork.delete(work));
    this.#activeWork.add(work);
  }

  get apiKey(): string {
    return this.#user.apiKey;
  }

  /** Posts whose confirm has no answer yet: the load on the API. */
  get unconfirmedPosts(): number {
    return this.#unconfirmedPosts;
  }

  async waitUntilIdle(): Promise<void> {
    await Promise.all(this.#activeWork);
  }

  #text(marker: string, version: number): string {
    const randomWords = Array.from({ length: 4 }, () => Math.floor(this.#random.next() * 1e9).toString(36));
    return `${marker} v${version} ${randomWords.join(" ")}`;
  }

  /** The parts of a thread after the first, as a preview names them and as they are expected. */
  #newParts(marker: string): readonly { readonly body: object; readonly expected: ExpectedPart }[] {
    return PART_KINDS.map((kind, index) => {
      const text = this.#text(partMarker(marker, index), 1);
      const files = this.#media.get(kind) ?? [];
      const items = files.map(({ url }) => ({ url, type: kind === "video" ? "video" : "image" }));
      return {
        body: { caption: text, ...(items.length > 0 && { media_items: items }) },
        expected: { text, media: files.map(({ sha256 }) => sha256) },
      };
    });
  }

  /** Confirms like our clients: a token that is not visible yet is sent again. The post may be due meanwhile, which is no loss. */
  async #confirmOnce(path: string, token: unknown): Promise<CallOutcome> {
    const body = { confirmation_token: token };
    for (const deadline = Date.now() + MAX_HIDDEN_MS; ;) {
      const outcome = await this.#client.call("POST", path, body, this.#user.apiKey);
      const isHidden = outcome.answered && outcome.body["code"] === "token_not_visible_yet";
      if (!isHidden || Date.now() > deadline) {
        return outcome;
      }
      this.hiddenTokens += 1;
      await sleep(1000);
    }
  }

  async #confirm(path: string, token: unknown): Promise<CallOutcome[]> {
    const times = this.#random.chance(0.3) ? 3 : 1;
    const outcomes = await Promise.all(Array.from({ length: times }, () => this.#confirmOnce(path, token)));
    // After a lost answer the same token is confirmed again: the response tells whether it was used.
    if (!outcomes.some(isSuccess) && outcomes.some((outcome) => !outcome.answered)) {
      await sleep(1500);
      outcomes.push(await this.#confirmOnce(path, token));
    }
    return outcomes;
  }

  async #runPost(share: number): Promise<void> {
    const random = this.#random;
    const targets = this.#targets.choose(share);
    if (!targets) {
      return;
    }
    this.#unconfirmedPosts += 1;
    const created = random.chance(BULK_SHARE) ? this.#createPosts(targets) : this.#createPost(targets);
    const post = await created.finally(() => (this.#unconfirmedPosts -= 1));
    if (!post || post.postId === null) {
      return;
    }
    await Promise.all([
      ...(random.chance(0.35) ? [this.#edit(post)] : []),
      ...(random.chance(0.35) ? [this.#cancel(post)] : []),
    ]);
  }

  /** The files that only this post has: of its stories, its document and the cover of its video. */
  async #ownFiles({ kind, platforms }: PostTargets, marker: string) {
    const random = this.#random;
    const canBe = (share: number, isPossible: boolean) => random.chance(share) && isPossible;
    const hasStories = canBe(
      STORY_SHARE,
      (kind === "image" || kind === "video") && platforms.some((name) => STORY_PLATFORMS.includes(name)),
    );
    const hasDocument = canBe(DOCUMENT_SHARE, kind === "text" && platforms.includes(DOCUMENT_PLATFORM));
    const hasCover = canBe(COVER_SHARE, kind === "video" && platforms.includes(COVER_PLATFORM) && !hasStories);
    const upload = async (isWanted: boolean, name: SampleName) =>
      isWanted ? await this.#files.upload(this.#user.apiKey, name, `${marker} ${name}`) : null;
    const [story, document, cover] = await Promise.all([
      upload(hasStories, kind === "video" ? "landscape.mp4" : "portrait.jpg"),
      upload(hasDocument, "handbook.pdf"),
      upload(hasCover, "portrait.jpg"),
    ]);
    return { story, document: document && { ...document, title: `Handbook ${marker}` }, cover };
  }

  /** A new post as the body of a preview, and what is expected of it. */
  async #newPost(targets: PostTargets): Promise<{ readonly body: object; readonly post: ExpectedPost }> {
    const { kind, platforms } = targets;
    const random = this.#random;
    this.#postCount += 1;
    const marker = `${this.#name}n${this.#postCount}e`;
    const { story, document, cover } = await this.#ownFiles(targets, marker);
    const media = story ? [story] : (this.#media.get(kind) ?? []);
    const storyPlatforms = story ? platforms.filter((platform) => STORY_PLATFORMS.includes(platform)) : [];
    const dueAt = Date.now() + Math.floor(random.between(3500, 11_000));
    const text = this.#text(marker, 1);
    const threadPlatforms = random.chance(THREAD_SHARE)
      ? platforms.filter((platform) => takesOption(this.#user, platform, "thread"))
      : [];
    const commentPlatforms = random.chance(COMMENT_SHARE)
      ? platforms.filter(
          (platform) => takesOption(this.#user, platform, "first_comment") && !storyPlatforms.includes(platform),
        )
      : [];
    const comment = commentPlatforms.length === 0 ? null : this.#text(commentMarker(marker), 1);
    const playlists =
      platforms.some((platform) => takesOption(this.#user, platform, "playlist_ids")) && random.chance(PLAYLIST_SHARE)
        ? PLAYLISTS
        : [];
    const parts = threadPlatforms.length === 0 ? [] : this.#newParts(marker);
    const body = {
      caption: text,
      scheduled_at: new Date(dueAt).toISOString(),
      targets: platforms.map((platform) =>
        previewTarget(this.#user, platform, {
          ...(threadPlatforms.includes(platform) && { thread: parts.map((part) => part.body) }),
          ...(commentPlatforms.includes(platform) && { first_comment: comment }),
          ...(storyPlatforms.includes(platform) && { story: true, fit: "none" }),
          ...(document && platform === DOCUMENT_PLATFORM && { document: { url: document.url, title: document.title } }),
          ...(playlists.length > 0 && takesOption(this.#user, platform, "playlist_ids") && { playlist_ids: playlists }),
        }),
      ),
      ...(media.length > 0 && {
        media_items: media.map(({ url }, index) => mediaItem(url, kind, `${marker} ${index}`, cover)),
      }),
    };
    const post: ExpectedPost = {
      marker,
      apiKey: this.#user.apiKey,
      platforms,
      kind,
      media: media.map(({ sha256 }) => sha256),
      parts: parts.map(({ expected }) => expected),
      threadPlatforms,
      comment,
      commentPlatforms,
      playlists,
      storyPlatforms,
      document: document && { title: document.title, sha256: document.sha256 },
      cover: cover?.sha256 ?? null,
      postId: null,
      versions: [{ text, dueAt, confirmation: "unknown" }],
      cancellation: "none",
      successfulConfirms: 0,
    };
    return { body, post };
  }

  /** Previews and confirms a post; null when the preview was refused. */
  async #createPost(targets: PostTargets): Promise<ExpectedPost | null> {
    const { body, post } = await this.#newPost(targets);
    const preview = await this.#client.call("POST", "/v1/posts/preview", body, this.#user.apiKey);
    if (!preview.answered || preview.status !== 200) {
      this.#countRefusal(preview, targets.kind);
      return null;
    }
    this.expectedPosts.push(post);
    await this.#finishConfirm([post], "/v1/posts/confirm", preview.body["confirmation_token"]);
    return post;
  }

  /** The same for several posts with one confirm; one of them is returned. */
  async #createPosts(targets: PostTargets): Promise<ExpectedPost | null> {
    const several = await Promise.all(Array.from({ length: BULK_POSTS }, () => this.#newPost(targets)));
    const posts = several.map(({ post }) => post);
    const preview = await this.#client.call(
      "POST",
      "/v1/posts/bulk/preview",
      { posts: several.map(({ body }) => body) },
      this.#user.apiKey,
    );
    if (!preview.answered || preview.status !== 200) {
      this.#countRefusal(preview, targets.kind);
      return null;
    }
    this.expectedPosts.push(...posts);
    await this.#finishConfirm(posts, "/v1/posts/bulk/confirm", preview.body["confirmation_token"]);
    return posts[0] ?? null;
  }

  #countRefusal(preview: CallOutcome, kind: MediaKind): void {
    const details = preview.answered
      ? (preview.body["details"] as { code: string; platform?: string }[] | undefined)
      : [];
    const [detail] = details ?? [];
    if (detail?.platform !== undefined && detail.code.startsWith("media_")) {
      this.#targets.exclude(kind, detail.platform);
    }
    const code = preview.answered
      ? `${preview.status} ${kind} ${detail ? `${detail.code} ${detail.platform ?? ""}` : String(preview.body["code"])}`
      : "no answer";
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
  }

  async #finishConfirm(posts: readonly ExpectedPost[], path: string, token: unknown): Promise<void> {
    const outcomes = await this.#confirm(path, token);
    for (const [index, post] of posts.entries()) {
      post.successfulConfirms = outcomes.filter(isSuccess).length;
      for (const outcome of outcomes) {
        if (outcome.answered && outcome.status === 200) {
          post.postId ??= (outcome.body["posts"] as { id: string }[])[index]?.id ?? null;
        } else if (outcome.answered && outcome.body["code"] === "token_already_used") {
          post.postId ??= (outcome.body["post_ids"] as string[] | undefined)?.[index] ?? null;
        }
      }
      const first = post.versions[0];
      if (first) {
        first.confirmation = post.postId === null ? confirmationOf(outcomes) : "confirmed";
      }
    }
  }

  /** Milliseconds until a random time near the due time: within 30 ms of it, within the two seconds in which it is claimed, or earlier. */
  #delayUntilNear(dueAt: number): number {
    const share = this.#random.next();
    const [from, to] = share < 0.4 ? [-30, 30] : share < 0.8 ? [-2000, 0] : [-3000, -2000];
    return Math.max(0, dueAt + this.#random.between(from, to) - Date.now());
  }

  async #edit(post: ExpectedPost): Promise<void> {
    const current = post.versions.at(-1);
    if (!current) {
      return;
    }
    const text = this.#text(post.marker, post.versions.length + 1);
    const delayMs = this.#random.chance(0.4) ? Math.floor(this.#random.between(1000, 5000)) : 0;
    const dueAt = current.dueAt + delayMs;
    const preview = await this.#client.call(
      "POST",
      "/v1/posts/edit/preview",
      { post_ids: [post.postId], caption: text, ...(delayMs > 0 && { scheduled_at: new Date(dueAt).toISOString() }) },
      this.#user.apiKey,
    );
    if (!preview.answered || preview.status !== 200) {
      return;
    }
    await sleep(this.#delayUntilNear(current.dueAt));
    const version: ExpectedVersion = { text, dueAt, confirmation: "unknown" };
    post.versions.push(version);
    const outcomes = await this.#confirm("/v1/posts/edit/confirm", preview.body["confirmation_token"]);
    const used = outcomes.some((outcome) => outcome.answered && outcome.body["code"] === "token_already_used");
    version.confirmation = used ? "confirmed" : confirmationOf(outcomes);
  }

  async #cancel(post: ExpectedPost): Promise<void> {
    const current = post.versions.at(-1);
    await sleep(this.#delayUntilNear(current?.dueAt ?? 0));
    post.cancellation = "unknown";
    const outcome = await this.#client.call("DELETE", `/v1/posts/${post.postId}`, { confirm: true }, this.#user.apiKey);
    post.cancellation = isSuccess(outcome)
      ? "confirmed"
      : outcome.answered && outcome.status < 500
        ? "refused"
        : "unknown";
  }
}

/** A described file; a video has a picture or a moment as its cover. */
function mediaItem(url: string, kind: MediaKind, altText: string, cover: MediaFile | null) {
  return kind === "video"
    ? { url, type: "video", alt_text: altText, cover: cover ? { url: cover.url } : { at_ms: 1000 } }
    : { url, type: "image", alt_text: altText };
}
