import type { JsonValue } from "#core/json.ts";
import { altTextOf } from "#platforms/alt-text.ts";
import { callPlatform, readBody } from "#platforms/response.ts";
import type { Job, JobMedia, PrepareOutcome, PlatformClient, Result } from "#platforms/contract.ts";
import { failed, temporary, succeeded } from "#platforms/fault.ts";
import { bearerHeader, postJson } from "#platforms/request-encoding.ts";
import { isStory } from "#platforms/story.ts";
import { CreatedPost } from "./answers.ts";
import { toFault } from "./errors.ts";
import { graphUrl, CALL_TIMEOUT_MS } from "./hosts.ts";
import { prepareReel, prepareTimelineVideo } from "./upload.ts";
import { PhotosCursor, createCommitRef } from "./refs.ts";

const RETRY_SECONDS = 5;
/** How long (ms) uploaded photos are used. Facebook keeps unpublished photos for about a day. */
const PHOTO_LIFETIME_MS = 23 * 3_600_000;

export async function prepare(
  client: PlatformClient,
  job: Job,
  storedCursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const [first] = job.media;
  if (!first) {
    return { state: "ready", ref: createCommitRef("feed") };
  }
  if (first.type === "image") {
    return await uploadPhotos(client, job, storedCursor);
  }
  return job.options["placement"] === "timeline"
    ? await prepareTimelineVideo(client, job, first, storedCursor)
    : await prepareReel(client, job, first, storedCursor);
}

/**
 * Uploads all photos without publishing them, even a single one. One visible call then publishes them as a post or a
 * story, and their ids identify it.
 */
async function uploadPhotos(
  client: PlatformClient,
  job: Job,
  storedCursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const cursor: PhotosCursor =
    storedCursor === undefined
      ? { photos: job.media.map(() => null), since: job.now }
      : PhotosCursor.parse(storedCursor);
  const connectionLost = temporary("The connection to Facebook broke.", { httpStatus: null });
  const results = await Promise.all(
    job.media.map(async (photo, index): Promise<Result<{ readonly id: string }>> => {
      const id = cursor.photos[index];
      return id ? succeeded({ id }) : await uploadPhoto(client, job, photo).catch(() => failed(connectionLost));
    }),
  );
  const faults = results.flatMap((result) => (result.ok ? [] : [result.fault]));
  const fault = faults.find((entry) => entry.kind !== "temporary") ?? faults[0];
  const photos = results.map((result) => (result.ok ? result.value.id : null));
  if (!fault) {
    const ids = photos.filter((id) => id !== null);
    return {
      state: "ready",
      ref: createCommitRef(isStory(job.options) ? "story" : "feed", { photos: ids }),
      expiresAt: cursor.since + PHOTO_LIFETIME_MS,
    };
  }
  const isProgress = photos.some((id, index) => id !== null && !cursor.photos[index]);
  return fault.kind === "temporary" && isProgress
    ? { state: "again", afterSeconds: RETRY_SECONDS, cursor: { photos, since: cursor.since } }
    : { state: "refused", fault };
}

async function uploadPhoto(
  client: PlatformClient,
  job: Job,
  photo: JobMedia,
): Promise<Result<{ readonly id: string }>> {
  const url = `${graphUrl(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/photos`;
  const altText = altTextOf(photo);
  const body = { url: photo.url, published: false, ...(altText !== undefined && { alt_text_custom: altText }) };
  const response = await callPlatform(client, url, {
    ...postJson(body, bearerHeader(job.account.accessToken)),
    timeoutMs: CALL_TIMEOUT_MS,
  });
  return readBody(CreatedPost, response, "Facebook accepted a photo but did not return its id.", toFault);
}
