import { recordTable } from "#sandbox/record-table.ts";
import { DAY, SECOND, toIsoInstant } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { paginate, type Params, selectFields, textParam, unknownField } from "#sandbox/graph-api.ts";
import { nextSerialNumber } from "#sandbox/serial-number.ts";
import { invalidParameter } from "./error-responses.ts";
import { findPhoto, savePhoto } from "./posts.ts";

/* Stories of a Page (https://developers.facebook.com/docs/page-stories-api). videos.ts publishes those with a video. */

const DEFAULT_PAGE_SIZE = 25;

interface Story {
  readonly id: string;
  readonly page: string;
  readonly mediaType: "photo" | "video";
  readonly mediaId: string;
  readonly publishedAt: number;
  readonly serial: number;
}

const STORIES = recordTable<Story>("story:");

/** Makes a story public. A photo may have a description. */
export function publishStory(
  sim: SimulatorContext,
  story: Pick<Story, "id" | "page" | "mediaType" | "mediaId"> & {
    readonly sha256: string;
    readonly acceptedAt: number;
  },
  altText: string | null = null,
): void {
  const { sha256, acceptedAt, ...fields } = story;
  const published: Story = { ...fields, publishedAt: sim.now(), serial: nextSerialNumber(sim) };
  STORIES.save(sim, published.id, published);
  sim.recordPublishedPost({
    id: published.id,
    url: storyUrl(published),
    account: published.page,
    kind: "story",
    text: "",
    title: null,
    media: [{ type: published.mediaType === "photo" ? "image" : "video", sha256 }],
    options: altText === null ? {} : { alt_texts: [altText] },
    accepted_at: toIsoInstant(acceptedAt),
  });
}

/**
 * The URL of a story. It has two segments, as listed stories have shown (github.com/gitroomhq/postiz-app/issues/1920).
 * Neither is the story's id.
 */
const storyUrl = ({ page, id }: Story): string => `https://facebook.com/stories/${page}/${btoa(`S:_ISC:${id}`)}/`;

/** Handles `POST /{page}/photo_stories`. */
export function createPhotoStory(sim: SimulatorContext, page: string, params: Params): Response {
  const photoId = textParam(params, "photo_id") ?? "";
  const photo = findPhoto(sim, photoId);
  // A photo can be used once: "A photo or video uploaded for a story can not have been used in a previously published
  // post".
  if (photo?.page !== page || photo.postId !== null) {
    return invalidParameter(sim, `Param photo_id: ${JSON.stringify(photoId)} is not an unpublished photo of the Page`);
  }
  const id = sim.newId(15);
  savePhoto(sim, { ...photo, postId: id });
  publishStory(
    sim,
    { id, page, mediaType: "photo", mediaId: photoId, sha256: photo.sha256, acceptedAt: sim.now() },
    photo.altText,
  );
  return Response.json({ success: true, post_id: id });
}

/**
 * Handles `GET /{page}/stories`. With `story_archive` false, the Page has no archive and the list is empty. Earlier
 * editions of the guide require the archive for the whole list, the current one only for archived stories.
 */
export function listStories(sim: SimulatorContext, page: string, url: URL): Response {
  const { searchParams: query } = url;
  const since = Number(query.get("since") ?? "0") * SECOND;
  const until = Number(query.get("until") ?? Number.POSITIVE_INFINITY) * SECOND;
  const fields = query.get("fields") ?? "post_id,status,creation_time,media_type,media_id,url";
  const status = query.get("status");
  const items = STORIES.list(sim)
    .filter((story) => story.page === page && story.publishedAt >= since && story.publishedAt < until)
    .filter((story) => story.publishedAt + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => b.publishedAt - a.publishedAt || b.serial - a.serial)
    .map((story) => storyJson(sim, story))
    .filter((story) => status === null || story["status"] === status);
  const unknown = items[0] && unknownField(items[0], fields);
  if (unknown !== undefined) {
    return invalidParameter(sim, `Tried accessing nonexisting field (${unknown}) on node type (Stories)`);
  }
  const listed = sim.settings.extra["story_archive"] === false ? [] : items;
  return paginate(
    url,
    listed.map((story) => selectFields(story, fields)),
    DEFAULT_PAGE_SIZE,
  );
}

const storyJson = (sim: SimulatorContext, story: Story): JsonObject => ({
  post_id: story.id,
  status: story.publishedAt + DAY > sim.now() ? "PUBLISHED" : "ARCHIVED",
  creation_time: String(Math.floor(story.publishedAt / SECOND)),
  media_type: story.mediaType,
  media_id: story.mediaId,
  url: storyUrl(story),
});
