import { recordTable } from "#sandbox/record-table.ts";
import { SECOND, toIsoInstant } from "#core/clock.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { MediaInfo } from "#sandbox/inspect-media.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { fetchMedia } from "#sandbox/fetch-media.ts";
import {
  booleanParam,
  graphError,
  jsonParam,
  paginate,
  type Params,
  selectFields,
  textParam,
} from "#sandbox/graph-api.ts";
import { nextSerialNumber } from "#sandbox/serial-number.ts";
import { invalidParameter } from "./error-responses.ts";
import { nodeResponse, refuseUnknownField } from "./node-fields.ts";

/* Texts and photos on a Page (platforms/facebook.md 2.1 to 2.3). */

export const CRAWLER_USER_AGENT = "facebookexternalhit/1.1";
const MESSAGE_MAX = 63_206;
const PHOTOS_MAX = 80;
const PHOTO_MAX_BYTES = 4 * 1024 * 1024;
const DEFAULT_PAGE_SIZE = 25;
const PHOTO_TYPES: ReadonlySet<MediaInfo["type"]> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

export interface Post {
  readonly id: string;
  readonly page: string;
  readonly message: string;
  readonly link: string | null;
  readonly photos: readonly string[];
  readonly publishedAt: number;
  readonly serial: number;
  readonly deleted: boolean;
}

const POSTS = recordTable<Post>("post:");

export interface Photo {
  readonly id: string;
  readonly page: string;
  readonly sha256: string;
  readonly altText: string | null;
  /** The id of the post or story that shows the photo. Null before one does. */
  readonly postId: string | null;
}

const PHOTOS = recordTable<Photo>("photo:");

const allPosts = (sim: SimulatorContext): readonly Post[] => POSTS.list(sim);

export const findPost = (sim: SimulatorContext, id: string): Post | undefined => POSTS.find(sim, id);

export const findPhoto = (sim: SimulatorContext, id: string): Photo | undefined => PHOTOS.find(sim, id);

export const savePhoto = (sim: SimulatorContext, photo: Photo): void => PHOTOS.save(sim, photo.id, { ...photo });

function savePost(sim: SimulatorContext, post: Post): void {
  POSTS.save(sim, post.id, { ...post, photos: [...post.photos] });
}

export const formatGraphTime = (ms: number): string => toIsoInstant(ms).replace(/\.\d{3}Z$/, "+0000");

function postJson(sim: SimulatorContext, post: Post): JsonObject {
  const targets = post.photos.map((id) => ({ target: { id }, type: "photo" }));
  return {
    id: post.id,
    message: post.message,
    created_time: formatGraphTime(post.publishedAt),
    permalink_url: `https://www.facebook.com/${post.id}`,
    is_published: true,
    status_type: post.photos.length > 0 ? "added_photos" : "mobile_status_update",
    application: { id: sim.app.clientId, name: "sandbox" },
    ...(targets.length === 1 && { attachments: { data: targets } }),
    // Several photos become one album.
    ...(targets.length > 1 && {
      attachments: { data: [{ type: "album", target: { id: post.id }, subattachments: { data: targets } }] },
    }),
  };
}

function storePost(
  sim: SimulatorContext,
  page: string,
  message: string,
  link: string | null,
  photos: readonly Photo[],
  place: string | null = null,
): Post {
  const id = `${page}_${sim.newId(15)}`;
  const post: Post = {
    id,
    page,
    message,
    link,
    photos: photos.map((photo) => photo.id),
    publishedAt: sim.now(),
    serial: nextSerialNumber(sim),
    deleted: false,
  };
  savePost(sim, post);
  for (const photo of photos) {
    savePhoto(sim, { ...photo, postId: id });
  }
  const altTexts = photos.map((photo) => photo.altText);
  sim.recordPublishedPost({
    id,
    url: `https://www.facebook.com/${id}`,
    account: page,
    kind: photos.length > 1 ? "carousel" : photos.length === 1 ? "image" : "text",
    text: message,
    title: null,
    media: photos.map((photo) => ({ type: "image", sha256: photo.sha256 })),
    options: {
      link,
      ...(place !== null && { place }),
      ...(altTexts.some((text) => text !== null) && { alt_texts: altTexts }),
    },
    accepted_at: toIsoInstant(post.publishedAt),
  });
  return post;
}

function newestPost(sim: SimulatorContext, page: string): Post | undefined {
  return allPosts(sim)
    .filter((post) => post.page === page && !post.deleted)
    .toSorted((a, b) => b.publishedAt - a.publishedAt || b.serial - a.serial)[0];
}

/** The unpublished photos that a call attaches, or the error response. */
function attachedPhotos(sim: SimulatorContext, page: string, params: Params): readonly Photo[] | Response {
  const listParam = jsonParam(params, "attached_media");
  const indexedParams = Array.from({ length: PHOTOS_MAX }, (_, index) =>
    jsonParam(params, `attached_media[${index}]`),
  ).filter((item) => item !== undefined);
  const photos: Photo[] = [];
  for (const item of Array.isArray(listParam) ? (listParam as readonly JsonValue[]) : indexedParams) {
    const id = (item as { readonly media_fbid?: JsonValue } | null)?.media_fbid;
    const photo = typeof id === "string" ? findPhoto(sim, id) : undefined;
    if (photo?.page !== page || photo.postId !== null || photos.some((earlier) => earlier.id === photo.id)) {
      return invalidParameter(
        sim,
        `Param attached_media: ${JSON.stringify(id)} is not an unpublished photo of the Page`,
      );
    }
    photos.push(photo);
  }
  return photos;
}

