import { SECOND, toInstant } from "#core/clock.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Looks } from "#sandbox/bytes.ts";
import type { Sim } from "#sandbox/contract.ts";
import { fetchMedia } from "#sandbox/fetching.ts";
import { flagOf, graphError, jsonOf, pageOf, type Params, select, textOf } from "#sandbox/graph.ts";
import { serial } from "#sandbox/serial.ts";
import { invalid } from "./problems.ts";

/* Texts and photos on a Page: platforms/facebook.md 2.1 to 2.3. */

export const CRAWLER = "facebookexternalhit/1.1";
const MESSAGE_MAX = 63_206;
const PHOTOS_MAX = 80;
const PHOTO_MAX_BYTES = 4 * 1024 * 1024;
const USUAL_PAGE = 25;
const PHOTOS: ReadonlySet<Looks["type"]> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

export interface Post {
  readonly id: string;
  readonly page: string;
  readonly message: string;
  readonly link: string | null;
  readonly photos: readonly string[];
  readonly at: number;
  readonly serial: number;
  readonly deleted: boolean;
}

export interface Photo {
  readonly id: string;
  readonly page: string;
  readonly sha256: string;
  readonly altText: string | null;
  /** The post it stands in; null while it is unpublished. */
  readonly postId: string | null;
}

const posts = (sim: Sim): readonly Post[] => sim.store.list("post:").map(([, post]) => post as unknown as Post);

export const findPost = (sim: Sim, id: string): Post | undefined => sim.store.get(`post:${id}`) as Post | undefined;

export const findPhoto = (sim: Sim, id: string): Photo | undefined => sim.store.get(`photo:${id}`) as Photo | undefined;

function savePost(sim: Sim, post: Post): void {
  sim.store.put(`post:${post.id}`, { ...post, photos: [...post.photos] });
}

export const graphInstant = (ms: number): string => toInstant(ms).replace(/\.\d{3}Z$/, "+0000");

function postJson(sim: Sim, post: Post): JsonObject {
  const targets = post.photos.map((id) => ({ target: { id }, type: "photo" }));
  return {
    id: post.id,
    message: post.message,
    created_time: graphInstant(post.at),
    permalink_url: `https://www.facebook.com/${post.id}`,
    is_published: true,
    status_type: post.photos.length > 0 ? "added_photos" : "mobile_status_update",
    application: { id: sim.app.clientId, name: "sandbox" },
    ...(targets.length === 1 && { attachments: { data: targets } }),
    // Several photos stand below one album.
    ...(targets.length > 1 && {
      attachments: { data: [{ type: "album", target: { id: post.id }, subattachments: { data: targets } }] },
    }),
  };
}

function addPost(sim: Sim, page: string, message: string, link: string | null, photos: readonly Photo[]): Post {
  const id = `${page}_${sim.id(15)}`;
  const post: Post = {
    id,
    page,
    message,
    link,
    photos: photos.map((photo) => photo.id),
    at: sim.now(),
    serial: serial(sim),
    deleted: false,
  };
  savePost(sim, post);
  for (const photo of photos) {
    sim.store.put(`photo:${photo.id}`, { ...photo, postId: id });
  }
  const altTexts = photos.map((photo) => photo.altText);
  sim.publish({
    id,
    url: `https://www.facebook.com/${id}`,
    account: page,
    kind: photos.length > 1 ? "carousel" : photos.length === 1 ? "image" : "text",
    text: message,
    title: null,
    media: photos.map((photo) => ({ type: "image", sha256: photo.sha256 })),
    options: { link, ...(altTexts.some((text) => text !== null) && { alt_texts: altTexts }) },
    accepted_at: toInstant(post.at),
  });
  return post;
}

function newestOf(sim: Sim, page: string): Post | undefined {
  return posts(sim)
    .filter((post) => post.page === page && !post.deleted)
    .toSorted((a, b) => b.at - a.at || b.serial - a.serial)[0];
}

/** The photos that a call attaches, none of them published yet, or the refusal. */
function attachedPhotos(sim: Sim, page: string, params: Params): readonly Photo[] | Response {
  const listed = jsonOf(params, "attached_media");
  const indexed = Array.from({ length: PHOTOS_MAX }, (_, at) => jsonOf(params, `attached_media[${at}]`)).filter(
    (one) => one !== undefined,
  );
  const found: Photo[] = [];
  for (const one of Array.isArray(listed) ? (listed as readonly JsonValue[]) : indexed) {
    const id = (one as { readonly media_fbid?: JsonValue } | null)?.media_fbid;
    const photo = typeof id === "string" ? findPhoto(sim, id) : undefined;
    if (photo?.page !== page || photo.postId !== null || found.some((other) => other.id === photo.id)) {
      return invalid(sim, `Param attached_media: ${JSON.stringify(id)} is not an unpublished photo of the Page`);
    }
    found.push(photo);
  }
  return found;
}

