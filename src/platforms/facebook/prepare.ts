import type { JsonValue } from "#core/json.ts";
import { call, isOk, read } from "#platforms/answer.ts";
import type { Fault, Job, JobMedia, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { bearer, postJson } from "#platforms/form.ts";
import { Posted } from "./answers.ts";
import { toFault } from "./errors.ts";
import { graphOf } from "./hosts.ts";
import { prepareReel } from "./prepare-reel.ts";
import { PhotosCursor, refOf } from "./refs.ts";

const RETRY_SECONDS = 5;
/** Unpublished photos are kept for a day or so. */
const PHOTO_LIFETIME_MS = 23 * 3_600_000;

export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const [first] = job.media;
  if (!first) {
    return { state: "ready", ref: refOf("feed") };
  }
  if (first.type === "image") {
    return await uploadPhotos(client, job, cursor);
  }
  // A video of the timeline is one visible call: there is nothing to make before it.
  return job.options["placement"] === "timeline"
    ? { state: "ready", ref: refOf("video") }
    : await prepareReel(client, job, first, cursor);
}

type Uploaded = { readonly ok: true; readonly id: string } | { readonly ok: false; readonly fault: Fault };

/** Unpublished, even a single one: the post that shows them is the only visible call, and their ids tell it apart. */
async function uploadPhotos(client: PlatformClient, job: Job, cursor: JsonValue | undefined): Promise<PrepareOutcome> {
  const begun: PhotosCursor =
    cursor === undefined ? { photos: job.media.map(() => null), since: job.now } : PhotosCursor.parse(cursor);
  const lost = temporary("The connection to Facebook broke.", { httpStatus: null });
  const results = await Promise.all(
    job.media.map(async (photo, index): Promise<Uploaded> => {
      const id = begun.photos[index];
      return id ? { ok: true, id } : await uploadPhoto(client, job, photo).catch(() => ({ ok: false, fault: lost }));
    }),
  );
  const faults = results.flatMap((result) => (result.ok ? [] : [result.fault]));
  const fault = faults.find((one) => one.kind !== "temporary") ?? faults[0];
  const photos = results.map((result) => (result.ok ? result.id : null));
  if (!fault) {
    const ids = photos.filter((id) => id !== null);
    return { state: "ready", ref: refOf("feed", { photos: ids }), expiresAt: begun.since + PHOTO_LIFETIME_MS };
  }
  const isProgress = photos.some((id, index) => id !== null && !begun.photos[index]);
  return fault.kind === "temporary" && isProgress
    ? { state: "again", afterSeconds: RETRY_SECONDS, cursor: { photos, since: begun.since } }
    : { state: "refused", fault };
}

async function uploadPhoto(client: PlatformClient, job: Job, photo: JobMedia): Promise<Uploaded> {
  const url = `${graphOf(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/photos`;
  const answer = await call(
    client,
    url,
    postJson({ url: photo.url, published: false }, bearer(job.account.accessToken)),
  );
  const posted = isOk(answer) ? read(Posted, answer) : undefined;
  if (posted) {
    return { ok: true, id: posted.id };
  }
  return {
    ok: false,
    fault: isOk(answer)
      ? temporary("Facebook took a photo without telling its id.", { httpStatus: answer.status })
      : toFault(answer),
  };
}
