import type { SimulatorContext } from "#sandbox/contract.ts";
import { inspectMedia } from "#sandbox/inspect-media.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { channelsOf } from "./channels.ts";
import { errorResponse, insufficientScopes, missingParameter } from "./error-responses.ts";
import { findVideo, hasAnyScope, hasEnded, saveVideo } from "./videos.ts";

/* Covers of videos: https://developers.google.com/youtube/data/reference/rest/v3/thumbnails/set */

const SCOPES = ["youtube.upload", "youtube", "youtube.force-ssl"];
const DOMAIN = "youtube.thumbnail";
const MAX_BYTES = 50_000_000;
const TYPES = new Set(["image/jpeg", "image/png"]);
const SENT_TYPES = new Set([...TYPES, "application/octet-stream"]);

/** POST /upload/youtube/v3/thumbnails/set */
export async function setThumbnail(request: Request, url: URL, sim: SimulatorContext, token: Token): Promise<Response> {
  if (!hasAnyScope(token, SCOPES)) {
    return insufficientScopes();
  }
  const id = url.searchParams.get("videoId");
  if (id === null) {
    return missingParameter("videoId");
  }
  if (url.searchParams.get("uploadType") !== "media" || !request.body) {
    return errorResponse(400, "mediaBodyRequired", "The request does not include the image content.", DOMAIN);
  }
  const { sha256, size, head } = await sim.digest(request.body);
  const video = findVideo(sim, id);
  if (!video || video.deleted) {
    return errorResponse(
      404,
      "videoNotFound",
      "The video that you are trying to set a thumbnail for cannot be found.",
      DOMAIN,
    );
  }
  // A channel without a verified phone number has no custom thumbnails. A Short takes one only after processing.
  const isVerified = channelsOf(token.login).some(
    ({ id: channel, longUploads }) => channel === video.channel && longUploads === "allowed",
  );
  if (video.login !== token.login || !isVerified || !hasEnded(sim, video)) {
    return errorResponse(
      403,
      "forbidden",
      "The authenticated user doesn't have permissions to upload and set custom video thumbnails.",
      DOMAIN,
    );
  }
  const sentType = request.headers.get("content-type") ?? "";
  if (!SENT_TYPES.has(sentType) || !TYPES.has(inspectMedia(head).type) || size > MAX_BYTES) {
    return errorResponse(400, "invalidImage", "The provided image content is invalid.", DOMAIN);
  }
  saveVideo(sim, { ...video, thumbnailSha256: sha256 });
  return Response.json({
    kind: "youtube#thumbnailSetResponse",
    items: [{ default: { url: `https://i.ytimg.com/vi/${id}/${sha256}.jpg`, width: 120, height: 90 } }],
  });
}
