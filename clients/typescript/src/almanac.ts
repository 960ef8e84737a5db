import { type Client, createClient, createConfig } from "./generated/client/index.ts";
import { Operations, type Options } from "./generated/sdk.gen.ts";
import type { ConfirmPostData } from "./generated/types.gen.ts";
import type {
  AlmanacEvent,
  Approval,
  BulkPreview,
  BulkPreviewResponse,
  CancelledPost,
  Delivery,
  DraftSummary,
  ListApprovalsData,
  ListDeliveriesData,
  ListDraftsData,
  ListEventsData,
  ListPostsData,
  Post,
  PostSummary,
  PreviewBulkBody,
  PreviewDraftBody,
  PreviewEditBody,
  PreviewScheduleBody,
  SchedulePreview,
  SchedulePreviewResponse,
  EditPreview,
} from "./types.ts";
import {
  type Confirmed,
  type ConfirmedMany,
  confirmOnce,
  type ConfirmOptions,
  decideAndConfirm,
  type EditResult,
  type ScheduleManyResult,
  type ScheduleOptions,
  type ScheduleResult,
} from "./confirm.ts";
import { isAlmanacError } from "./errors.ts";
import { pagesByOffset } from "./pages.ts";
import {
  createTransport,
  type Retry,
  type RetryOptions,
  sleep,
  toError,
  type TokenSource,
  type Transport,
  type TransportOptions,
} from "./transport.ts";
import { type UploadContext, uploadDocument, type UploadOptions, type UploadSource, uploadFile } from "./upload.ts";

/** How to reach the service. */
export interface AlmanacOptions {
  /** The address of the API: `https://almanac.example.org/v1`. */
  readonly baseUrl: string;
  /** An API key, an access token, or a function that has one. */
  readonly token: TokenSource;
  /** The id of the workspace in which every call works; the active one when absent, which others may change between two calls. */
  readonly workspace?: string;
  /** How often, and how long after each other, a call is repeated. */
  readonly retry?: RetryOptions;
  /** How long one attempt may take; a minute when absent, ten where the service fetches files itself. */
  readonly timeoutMs?: number;
  /** Called before a call is sent once more. */
  readonly onRetry?: (retry: Retry) => void;
  /** Sends the requests; the global `fetch` when absent. */
  readonly fetch?: typeof fetch;
}

/** What becomes of a cancelled post. */
export type CancelResult =
  | { readonly state: "declined"; readonly post: Post }
  | { readonly state: "cancelled"; readonly post: Post; readonly status: CancelledPost["status"] };

/** The members of an edit that a retry may have: the time, and what to change so that it succeeds. */
export type RetryChange = Pick<PreviewEditBody, "scheduled_at" | "caption" | "target_options">;

/** A table of posts, as spreadsheets save it. */
export interface PostTable {
  /** The text of the table; its first line names the columns. */
  readonly csv: string;
  /** Leaves rows with problems out instead of refusing the table. */
  readonly skip_invalid?: boolean;
  /** Up to 100 posts from this row on, for a table with more; `next_row` of the preview is where the next part begins. */
  readonly from_row?: number;
}

/** The most posts of one preview. */
const MANY_MAX = 100;

/** Stops an iteration. */
export interface IterateOptions {
  /** Stops waiting and sending. */
  readonly signal?: AbortSignal;
}

/** How events are followed. */
export interface FollowOptions extends IterateOptions {
  /** Goes on when the last event was read, and asks for new ones this often. Without it, the iteration ends there. */
  readonly pollMs?: number;
}

const CONFIRM_POLICY = { addsKey: false, isRepeatable: true, waitsForKey: false };
const CANCEL_POLICY = { addsKey: true, isRepeatable: false, waitsForKey: false };
const REPEATED_CANCEL_POLICY = { addsKey: false, isRepeatable: false, waitsForKey: true };

function createRequestClient(baseUrl: string, transport: Transport): Client {
  const client = createClient(
    createConfig({ baseUrl, fetch: transport.fetch, throwOnError: true, responseStyle: "data" }),
  );
  client.interceptors.error.use((error, response) => toError(error, response));
  return client;
}

/**
 * The service. Every operation of its document is a method by the same name; the methods of this class put several of them together.
 * A refusal is thrown as {@link AlmanacError}, a missing answer as {@link AlmanacConnectionError}.
 */
export class Almanac extends Operations {
  readonly #transport: Transport;
  readonly #options: TransportOptions;

