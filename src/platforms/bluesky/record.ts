import type { JsonObject } from "#core/json.ts";
import { MINUTE, toIsoInstant } from "#core/clock.ts";
import type { Job, JobMedia, PlatformClient, Result } from "#platforms/contract.ts";
import { altTextOf } from "#platforms/alt-text.ts";
import { succeeded } from "#platforms/fault.ts";
import type { Blob } from "./answers.ts";
import { resolveHandle } from "./identity.ts";
import { options } from "./options.ts";
import type { CommitRef } from "./refs.ts";
import { findTextLinks, toFacets } from "./rich-text.ts";
import { recordKey } from "./tid.ts";

export const COLLECTION = "app.bsky.feed.post";
/** So long a post waits for the lookup of its mentions; then those that are still unknown stay plain text. */
const MENTION_LOOKUP_MS = 10 * MINUTE;

/** Builds the record around files that the server already has. */
export async function createCommitRef(
  client: PlatformClient,
  job: Job,
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
    },
    sendCount: 0,
    sentAt: null,
    refusal: null,
  });
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