/** POST /{page}/feed */
export function feed(sim: Sim, page: string, params: Params): Response {
  const message = textOf(params, "message") ?? "";
  const link = textOf(params, "link");
  if (flagOf(params, "published") === false) {
    return invalid(sim, "Only published posts are played here");
  }
  if (message.length > MESSAGE_MAX) {
    return invalid(sim, "Param message is too long.");
  }
  if (link !== null && !/^https?:$/.test(URL.parse(link)?.protocol ?? "")) {
    return graphError(sim, { code: 100, subcode: 1_609_005, message: "(#100) The link could not be scraped" });
  }
  const photos = attachedPhotos(sim, page, params);
  if (photos instanceof Response) {
    return photos;
  }
  if (message === "" && link === null && photos.length === 0) {
    return invalid(sim, "Param message, link or attached_media is required");
  }
  const last = newestOf(sim, page);
  if (photos.length === 0 && message !== "" && last?.photos.length === 0 && last.message === message) {
    return graphError(sim, { code: 506, message: "(#506) Duplicate status message" });
  }
  const post = addPost(sim, page, message, link, photos);
  return Response.json(select(postJson(sim, post), textOf(params, "fields") ?? "id"));
}

/** POST /{page}/photos: with `published` false nobody sees it until a post attaches it. */
export async function addPhoto(sim: Sim, page: string, params: Params): Promise<Response> {
  const found = await fetchMedia(sim, textOf(params, "url"), CRAWLER);
  if (!found) {
    return graphError(sim, { code: 100, subcode: 2_061_006, message: "(#100) The url could not be fetched" });
  }
  if (!PHOTOS.has(found.looks.type) || found.size > PHOTO_MAX_BYTES) {
    return graphError(sim, { code: 324, subcode: 1_366_046, message: "(#324) Missing or invalid image file" });
  }
  const altText = textOf(params, "alt_text_custom");
  const photo: Photo = { id: sim.id(15), page, sha256: found.sha256, altText, postId: null };
  if (flagOf(params, "published") === false) {
    sim.store.put(`photo:${photo.id}`, { ...photo });
    return Response.json({ id: photo.id });
  }
  const post = addPost(sim, page, textOf(params, "message") ?? textOf(params, "caption") ?? "", null, [photo]);
  return Response.json({ id: photo.id, post_id: post.id });
}

/** GET /{page}/published_posts, newest first. */
export function publishedPosts(sim: Sim, page: string, url: URL): Response {
  const since = Number(url.searchParams.get("since") ?? "0") * SECOND;
  const until = Number(url.searchParams.get("until") ?? Number.POSITIVE_INFINITY) * SECOND;
  const fields = url.searchParams.get("fields") ?? "id,created_time,message";
  const found = posts(sim)
    .filter((post) => post.page === page && !post.deleted && post.at >= since && post.at < until)
    .filter((post) => post.at + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => b.at - a.at || b.serial - a.serial);
  return pageOf(
    url,
    found.map((post) => select(postJson(sim, post), fields)),
    USUAL_PAGE,
  );
}

/** GET, POST (a new message) and DELETE of a post. */
export function onePost(sim: Sim, post: Post, method: string, params: Params): Response {
  switch (method) {
    case "GET":
      return Response.json(select(postJson(sim, post), textOf(params, "fields") ?? "id,created_time,message"));
    case "POST":
      savePost(sim, { ...post, message: textOf(params, "message") ?? post.message });
      return Response.json({ success: true });
    default:
      savePost(sim, { ...post, deleted: true });
      return Response.json({ success: true });
  }
}

/** GET and DELETE of a photo. */
export function onePhoto(sim: Sim, photo: Photo, method: string, params: Params): Response {
  if (method === "DELETE") {
    sim.store.delete(`photo:${photo.id}`);
    return Response.json({ success: true });
  }
  const all = {
    id: photo.id,
    link: `https://www.facebook.com/photo/?fbid=${photo.id}`,
    ...(photo.postId !== null && { page_story_id: photo.postId }),
  };
  return Response.json(select(all, textOf(params, "fields") ?? "id"));
}
