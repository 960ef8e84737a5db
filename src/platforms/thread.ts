import { z } from "@hono/zod-openapi";
import { FIT_REASON_MEANINGS } from "#core/fit.ts";
import { ALT_TEXT_MAX } from "#core/media-limits.ts";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type {
  Job,
  JobMedia,
  MoreOutcome,
  PublishedOutcome,
  PublishedPart,
  ValidationInput,
  ValidationProblem,
  ValidationWarning,
} from "./contract.ts";
import { choiceOf } from "./options.ts";

/* A thread: a post, and replies to it by the same account. Each part needs its own visible call. */

/**
 * The description of members that belong to the stored file. Answers contain them, and a request may send them back.
 */
const READ_ONLY = "Of the stored file, as answers have it; ignored in requests";

/** How many parts may follow the post itself. The limit of 25 parts is the service's own. */
export const THREAD_PARTS_MAX = 24;

const PartMediaItem = z.strictObject({
  url: z.string().describe("A public https address, or that of a stored file"),
  type: choiceOf({ image: "An image.", video: "A video." })
    .optional()
    .describe("What the file is; found out when absent"),
  alt_text: z.string().max(ALT_TEXT_MAX).nullish().describe("What the file shows, for people who cannot see it"),
  id: z.string().optional().describe(READ_ONLY),
  content_type: z.string().optional().describe(READ_ONLY),
  size_bytes: z.number().optional().describe(READ_ONLY),
  width: z.number().nullish().describe(READ_ONLY),
  height: z.number().nullish().describe(READ_ONLY),
  duration_seconds: z.number().nullish().describe(READ_ONLY),
  sha256: z.string().optional().describe(READ_ONLY),
  fitted: z
    .strictObject({
      url: z.string().describe("The address of the copy"),
      id: z.string().describe("The id of the copy"),
      content_type: z.string().describe("The type of the copy"),
      size_bytes: z.number().describe("The size of the copy"),
      width: z.number().nullable().describe("The width of the copy"),
      height: z.number().nullable().describe("The height of the copy"),
      sha256: z.string().describe("The hash of the copy"),
      reason: choiceOf(FIT_REASON_MEANINGS).describe("Why it is made"),
    })
    .optional()
    .describe(
      "The copy that is published because the platform would refuse the file, as answers have it; ignored in requests",
    ),
});

export const threadOption = {
  thread: z
    .array(
      z.strictObject({
        caption: z.string().describe("The text of the part; may be empty beside media"),
        media_items: z
          .array(PartMediaItem)
          .optional()
          .describe("The images and videos of the part, like those of a post"),
      }),
    )
    .min(1)
    .max(THREAD_PARTS_MAX)
    .optional()
    .describe(
      `The parts after the post, each a reply to the one before: up to ${THREAD_PARTS_MAX}, each judged like a post of its own`,
    ),
};

/** The published parts of a thread, in order, as `Job.progress` contains them. */
const ThreadProgress = z.object({
  thread: z.array(z.object({ id: z.string(), url: z.string().nullable(), at: z.number() })),
});
type PublishedThreadPart = z.infer<typeof ThreadProgress>["thread"][number];

export function publishedThreadParts(progress: JsonValue): readonly PublishedThreadPart[] {
  const parsed = ThreadProgress.safeParse(progress);
  return parsed.success ? parsed.data.thread : [];
}

/** The captions of the parts after the first. Empty for a list that `options` refuses. */
export function threadCaptions({ thread }: JsonObject): readonly string[] {
  return (Array.isArray(thread) ? thread : []).flatMap((part) =>
    isJsonObject(part) && typeof part["caption"] === "string" ? [part["caption"]] : [],
  );
}

/** The length of each part after the first (`ValidationResult.partLengths`). */
export function partLengths(options: JsonObject, lengthOf: (caption: string) => number): readonly number[] | undefined {
  const captions = threadCaptions(options);
  return captions.length === 0 ? undefined : captions.map(lengthOf);
}

/** Picks the options that apply to every part of a thread. */
function pickOptions(options: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
}

/**
 * The parts after the first as separate posts. Each has its own text and media, and only the options that apply to
 * every part.
 */
export function threadParts(
  input: ValidationInput,
  commonOptions: readonly string[] = [],
): readonly { readonly index: number; readonly input: ValidationInput }[] {
  const { published: _published, partMedia: media = [], ...post } = input;
  return threadCaptions(input.options).map((caption, index) => ({
    index,
    input: { ...post, caption, media: media[index] ?? [], options: pickOptions(input.options, commonOptions) },
  }));
}

/** Reports the problem of a part as a problem of the post. */
export function ofPart(index: number, problem: ValidationProblem): ValidationProblem {
  return { ...problem, param: `platform_options.thread[${index}].${problem.param}` };
}

/** Reports the warning of a part as a warning of the post. People count the post itself as the first part. */
export function warningOfPart(index: number, { message, parts, ...warning }: ValidationWarning): ValidationWarning {
  const part = `part ${index + 2} of the thread: `;
  return { ...warning, message: `${part}${message}`, ...(parts && { parts: [part, ...parts] }) };
}

