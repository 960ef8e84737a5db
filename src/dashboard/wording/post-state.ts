import { PLATFORM_NAMES } from "#core/platform.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { type Display, formatDateTime, formatTime } from "./display.ts";
import type { PostRecord, Target } from "#posts/index.ts";
import { PAUSED_SENTENCES, POST_STATUS_LABELS } from "./post-wording.ts";

/** A status in words: what it means, and what happens next. */
export interface PostState {
  readonly label: string;
  readonly tone: "plain" | "active" | "expiring" | "failed";
  readonly sentences: readonly string[];
}

interface Circumstances {
  readonly display: Display;
  readonly now: number;
}

const HEADING_MAX = 70;
const CANCELLED_KEPT_MS = 30 * DAY;

/** Writes the time of an attempt to the second: `09:05:12`. */
export function formatExactTime(display: Display, instant: number): string {
  const seconds = String(Math.floor(instant / SECOND) % 60).padStart(2, "0");
  const [clock = "", suffix] = formatTime(display, instant).split(" ");
  return `${clock}:${seconds}${suffix === undefined ? "" : ` ${suffix}`}`;
}

export function isPublic({ status }: Target): boolean {
  return status === "published" || status === "unconfirmed";
}

/** When (ms) the first target that waits for a further try gets it. Null if none waits. */
function nextTryAt(targets: readonly Target[]): number | null {
  const times = targets.flatMap(({ nextAttemptAt }) => (nextAttemptAt === null ? [] : [nextAttemptAt]));
  return times.length === 0 ? null : Math.min(...times);
}

/** When (ms) a post was first due, if a person has retried what failed then. Null if nothing was retried. */
function firstTime({ changes }: PostRecord): number | null {
  for (const { fields = [] } of changes) {
    const isRetry = fields.some(
      ({ field, accountId, from }) =>
        field === "status" && accountId === undefined && (from === "failed" || from === "partially_failed"),
    );
    const before = fields.find(({ field }) => field === "scheduled_at")?.from;
    if (isRetry && typeof before === "string") {
      return Date.parse(before);
    }
  }
  return null;
}

/** Whether a person has retried this target. Its lateness counts from the retry, so it says nothing about the plan. */
export function isRetried(record: PostRecord, { dueAt }: Target): boolean {
  const first = firstTime(record);
  return first !== null && dueAt > first;
}

export function describePost(record: PostRecord, circumstances: Circumstances): PostState {
  const { post } = record;
  const { display, now } = circumstances;
  const { status, targets } = post;
  const label = POST_STATUS_LABELS[status];
  const retryAt = nextTryAt(targets);
  const when = formatDateTime(display, post.scheduledAt);
  const unconfirmed = unconfirmedCount(targets);
  switch (status) {
    case "scheduled":
      return retryAt !== null && targets.some(({ attempts }) => attempts > 0)
        ? {
            label: "Waiting for the next try",
            tone: "expiring",
            sentences: [
              `It could not be published yet. The next try is at ${formatExactTime(display, retryAt)}; nothing has to be done until then.`,
            ],
          }
        : {
            label,
            tone: "plain",
            sentences: [
              post.scheduledAt > now
                ? `It will be published on ${when}.`
                : "Its time has come: it is about to be published.",
              ...(targets.some(isPublic) ? ["Only the accounts that failed before are tried again."] : []),
            ],
          };
    case "publishing":
      return {
        label,
        tone: "expiring",
        sentences: [publishingSentence(targets, display), "This can no longer be stopped."],
      };
    case "published":
      return { label, tone: "active", sentences: publishedSentences(record, display) };
    case "partially_failed":
    case "failed":
      return unconfirmed > 0 && targets.every((target) => target.status !== "failed")
        ? { label: "Unconfirmed", tone: "failed", sentences: [endSentence(targets), unconfirmedSentence(unconfirmed)] }
        : {
            label,
            tone: "failed",
            sentences: [endSentence(targets), ...(unconfirmed > 0 ? [unconfirmedSentence(unconfirmed)] : [])],
          };
    case "paused":
      return {
        label,
        tone: "expiring",
        sentences: [
          PAUSED_SENTENCES[post.pausedReason ?? "user"],
          post.scheduledAt > now
            ? `Its time is ${when}.`
            : `Its time, ${when}, has passed: it needs a new one before it can be published.`,
        ],
      };
    case "cancelled":
      return {
        label,
        tone: "plain",
        sentences: [
          "It was not published and will not be.",
          `It can be read and duplicated here until ${formatDateTime(display, post.updatedAt + CANCELLED_KEPT_MS)}.`,
        ],
      };
  }
}

