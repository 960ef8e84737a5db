import type { JsonValue } from "#core/json.ts";
import type { Job, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { prepareDocument } from "./documents.ts";
import { prepareImages } from "./images.ts";
import { Cursor, createCommitRef } from "./refs.ts";
import { prepareVideo } from "./video.ts";

export async function prepare(
  client: PlatformClient,
  job: Job,
  storedCursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const [first] = job.media;
  const cursor = storedCursor === undefined ? undefined : Cursor.parse(storedCursor);
  if (job.document) {
    return await prepareDocument(client, job, job.document, cursor?.kind === "document" ? cursor : undefined);
  }
  if (!first) {
    return { state: "ready", ref: createCommitRef([], job.now) };
  }
  return first.type === "video"
    ? await prepareVideo(client, job, first, cursor?.kind === "video" ? cursor : undefined)
    : await prepareImages(client, job, cursor?.kind === "images" ? cursor : undefined);
}