  /** Sends nothing yet. Throws a `TypeError` unless the address is that of the API, because all of its calls would answer 404. */
  constructor({ baseUrl, token, workspace, retry = {}, timeoutMs, onRetry, fetch: send }: AlmanacOptions) {
    if (!/\/v1\/?$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).pathname : "")) {
      throw new TypeError(
        `baseUrl is the address of the API, which ends in /v1 (https://almanac.example.org/v1), not ${baseUrl}`,
      );
    }
    const options: TransportOptions = {
      baseUrl,
      token,
      workspace,
      timeoutMs,
      onRetry,
      retry: { maxRetries: 5, baseDelayMs: 500, maxDelayMs: 8000, maxRetryAfterSeconds: 60, ...retry },
      // Called as a function: the `fetch` of a browser refuses to be a method of something else.
      fetch: send ?? ((input, init) => globalThis.fetch(input, init)),
    };
    const transport = createTransport(options);
    super({ client: createRequestClient(baseUrl.replace(/\/$/, ""), transport) });
    this.#options = options;
    this.#transport = transport;
  }

  /**
   * Makes one post: previews it, calls `confirm` with the preview, and schedules exactly that when it returns `true`.
   *
   * A lost answer never makes a second post: the confirm is sent again with the same token and key. A decision that took longer than
   * the five minutes of a token is confirmed with a new one if the preview is still the same; otherwise `confirm` is called again.
   */
  async schedule(post: PreviewScheduleBody, options: ScheduleOptions<SchedulePreview>): Promise<ScheduleResult> {
    return await this.#schedule(async (signalled) => await this.previewPost({ body: post, ...signalled }), options);
  }

  /**
   * Makes one post of a draft in the same way; members of `changes` stand in for those of the draft. The draft is deleted with it,
   * unless somebody changed it meanwhile.
   */
  async scheduleDraft(
    id: string,
    changes: PreviewDraftBody,
    options: ScheduleOptions<SchedulePreview>,
  ): Promise<ScheduleResult> {
    return await this.#schedule(
      async (signalled) => await this.previewDraft({ path: { id }, body: changes, ...signalled }),
      options,
    );
  }

  async #schedule(
    preview: (signalled: IterateOptions) => Promise<SchedulePreviewResponse>,
    options: ScheduleOptions<SchedulePreview>,
  ): Promise<ScheduleResult> {
    const { signal } = options;
    const signalled = signal ? { signal } : {};
    const result = await decideAndConfirm<SchedulePreview>(
      {
        preview: async () => await preview(signalled),
        confirm: async (token) => await this.confirm(token, signalled),
        contentOf: ({ plan_hash: planHash }) => planHash,
      },
      options,
    );
    if (result.state !== "confirmed") {
      return result;
    }
    const { posts, alreadyConfirmed } = result.confirmed;
    return { state: "scheduled", preview: result.preview, post: onlyOf(posts), alreadyConfirmed };
  }

  /**
   * Makes up to 100 posts, from their bodies or from a table: previews them together, calls `confirm` with the preview, and schedules
   * all of its good posts or none. Without a good post `confirm` is not called, and the state is `declined`.
   */
  async scheduleMany(
    posts: PreviewBulkBody | PostTable,
    options: ScheduleOptions<BulkPreview>,
  ): Promise<ScheduleManyResult> {
    const { signal } = options;
    const signalled = signal ? { signal } : {};
    const result = await decideAndConfirm<BulkPreview, ConfirmedMany>(
      {
        preview: async () => await this.previewMany(posts, signalled),
        confirm: async (token) => await this.confirmMany(token, signalled),
        contentOf: ({ plan_hash: planHash }) => planHash ?? "",
      },
      options,
    );
    if (result.state !== "confirmed") {
      return result;
    }
    const { preview, confirmed } = result;
    const good = preview.posts.flatMap(({ row, preview: post }) => (post ? [{ row, post }] : []));
    return {
      state: "scheduled",
      preview,
      alreadyConfirmed: confirmed.alreadyConfirmed,
      posts: good.map(({ row, post: { scheduled_at: at, plan_hash: hash } }, index) => ({
        id: confirmed.postIds[index] ?? "",
        row,
        scheduled_at: at,
        plan_hash: hash,
      })),
    };
  }

  /**
   * Makes any number of posts in parts of up to 100: previews a part, calls `confirm` with it, schedules its good posts or none, and goes on
   * with the next. Yields what became of each part; the first that is not scheduled is the last. With bodies, rows are counted in each part.
   */
  async *scheduleInParts(
    posts: PreviewBulkBody | PostTable,
    options: ScheduleOptions<BulkPreview>,
  ): AsyncGenerator<ScheduleManyResult, void> {
    if (!("csv" in posts)) {
      for (let start = 0; start < posts.posts.length; start += MANY_MAX) {
        const part = { ...posts, posts: posts.posts.slice(start, start + MANY_MAX) };
        const result = await this.scheduleMany(part, options);
        yield result;
        if (result.state !== "scheduled") {
          return;
        }
      }
      return;
    }
    for (let row: number | null = posts.from_row ?? 1; row !== null;) {
      const result: ScheduleManyResult = await this.scheduleMany({ ...posts, from_row: row }, options);
      yield result;
      row = result.state === "scheduled" ? result.preview.next_row : null;
    }
  }

  /** Checks up to 100 posts, from their bodies or from a table, and shows each as it would be published. */
  async previewMany(posts: PreviewBulkBody | PostTable, { signal }: IterateOptions = {}): Promise<BulkPreviewResponse> {
    const signalled = signal ? { signal } : {};
    if (!("csv" in posts)) {
      return await this.previewBulk({ body: posts, ...signalled });
    }
    const { csv, skip_invalid: skipInvalid = false, from_row: fromRow } = posts;
    return await this.previewBulk({
      // A table goes as it is; the document describes one body for both.
      body: csv as never,
      bodySerializer: String,
      query: { skip_invalid: skipInvalid, ...(fromRow !== undefined && { from_row: fromRow }) },
      headers: { "Content-Type": "text/csv" },
      ...signalled,
    });
  }

  /** Changes up to 20 posts, all or none: previews, calls `confirm` with the preview, and does exactly that. */
  async edit(change: PreviewEditBody, options: ScheduleOptions<EditPreview>): Promise<EditResult> {
    const { signal } = options;
    const result = await decideAndConfirm<EditPreview>(
      {
        preview: async () => await this.previewEdit({ body: change, ...(signal && { signal }) }),
        confirm: async (token) => await this.confirmChange(token, { ...(signal && { signal }) }),
        contentOf: (preview) => JSON.stringify(preview),
      },
      options,
    );
    return result.state === "confirmed" ? { state: "edited", preview: result.preview, ...result.confirmed } : result;
  }

  /**
   * Tries again where failed posts were not published, at once or at `scheduled_at`. What is public already is left alone.
   */
  async retry(
    postIds: readonly string[],
    change: RetryChange,
    options: ScheduleOptions<EditPreview>,
  ): Promise<EditResult> {
    return await this.edit({ scheduled_at: "now", ...change, post_ids: [...postIds] }, options);
  }

  /** Cancels a post: reads it, calls `confirm` with it, and cancels it when that returns `true`. */
  async cancel(id: string, { confirm: decide, signal }: ConfirmOptions<Post>): Promise<CancelResult> {
    const signalled = signal ? { signal } : {};
    const { post } = await this.getPost({ path: { id }, ...signalled });
    if (!(await decide(post))) {
      return { state: "declined", post };
    }
    const send = (policy: Parameters<Transport["with"]>[0]) =>
      this.cancelPost({ path: { id }, body: { confirm: true }, fetch: this.#transport.with(policy), ...signalled });
    try {
      return { state: "cancelled", post, status: (await send(CANCEL_POLICY)).status };
    } catch (error) {
      if (!isAlmanacError(error, "idempotency_key_in_use")) {
        throw error;
      }
    }
    // The answer of the first attempt was lost, and its key is in use for a minute; the post tells at once what became of it.
    try {
      return { state: "cancelled", post, status: (await send(REPEATED_CANCEL_POLICY)).status };
    } catch (error) {
      const { post: now } = await this.getPost({ path: { id }, ...signalled });
      if (isAlmanacError(error, "invalid_state") && now.status === "cancelled") {
        return { state: "cancelled", post, status: now.status };
      }
      throw error;
    }
  }

  /**
   * Confirms the token of a new post. It can be called again with the same token, also by another process and after a crash:
   * it never makes a second post.
   */
  async confirm(token: string, { signal }: IterateOptions = {}): Promise<Confirmed> {
    return await this.#confirm((call) => this.confirmPost(call), token, signal);
  }

  /** Confirms the token of an edit; it can be called again with the same token as {@link Almanac.confirm}. */
  async confirmChange(token: string, { signal }: IterateOptions = {}): Promise<Confirmed> {
    return await this.#confirm((call) => this.confirmEdit(call), token, signal);
  }

  /** Confirms the token of many new posts; it can be called again with the same token as {@link Almanac.confirm}. */
  async confirmMany(token: string, { signal }: IterateOptions = {}): Promise<ConfirmedMany> {
    const { answer, alreadyConfirmed } = await confirmOnce<readonly string[]>(
      {
        send: async (...confirm) => {
          const { posts } = await this.confirmBulk(this.#confirmCall(...confirm, signal));
          return posts.map(({ id }) => id);
        },
        recover: (postIds) => postIds,
      },
      token,
    );
    return { postIds: answer, alreadyConfirmed };
  }

  async #confirm(
    send: (call: Options<ConfirmPostData, true>) => Promise<{ readonly posts: readonly Post[] }>,
    token: string,
    signal: AbortSignal | undefined,
  ): Promise<Confirmed> {
    const signalled = signal ? { signal } : {};
    const readPost = async (id: string) => (await this.getPost({ path: { id }, ...signalled })).post;
    const { answer, alreadyConfirmed } = await confirmOnce<readonly Post[]>(
      {
        send: async (...confirm) => (await send(this.#confirmCall(...confirm, signal))).posts,
        recover: async (postIds) => await Promise.all(postIds.map(readPost)),
      },
      token,
    );
    return { posts: answer, alreadyConfirmed };
  }

  #confirmCall(token: string, key: string | undefined, signal: AbortSignal | undefined) {
    return {
      body: { confirmation_token: token },
      fetch: this.#transport.with(CONFIRM_POLICY),
      ...(key !== undefined && { headers: { "Idempotency-Key": key } }),
      ...(signal && { signal }),
    };
  }

  /** All posts that match, page by page, none twice. */
  async *posts(
    query: Omit<NonNullable<ListPostsData["query"]>, "fields"> = {},
    options: IterateOptions = {},
  ): AsyncGenerator<Post, void> {
    yield* pagesByOffset(query, async (page) => {
      const { posts, pagination } = await this.listPosts({ query: { ...page, fields: "full" }, ...options });
      return { items: posts as Post[], hasMore: pagination.has_more };
    });
  }

  /** The same with the short form of each post. */
  async *postSummaries(
    query: Omit<NonNullable<ListPostsData["query"]>, "fields"> = {},
    options: IterateOptions = {},
  ): AsyncGenerator<PostSummary, void> {
    yield* pagesByOffset(query, async (page) => {
      const { posts, pagination } = await this.listPosts({ query: { ...page, fields: "summary" }, ...options });
      return { items: posts as PostSummary[], hasMore: pagination.has_more };
    });
  }

  /** All approvals that match, page by page, none twice. */
  async *approvals(
    query: NonNullable<ListApprovalsData["query"]> = {},
    options: IterateOptions = {},
  ): AsyncGenerator<Approval, void> {
    yield* pagesByOffset(query, async (page) => {
      const { approvals, has_more: hasMore } = await this.listApprovals({ query: page, ...options });
      return { items: approvals, hasMore };
    });
  }

  /** All drafts, what was changed last first, none twice. */
  async *drafts(
    query: NonNullable<ListDraftsData["query"]> = {},
    options: IterateOptions = {},
  ): AsyncGenerator<DraftSummary, void> {
    yield* pagesByOffset(query, async (page) => {
      const { drafts, has_more: hasMore } = await this.listDrafts({ query: page, ...options });
      return { items: drafts, hasMore };
    });
  }

  /** All deliveries of a webhook that match, the newest first. */
  async *deliveries(
    webhookId: string,
    query: NonNullable<ListDeliveriesData["query"]> = {},
    options: IterateOptions = {},
  ): AsyncGenerator<Delivery, void> {
    let page = query;
    for (;;) {
      const { deliveries, next_before: before } = await this.listDeliveries({
        path: { id: webhookId },
        query: page,
        ...options,
      });
      yield* deliveries;
      if (before === null) {
        return;
      }
      page = { ...query, before };
    }
  }

  /** All events after a number, the oldest first; with `pollMs` it waits for further ones and never ends by itself. */
  async *events(
    query: NonNullable<ListEventsData["query"]> = {},
    { pollMs, ...options }: FollowOptions = {},
  ): AsyncGenerator<AlmanacEvent, void> {
    let page = query;
    for (;;) {
      const { events, next_after: after, has_more: hasMore } = await this.listEvents({ query: page, ...options });
      yield* events;
      page = { ...query, after };
      if (!hasMore) {
        if (pollMs === undefined) {
          return;
        }
        await sleep(pollMs, options.signal);
      }
    }
  }

  /**
   * Uploads a file, in parts when it is large. A part that was lost is sent again; `onSession` tells what it takes to go on in
   * another process.
   */
  async upload(source: UploadSource, options: UploadOptions = {}): ReturnType<typeof uploadFile> {
    return await uploadFile(this.#uploadContext(), source, options);
  }

  /** Uploads a PDF file, in parts when it is large, and returns its address for the option `document`. */
  async uploadDocument(source: UploadSource, options: UploadOptions = {}): ReturnType<typeof uploadDocument> {
    return await uploadDocument(this.#uploadContext(), source, options);
  }

  #uploadContext(): UploadContext {
    return {
      transport: this.#options,
      start: async (body, signal) => await this.startUpload({ body, ...(signal && { signal }) }),
    };
  }
}

function onlyOf(posts: readonly Post[]): Post {
  const [post] = posts;
  if (!post) {
    throw new Error("the service confirmed a schedule without a post");
  }
  return post;
}
