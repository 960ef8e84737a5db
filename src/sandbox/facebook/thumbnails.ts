import type { PublishedExtra, SimulatorContext } from "#sandbox/contract.ts";
import { paginate, type Params, textParam } from "#sandbox/graph-api.ts";
import { inspectMedia } from "#sandbox/inspect-media.ts";
import { recordTable } from "#sandbox/record-table.ts";
import { invalidParameter, permissionDenied } from "./error-responses.ts";

/* Covers of videos: https://developers.facebook.com/docs/graph-api/reference/video/thumbnails */

const SCOPES = ["pages_read_user_content", "pages_manage_engagement", "pages_show_list"];
const MAX_BYTES = 10_000_000;
/** The accepted types. Facebook's document shows a JPEG and lists no types. */
const TYPES: ReadonlySet<string> = new Set(["image/jpeg", "image/png"]);
const DEFAULT_PAGE_SIZE = 25;

interface Thumbnail {
  readonly id: string;
  readonly video: string;
  readonly sha256: string;
  readonly isPreferred: boolean;
}

const THUMBNAILS = recordTable<Thumbnail>("thumbnail:");

export const publishedCovers = (sim: SimulatorContext): PublishedExtra[] =>
  THUMBNAILS.list(sim)
    .filter(({ isPreferred }) => isPreferred)
    .map(({ id, video, sha256 }) => ({ name: "cover", id, addedTo: video, text: sha256 }));

/** Handles `POST /{video}/thumbnails`. */
export async function createThumbnail(
  sim: SimulatorContext,
  video: string,
  params: Params,
  file: Blob | null,
  scopes: readonly string[],
): Promise<Response> {
  const missing = SCOPES.find((scope) => !scopes.includes(scope));
  if (missing !== undefined) {
    return permissionDenied(sim, `Requires ${missing} permission`);
  }
  if (file === null) {
    return invalidParameter(sim, "The parameter source is required");
  }
  const { sha256, size, head } = await sim.digest(file.stream());
  if (size > MAX_BYTES || !TYPES.has(inspectMedia(head).type)) {
    return invalidParameter(sim, "Invalid image");
  }
  const isPreferred = textParam(params, "is_preferred") === "true";
  for (const other of THUMBNAILS.list(sim).filter((one) => isPreferred && one.video === video)) {
    THUMBNAILS.save(sim, other.id, { ...other, isPreferred: false });
  }
  const id = sim.newId(16);
  THUMBNAILS.save(sim, id, { id, video, sha256, isPreferred });
  return Response.json({ success: true });
}

/** Handles `GET /{video}/thumbnails`. */
export function listThumbnails(sim: SimulatorContext, video: string, url: URL): Response {
  const items = THUMBNAILS.list(sim)
    .filter((thumbnail) => thumbnail.video === video)
    .map(({ id, sha256, isPreferred }) => ({
      id,
      uri: `https://scontent.example.com/${sha256}.jpg`,
      is_preferred: isPreferred,
    }));
  return paginate(url, items, DEFAULT_PAGE_SIZE);
}