/** Handles `POST /{page}/feed`. */
export function createPost(sim: SimulatorContext, page: string, params: Params): Response {
  const message = textParam(params, "message") ?? "";
  const link = textParam(params, "link");
  if (booleanParam(params, "published") === false) {
    return invalidParameter(sim, "The sandbox supports published posts only");
  }
  if (message.length > MESSAGE_MAX) {
    return invalidParameter(sim, "Param message is too long.");
  }
  if (link !== null && !/^https?:$/.test(URL.parse(link)?.protocol ?? "")) {
    return graphError(sim, { code: 100, subcode: 1_609_005, message: "(#100) The link could not be scraped" });
  }
  const photos = attachedPhotos(sim, page, params);
  if (photos instanceof Response) {
    return photos;
  }
  if (message === "" && link === null && photos.length === 0) {
    return invalidParameter(sim, "Param message, link or attached_media is required");
  }
  const previous = newestPost(sim, page);
  if (photos.length === 0 && message !== "" && previous?.photos.length === 0 && previous.message === message) {
    return graphError(sim, { code: 506, message: "(#506) Duplicate status message" });
  }
  const place = textParam(params, "place");
  if (place !== null && !/^\d+$/.test(place)) {
    return invalidParameter(sim, "Param place must be the id of a Page");
  }
  const fields = textParam(params, "fields") ?? "id";
  const refusal = refuseUnknownField(sim, "Post", fields);
  if (refusal) {
    return refusal;
  }
  const post = storePost(sim, page, message, link, photos, place);
  return Response.json(selectFields(postJson(sim, post), fields));
}

/** Handles `POST /{page}/photos`. If `published` is false, the photo stays hidden until a post attaches it. */
export async function createPhoto(sim: SimulatorContext, page: string, params: Params): Promise<Response> {
  const file = await fetchMedia(sim, textParam(params, "url"), CRAWLER_USER_AGENT);
  if (!file) {
    return graphError(sim, { code: 100, subcode: 2_061_006, message: "(#100) The url could not be fetched" });
  }
  if (!PHOTO_TYPES.has(file.info.type) || file.size > PHOTO_MAX_BYTES) {
    return graphError(sim, { code: 324, subcode: 1_366_046, message: "(#324) Missing or invalid image file" });
  }
  const altText = textParam(params, "alt_text_custom");
  const photo: Photo = { id: sim.newId(15), page, sha256: file.sha256, altText, postId: null };
  if (booleanParam(params, "published") === false) {
    savePhoto(sim, photo);
    return Response.json({ id: photo.id });
  }
  const post = storePost(sim, page, textParam(params, "message") ?? textParam(params, "caption") ?? "", null, [photo]);
  return Response.json({ id: photo.id, post_id: post.id });
}

/** Handles `GET /{page}/published_posts`, newest first. */
export function listPublishedPosts(sim: SimulatorContext, page: string, url: URL): Response {
  const since = Number(url.searchParams.get("since") ?? "0") * SECOND;
  const until = Number(url.searchParams.get("until") ?? Number.POSITIVE_INFINITY) * SECOND;
  const fields = url.searchParams.get("fields") ?? "id,created_time,message";
  const refusal = refuseUnknownField(sim, "Post", fields);
  if (refusal) {
    return refusal;
  }
  const results = allPosts(sim)
    .filter((post) => post.page === page && !post.deleted && post.publishedAt >= since && post.publishedAt < until)
    .filter((post) => post.publishedAt + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => b.publishedAt - a.publishedAt || b.serial - a.serial);
  return paginate(
    url,
    results.map((post) => selectFields(postJson(sim, post), fields)),
    DEFAULT_PAGE_SIZE,
  );
}

/** Handles GET, POST (a new message) and DELETE of a post. */
export function postNode(sim: SimulatorContext, post: Post, method: string, params: Params): Response {
  switch (method) {
    case "GET":
      return nodeResponse(sim, "Post", postJson(sim, post), textParam(params, "fields") ?? "id,created_time,message");
    case "POST":
      savePost(sim, { ...post, message: textParam(params, "message") ?? post.message });
      return Response.json({ success: true });
    default:
      savePost(sim, { ...post, deleted: true });
      return Response.json({ success: true });
  }
}

/** Handles GET and DELETE of a photo. */
export function photoNode(sim: SimulatorContext, photo: Photo, method: string, params: Params): Response {
  if (method === "DELETE") {
    PHOTOS.remove(sim, photo.id);
    return Response.json({ success: true });
  }
  const allFields = {
    id: photo.id,
    link: `https://www.facebook.com/photo/?fbid=${photo.id}`,
    ...(photo.postId !== null && { page_story_id: photo.postId }),
  };
  return nodeResponse(sim, "Photo", allFields, textParam(params, "fields") ?? "id");
}
