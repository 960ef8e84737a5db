import { z } from "@hono/zod-openapi";
import { MINUTE, toIsoInstant, SECOND } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import { altTextOf } from "#platforms/alt-text.ts";
import type { Job, JobMedia, PlatformClient, Result } from "#platforms/contract.ts";
import { failed, rejected, succeeded } from "#platforms/fault.ts";
import { faultOf, isOk, parseBody } from "#platforms/response.ts";
import { jobOfPart, publishedThreadParts } from "#platforms/thread.ts";
import { resolveHandle } from "./account.ts";
import { type Blob, StoredRecord } from "./answers.ts";
import { getRecord, readSession, sessionUnreadable } from "./api.ts";
import { errorName, toFault } from "./errors.ts";
import { COLLECTION } from "./hosts.ts";
import { options } from "./options.ts";
import { findTextLinks, toFacets } from "./text.ts";

/** The state of a video at the video service. */
export const Cursor = z.object({
  jobId: z.string().nullable(),
  processingSince: z.number(),
  /** How often the service received the file. */
  uploadCount: z.number(),
  /** How many status calls in a row got no answer. */
  failureCount: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

/** What the visible call creates, the same in every call, and what `verify` needs to look it up. */
export const CommitRef = z.object({
  recordKey: z.string(),
  /** The record of the post. It is built once, because its time, links and files must not change between calls. */
  record: z.record(z.string(), z.json()).transform((record) => record as JsonObject),
  sendCount: z.number(),
  sentAt: z.number().nullable(),
  /** The refusal of a repeated call. It counts if a lookup shows that the first call did not arrive. */
  refusal: z.object({ message: z.string(), platformCode: z.string().nullable(), httpStatus: z.number() }).nullable(),
});
export type CommitRef = z.infer<typeof CommitRef>;

/** How long (ms) a post waits for the lookup of its mentions. Unknown mentions then stay plain text. */
const MENTION_LOOKUP_MS = 10 * MINUTE;

/** The job of the post, or of the thread part that is next. The languages apply to every part. */
export function nextPart(job: Job): ReturnType<typeof jobOfPart> {
  return jobOfPart(job, ["langs"]);
}

/** Builds the record of a post whose files are already on the server. */
export async function createCommitRef(
  client: PlatformClient,
  job: ReturnType<typeof jobOfPart>,
  blobs: readonly Blob[],
): Promise<Result<CommitRef>> {
  const links = findTextLinks(job.caption);
  const dids = await resolveMentions(client, job, [
    ...new Set(links.flatMap((link) => (link.kind === "mention" ? link.handle : []))),
  ]);
  if (!dids.ok) {
    return dids;
  }
  const facets = toFacets(job.caption, links, dids.value);
  const reply = job.replyTo === null ? succeeded(null) : await readReply(client, job, job.replyTo);
  if (!reply.ok) {
    return reply;
  }
  const { langs } = options.parse(job.options);
  const embed = createEmbed(job, blobs);
  return succeeded({
    recordKey: await recordKey(job),
    record: {
      $type: COLLECTION,
      text: job.caption,
      createdAt: toIsoInstant(Math.max(job.dueAt, job.now)),
      ...(langs && langs.length > 0 && { langs }),
      ...(facets.length > 0 && { facets }),
      ...(embed && { embed }),
      ...(reply.value && { reply: reply.value }),
    },
    sendCount: 0,
    sentAt: null,
    refusal: null,
  });
}

/**
 * Builds the reply reference of a thread part from the record of the previous part, which has its CID and the root of
 * the thread (https://atproto.com/blog/create-post#replies). Servers store a reply to a deleted post, but apps do not
 * show it in the thread.
 */
async function readReply(client: PlatformClient, job: Job, parentUri: string): Promise<Result<JsonObject>> {
  const session = readSession(job.account.extra);
  if (!session) {
    return failed(sessionUnreadable());
  }
  const response = await getRecord(client, session, parentUri.slice(parentUri.lastIndexOf("/") + 1));
  const record = isOk(response) ? parseBody(StoredRecord, response) : undefined;
  if (record?.cid) {
    const parent = { uri: parentUri, cid: record.cid };
    return succeeded({ root: record.value.reply?.root ?? parent, parent });
  }
  return failed(
    errorName(response) === "RecordNotFound"
      ? rejected(
          "The part before it is no longer in the account, so nothing can reply to it.",
          { httpStatus: response.status, platformCode: "RecordNotFound" },
          { code: "not_found" },
        )
      : faultOf(response, "The account's server did not answer as expected.", (refusal) => toFault(refusal, job.now)),
  );
}

async function resolveMentions(
  client: PlatformClient,
  job: Job,
  handles: readonly string[],
): Promise<Result<ReadonlyMap<string, string>>> {
  const isUrgent = job.now - job.dueAt > MENTION_LOOKUP_MS;
  const resolved = await Promise.all(
    handles.map(async (handle) => ({ handle, did: await resolveHandle(client, handle) })),
  );
  const dids = new Map<string, string>();
  for (const { handle, did } of resolved) {
    if (did.ok) {
      dids.set(handle, did.value);
    } else if (did.fault.kind !== "rejected" && !isUrgent) {
      return did;
    }
  }
  return succeeded(dids);
}

function createEmbed(job: Job, blobs: readonly Blob[]): JsonObject | null {
  const { alt_texts: altTexts = [], link_card: linkCard } = options.parse(job.options);
  const [first, ...others] = job.media;
  const [blob] = blobs;
  if (first?.type === "video" && blob) {
    const alt = altTexts[0] || (altTextOf(first) ?? "");
    return { $type: "app.bsky.embed.video", video: blob, ...(alt !== "" && { alt }), ...aspectRatio(first) };
  }
  if (first) {
    const images = [first, ...others].flatMap((media, index) => {
      const image = blobs[index];
      return image ? [{ image, alt: altTexts[index] || (altTextOf(media) ?? ""), ...aspectRatio(media) }] : [];
    });
    return { $type: "app.bsky.embed.images", images };
  }
  return linkCard ? { $type: "app.bsky.embed.external", external: linkCard } : null;
}

function aspectRatio({ width, height }: JobMedia): JsonObject {
  return width && height ? { aspectRatio: { width, height } } : {};
}

const ALPHABET = "234567abcdefghijklmnopqrstuvwxyz";
const TID_LENGTH = 13;
const CLOCK_ID_BITS = 10n;

/**
 * Computes the record key of a target: a TID that every run of the post computes again, even without its reference. Its
 * time is the due time plus up to one second; its clock id has 10 bits. Both additions come from the SHA-256 of post
 * and account, so that two posts of the same moment have different keys. Each thread part is one microsecond later than
 * the previous one.
 */
export async function recordKey(
  target: Pick<Job, "postId" | "accountId" | "dueAt"> & Partial<Pick<Job, "progress">>,
): Promise<string> {
  const source = new TextEncoder().encode(`${target.postId}/${target.accountId}`);
  const digest = new DataView(await crypto.subtle.digest("SHA-256", source));
  // mutant: thread-one-record-key
  const part = publishedThreadParts(target.progress ?? null).length;
  const microseconds = target.dueAt * 1000 + (digest.getUint32(0) % (SECOND * 1000)) + part;
  const clockId = digest.getUint16(4) % 2 ** Number(CLOCK_ID_BITS);
  return encodeTid(microseconds, clockId);
}

/**
 * Encodes a TID: 53 bits of microseconds since 1970 and 10 bits of clock id, in an alphabet that sorts
 * (atproto.com/specs/tid).
 */
export function encodeTid(microseconds: number, clockId: number): string {
  const value = (BigInt(microseconds) << CLOCK_ID_BITS) | BigInt(clockId);
  let text = "";
  for (let index = TID_LENGTH - 1; index >= 0; index--) {
    text += ALPHABET[Number((value >> BigInt(5 * index)) & 31n)];
  }
  return text;
}
