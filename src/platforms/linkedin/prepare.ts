import type { JsonValue } from "#core/json.ts";
import type { Job, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { prepareImages } from "./images.ts";
import { Cursor, refOf } from "./refs.ts";
import { prepareVideo } from "./video.ts";

export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const [first] = job.media;
  if (!first) {
    return { state: "ready", ref: refOf([], job.now) };
  }
  const begun = cursor === undefined ? undefined : Cursor.parse(cursor);
  return first.type === "video"
    ? await prepareVideo(client, job, first, begun?.kind === "video" ? begun : undefined)
    : await prepareImages(client, job, begun?.kind === "images" ? begun : undefined);
}