/** The part of a thread that the next visible call publishes. */
export interface ThreadPart {
  /** The index of the part, where 0 is the post itself. */
  readonly index: number;
  readonly caption: string;
  readonly media: readonly JobMedia[];
  /** The platform's id of the previous part, to which this one replies. Null for the first part. */
  readonly replyTo: string | null;
  readonly isLast: boolean;
}

/** The part of a thread that is next. Undefined for a post that is no thread, and if all parts are published. */
export function currentThreadPart({
  caption,
  options,
  media,
  partMedia = [],
  progress,
}: Pick<Job, "caption" | "options" | "media" | "partMedia" | "progress">): ThreadPart | undefined {
  const captions = [caption, ...threadCaptions(options)];
  const parts = publishedThreadParts(progress);
  const own = captions[parts.length];
  return captions.length === 1 || own === undefined
    ? undefined
    : {
        index: parts.length,
        caption: own,
        media: [media, ...partMedia][parts.length] ?? [],
        replyTo: parts.at(-1)?.id ?? null,
        isLast: parts.length === captions.length - 1,
      };
}

/**
 * The job of the next visible call. A reply has its own text and media, and only the options that apply to every part.
 */
export function jobOfPart(job: Job, commonOptions: readonly string[] = []): Job & { readonly replyTo: string | null } {
  const part = currentThreadPart(job);
  return part && part.replyTo !== null
    ? {
        ...job,
        caption: part.caption,
        media: part.media,
        options: pickOptions(job.options, commonOptions),
        replyTo: part.replyTo,
      }
    : { ...job, replyTo: null };
}

/**
 * The outcome after a call has published the post, or the current part of its thread. `nextRef` is the reference of the
 * next part; null if the publisher must prepare that part first.
 */
export function threadPartOutcome(
  job: Job,
  { id, url }: { readonly id: string; readonly url: string | null },
  nextRef: JsonValue,
): PublishedOutcome | MoreOutcome {
  const part = currentThreadPart(job);
  if (!part) {
    return { state: "published", remoteId: id, url };
  }
  const published = { id, url, at: job.now };
  const parts = [...publishedThreadParts(job.progress), published];
  const first = parts[0] ?? published;
  const progress = { thread: parts.map((one) => ({ ...one })) };
  return part.isLast
    ? { state: "published", remoteId: first.id, url: first.url, publishedAt: first.at, progress }
    : nextThreadPart(progress, nextRef);
}

/** The outcome that continues a thread with the first part that is not published yet. */
export function nextThreadPart(progress: JsonValue, nextRef: JsonValue): MoreOutcome {
  return { state: "more", progress, ref: nextRef, ...(nextRef === null && { prepareFirst: true as const }) };
}

/** Finds changes of parts that are already published. An edit continues after them and must not change them. */
export function publishedPartProblems({ caption, options, media, published }: ValidationInput): ValidationProblem[] {
  if (!published) {
    return [];
  }
  const count = publishedThreadParts(published.progress).length;
  const captions = [caption, ...threadCaptions(options)];
  const before = [published.caption, ...threadCaptions(published.options)];
  const problems = before.slice(0, count).flatMap((text, index): ValidationProblem[] =>
    captions[index] === text
      ? []
      : [
          {
            code: "part_already_published",
            message:
              captions[index] === undefined
                ? `part ${index + 1} of the thread is public already and cannot be left out`
                : `part ${index + 1} of the thread is public already: its text cannot be changed`,
            param: index === 0 ? "caption" : `platform_options.thread[${index - 1}].caption`,
          },
        ],
  );
  const mediaBefore = threadMediaIds(published.options);
  const mediaAfter = threadMediaIds(options);
  for (const [index, ids] of mediaBefore.slice(0, Math.max(0, count - 1)).entries()) {
    if (mediaAfter[index] !== undefined && ids !== mediaAfter[index]) {
      problems.push({
        code: "part_already_published",
        message: `part ${index + 2} of the thread is public already: its media cannot be changed`,
        param: `platform_options.thread[${index}].media_items`,
      });
    }
  }
  return count > 0 && !hasSameFirstPart(published, options, media)
    ? [
        ...problems,
        {
          code: "part_already_published",
          message: "the first part of the thread is public already: its media and options cannot be changed",
          param: "platform_options",
        },
      ]
    : problems;
}

/** The ids of the media of each part after the first. */
function threadMediaIds({ thread }: JsonObject): readonly string[] {
  return (Array.isArray(thread) ? thread : []).map((part) => {
    const items = isJsonObject(part) ? part["media_items"] : undefined;
    return canonicalJson(
      (Array.isArray(items) ? items : []).map((item) => (isJsonObject(item) ? (item["id"] ?? "") : "")),
    );
  });
}

function hasSameFirstPart(
  published: PublishedPart,
  options: JsonObject,
  media: readonly { readonly id: string }[],
): boolean {
  const ofFirst = (all: JsonObject) =>
    canonicalJson(
      Object.fromEntries(Object.entries(all).filter(([name, value]) => name !== "thread" && value !== null)),
    );
  return (
    ofFirst(published.options) === ofFirst(options) &&
    canonicalJson(published.media) === canonicalJson(media.map(({ id }) => id))
  );
}