function publishingSentence(targets: readonly Target[], display: Display): string {
  const nextAt = nextTryAt(targets);
  if (nextAt === null || targets.some(({ status }) => status === "processing")) {
    return "It is being published right now.";
  }
  return unconfirmedCount(targets) > 0
    ? `It is not known yet whether it is public everywhere. It is looked for again at ${formatExactTime(display, nextAt)}.`
    : `A part of it has to wait. The next try is at ${formatExactTime(display, nextAt)}.`;
}

function unconfirmedCount(targets: readonly Target[]): number {
  return targets.filter(({ status }) => status === "unconfirmed").length;
}

function publishedSentences(record: PostRecord, display: Display): string[] {
  const published = record.post.targets.filter(({ status }) => status === "published");
  const times = published.flatMap(({ lateByMs }) => (lateByMs === null ? [] : [lateByMs]));
  const where = `It is public ${published.length === 1 ? "on its account" : `on all ${published.length} accounts`}`;
  const retried = published.filter((target) => isRetried(record, target));
  const [one] = retried;
  if (one) {
    const forWhom =
      retried.length === published.length
        ? ""
        : retried.length === 1
          ? `for ${one.username} (${PLATFORM_NAMES[one.platform]}) `
          : `for ${retried.length} of them `;
    const at = Math.max(...retried.map(({ publishedAt, dueAt }) => publishedAt ?? dueAt));
    return [
      `${where}, ${forWhom}only after a retry on ${formatDateTime(display, at)}.`,
      `It was first due on ${formatDateTime(display, firstTime(record) ?? at)}; the calendar shows the time of the retry.`,
    ];
  }
  return [times.length === 0 ? `${where}.` : `${where}: ${describeLateness(Math.max(...times))}.`];
}

function endSentence(targets: readonly Target[]): string {
  const published = targets.filter(({ status }) => status === "published").length;
  const failed = targets.filter(({ status }) => status === "failed").length;
  if (failed === targets.length) {
    return `It was not published${failed === 1 ? "" : ` on any of its ${failed} accounts`}. Nothing is tried again by itself.`;
  }
  const publishedPart =
    published === 0 ? "Nothing is known to be public" : `It is public on ${published} of ${targets.length} accounts`;
  return failed === 0
    ? `${publishedPart}.`
    : `${publishedPart}; on ${failed === 1 ? "one" : failed} it failed. Nothing is tried again by itself.`;
}

function unconfirmedSentence(count: number): string {
  return `${count === 1 ? "One account" : `${count} accounts`} may have the post: somebody has to look there.`;
}

/**
 * Says how late a post was: `published 0.4 s after its time`. A post is never exactly on time, because platforms take
 * time to answer.
 */
export function describeLateness(ms: number): string {
  if (ms < 100) {
    return "published on time";
  }
  const seconds = ms / SECOND;
  const amount =
    ms < 10 * SECOND
      ? `${seconds.toFixed(1)} s`
      : ms < 2 * MINUTE
        ? `${Math.round(seconds)} s`
        : ms < 2 * HOUR
          ? `${Math.round(ms / MINUTE)} min`
          : `${Math.round(ms / HOUR)} h`;
  return `published ${amount} after its time`;
}

/** After how many seconds the script fetches the page again. Null if nothing on it changes without the user. */
export function refreshSeconds({ post }: PostRecord, now: number): number | null {
  if (post.status === "publishing") {
    return 3;
  }
  if (post.status !== "scheduled") {
    return null;
  }
  const wait = (nextTryAt(post.targets) ?? post.scheduledAt) - now;
  return wait > 10 * MINUTE ? null : Math.max(3, Math.ceil(wait / SECOND) + 1);
}

export function firstWords(caption: string): string {
  const words = caption.replace(/\s+/g, " ").trim();
  const characters = [...words];
  if (words === "") {
    return "Post without text";
  }
  if (characters.length <= HEADING_MAX) {
    return words;
  }
  const start = characters.slice(0, HEADING_MAX - 1).join("");
  const lastSpace = start.lastIndexOf(" ");
  return `${lastSpace > HEADING_MAX / 2 ? start.slice(0, lastSpace) : start}…`;
}
