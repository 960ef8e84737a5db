import type { ApiClient, CallOutcome } from "./api-client.ts";
import { sleep } from "./api-client.ts";
import type { ExpectedPost, ExpectedVersion } from "./expected-posts.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { type PostTargets, TargetChooser } from "./choose-targets.ts";
import type { MediaFile, MediaKind } from "./media-kinds.ts";
import { previewTarget, type SandboxUser } from "./sandbox-user.ts";

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
  readonly #targets: TargetChooser;
  /** How often a preview was refused, by code: what was refused tested nothing. */
  readonly refusals = new Map<string, number>();
  readonly #activeWork = new Set<Promise<void>>();
  #postCount = 0;
  #unconfirmedPosts = 0;

  constructor(
    client: ApiClient,
    random: SeededRandom,
    user: SandboxUser,
    name: string,
    media: ReadonlyMap<MediaKind, readonly MediaFile[]>,
  ) {
    this.#client = client;
    this.#random = random;
    this.#user = user;
    this.#name = name;
    this.#media = media;
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

  async #confirm(path: string, token: unknown): Promise<CallOutcome[]> {
    const times = this.#random.chance(0.3) ? 3 : 1;
    const body = { confirmation_token: token };
    const outcomes = await Promise.all(
      Array.from({ length: times }, () => this.#client.call("POST", path, body, this.#user.apiKey)),
    );
    // After a lost answer the same token is confirmed again: the response tells whether it was used.
    if (!outcomes.some(isSuccess) && outcomes.some((outcome) => !outcome.answered)) {
      await sleep(1500);
      outcomes.push(await this.#client.call("POST", path, body, this.#user.apiKey));
    }
    return outcomes;
  }

  async #runPost(share: number): Promise<void> {
    const random = this.#random;
    const targets = this.#targets.choose(share);
    if (!targets) {
      return;
    }
    this.#postCount += 1;
    const marker = `${this.#name}n${this.#postCount}e`;
    this.#unconfirmedPosts += 1;
    const post = await this.#createPost(marker, targets).finally(() => (this.#unconfirmedPosts -= 1));
    if (!post || post.postId === null) {
      return;
    }
    await Promise.all([
      ...(random.chance(0.35) ? [this.#edit(post)] : []),
      ...(random.chance(0.35) ? [this.#cancel(post)] : []),
    ]);
  }

  /** Previews and confirms a post; null when the preview was refused. */
  async #createPost(marker: string, { kind, platforms }: PostTargets): Promise<ExpectedPost | null> {
    const random = this.#random;
    const media = this.#media.get(kind) ?? [];
    const dueAt = Date.now() + Math.floor(random.between(3500, 11_000));
    const text = this.#text(marker, 1);
    const preview = await this.#client.call(
      "POST",
      "/v1/posts/preview",
      {
        caption: text,
        scheduled_at: new Date(dueAt).toISOString(),
        targets: platforms.map((platform) => previewTarget(this.#user, platform)),
        ...(media.length > 0 && { media_urls: media.map(({ url }) => url) }),
      },
      this.#user.apiKey,
    );
    if (!preview.answered || preview.status !== 200) {
      this.#countRefusal(preview, kind);
      return null;
    }
    const post: ExpectedPost = {
      marker,
      apiKey: this.#user.apiKey,
      platforms,
      kind,
      media: media.map(({ sha256 }) => sha256),
      postId: null,
      versions: [{ text, dueAt, confirmation: "unknown" }],
      cancellation: "none",
      successfulConfirms: 0,
    };
    this.expectedPosts.push(post);
    await this.#finishConfirm(post, preview.body["confirmation_token"]);
    return post;
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

  async #finishConfirm(post: ExpectedPost, token: unknown): Promise<void> {
    const outcomes = await this.#confirm("/v1/posts/confirm", token);
    post.successfulConfirms = outcomes.filter(isSuccess).length;
    for (const outcome of outcomes) {
      if (outcome.answered && outcome.status === 200) {
        post.postId ??= (outcome.body["posts"] as { id: string }[])[0]?.id ?? null;
      } else if (outcome.answered && outcome.body["code"] === "token_already_used") {
        post.postId ??= (outcome.body["post_ids"] as string[] | undefined)?.[0] ?? null;
      }
    }
    const first = post.versions[0];
    if (first) {
      first.confirmation = post.postId === null ? confirmationOf(outcomes) : "confirmed";
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
