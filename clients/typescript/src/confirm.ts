import { AlmanacError, isAlmanacError } from "./errors.ts";
import type {
  BulkPreview,
  EditPreview,
  ErrorApproval,
  Post,
  ScheduledRow,
  SchedulePreview,
} from "./generated/types.gen.ts";

/** A preview, and what it takes to confirm it. */
interface Previewed<Preview> {
  readonly preview: Preview;
  /** Null where there is nothing to confirm. */
  readonly confirmation_token: string | null;
  /** For how many seconds after the preview the token works. */
  readonly expires_in: number | null;
}

/** Decides about a preview: shows it to a person, or compares it with what was meant. */
export type Decide<Preview> = (preview: Preview) => boolean | Promise<boolean>;

/** How a new post or an edit is decided. */
export interface ConfirmOptions<Preview> {
  /** Called with exactly what the service would do. Nothing is written unless it returns `true`. */
  readonly confirm: Decide<Preview>;
  /** Stops waiting and sending. What was already sent may still be done. */
  readonly signal?: AbortSignal;
}

/** How a new post or an edit is decided, by whoever wants to go on after a crash. */
export interface ScheduleOptions<Preview> extends ConfirmOptions<Preview> {
  /**
   * Called with the token right before it is confirmed. Who stores it can finish with `confirm(token)` or `confirmChange(token)`
   * in another process, which never makes a second post.
   */
  readonly beforeConfirm?: (token: string) => void | Promise<void>;
}

/** What a confirm has done. */
export interface Confirmed {
  /** The posts, in the order of the preview. */
  readonly posts: readonly Post[];
  /** Whether an earlier confirm with the same token had done it, so that this one changed nothing. */
  readonly alreadyConfirmed: boolean;
}

/** What a confirm of many posts has done. */
export interface ConfirmedMany {
  /** The ids of the posts, in the order of the request. */
  readonly postIds: readonly string[];
  /** Whether an earlier confirm with the same token had made them, so that this one changed nothing. */
  readonly alreadyConfirmed: boolean;
}

/** The decision was no: nothing was written. */
export interface Declined<Preview> {
  readonly state: "declined";
  readonly preview: Preview;
}

/** The credential may not confirm by itself: give the person `approval.url`. Nothing is written until they approve. */
export interface AwaitingApproval<Preview> {
  readonly state: "awaiting_approval";
  readonly preview: Preview;
  readonly approval: ErrorApproval;
}

/** The post exists. */
export interface Scheduled {
  readonly state: "scheduled";
  readonly preview: SchedulePreview;
  readonly post: Post;
  /** Whether an earlier confirm had made it. */
  readonly alreadyConfirmed: boolean;
}

/** The posts are changed. */
export interface Edited {
  readonly state: "edited";
  readonly preview: EditPreview;
  readonly posts: readonly Post[];
  /** Whether an earlier confirm had changed them. */
  readonly alreadyConfirmed: boolean;
}

/** All good posts of the preview exist. */
export interface ScheduledMany {
  readonly state: "scheduled";
  readonly preview: BulkPreview;
  /** Their ids and times; `getPost` reads one. */
  readonly posts: readonly ScheduledRow[];
  /** Whether an earlier confirm had made them. */
  readonly alreadyConfirmed: boolean;
}

/** What became of a new post. */
export type ScheduleResult = Scheduled | Declined<SchedulePreview> | AwaitingApproval<SchedulePreview>;

/** What became of many new posts. */
export type ScheduleManyResult = ScheduledMany | Declined<BulkPreview> | AwaitingApproval<BulkPreview>;

/** What became of an edit or a retry. */
export type EditResult = Edited | Declined<EditPreview> | AwaitingApproval<EditPreview>;

/** A decision that was made later than this before the end of the token is confirmed with a new one. */
const MIN_REMAINING_MS = 10_000;

/** The calls that the two-step flow is made of. */
interface ConfirmCalls<Preview, Done> {
  readonly preview: () => Promise<Previewed<Preview>>;
  readonly confirm: (token: string) => Promise<Done>;
  /** Equal for two previews that would do the same. */
  readonly contentOf: (preview: Preview) => string;
}

/** Preview, decide, confirm. A preview without a token is not decided about: there is nothing to confirm. */
export async function decideAndConfirm<Preview, Done = Confirmed>(
  { preview, confirm, contentOf }: ConfirmCalls<Preview, Done>,
  { confirm: decide, beforeConfirm, signal }: ScheduleOptions<Preview>,
): Promise<
  | { readonly state: "confirmed"; readonly preview: Preview; readonly confirmed: Done }
  | Declined<Preview>
  | AwaitingApproval<Preview>
> {
  let accepted: string | undefined;
  for (;;) {
    const previewed = await preview();
    const { confirmation_token: token, expires_in: expiresIn } = previewed;
    if (token === null || expiresIn === null) {
      return { state: "declined", preview: previewed.preview };
    }
    const endsAt = performance.now() + expiresIn * 1000;
    if (accepted === undefined || contentOf(previewed.preview) !== accepted) {
      if (!(await decide(previewed.preview))) {
        return { state: "declined", preview: previewed.preview };
      }
      signal?.throwIfAborted();
      accepted = contentOf(previewed.preview);
    }
    if (performance.now() > endsAt - MIN_REMAINING_MS) {
      // Only before the first confirm: after it, a new token could make a second post.
      continue;
    }
    await beforeConfirm?.(token);
    try {
      const confirmed = await confirm(token);
      return { state: "confirmed", preview: previewed.preview, confirmed };
    } catch (error) {
      if (isAlmanacError(error, "approval_required")) {
        return { state: "awaiting_approval", preview: previewed.preview, approval: error.approval };
      }
      throw error;
    }
  }
}

/** The key of a token's confirm, the same in every process that knows the token. */
async function confirmKey(token: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return `confirm-${Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** The calls of one kind of confirm. */
interface RepeatableConfirm<Answer> {
  readonly send: (token: string, key: string | undefined) => Promise<Answer>;
  /** The same answer from the ids of the posts, for a token that was used before. */
  readonly recover: (postIds: readonly string[]) => Promise<Answer> | Answer;
}

/**
 * Confirms a token once, however often it is sent. The token itself works once. The key brings back the first answer; after a crash
 * of the service it stays in use for a minute, but the token tells at once what became of it.
 */
export async function confirmOnce<Answer>(
  { send, recover }: RepeatableConfirm<Answer>,
  token: string,
): Promise<{ readonly answer: Answer; readonly alreadyConfirmed: boolean }> {
  try {
    return { answer: await sendConfirm(send, token), alreadyConfirmed: false };
  } catch (error) {
    if (!isAlmanacError(error, "token_already_used") || error.postIds.length === 0) {
      throw error;
    }
    return { answer: await recover(error.postIds), alreadyConfirmed: true };
  }
}

async function sendConfirm<Answer>(send: RepeatableConfirm<Answer>["send"], token: string): Promise<Answer> {
  try {
    return await send(token, await confirmKey(token));
  } catch (error) {
    if (error instanceof AlmanacError && error.code === "idempotency_key_in_use") {
      return await send(token, undefined);
    }
    throw error;
  }
}
