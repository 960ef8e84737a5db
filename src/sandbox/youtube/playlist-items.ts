import { isJsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { errorResponse } from "./error-responses.ts";
import { readSnippet } from "./insert-request.ts";
import { isOwnPlaylist, savePlaylistItem } from "./playlists.ts";
import { findVideo } from "./videos.ts";

const SCOPES = ["youtube", "youtube.force-ssl"];
const DOMAIN = "youtube.playlistItem";

/** POST /youtube/v3/playlistItems: https://developers.google.com/youtube/v3/docs/playlistItems/insert */
export async function insertPlaylistItem(
  request: Request,
  url: URL,
  sim: SimulatorContext,
  token: Token,
): Promise<Response> {
  const snippet = await readSnippet(request, url, token, SCOPES);
  if (snippet instanceof Response) {
    return snippet;
  }
  const { playlistId, resourceId } = snippet;
  if (typeof playlistId !== "string") {
    return errorResponse(400, "playlistIdRequired", "The request does not specify the playlistId.", DOMAIN);
  }
  if (!isJsonObject(resourceId) || resourceId["kind"] !== "youtube#video") {
    return errorResponse(400, "resourceIdRequired", "The request must contain a resource with a resourceId.", DOMAIN);
  }
  if (!isOwnPlaylist(token, playlistId)) {
    return errorResponse(404, "playlistNotFound", "The playlist identified with playlistId cannot be found.", DOMAIN);
  }
  const video = findVideo(sim, typeof resourceId["videoId"] === "string" ? resourceId["videoId"] : "");
  return video && !video.deleted
    ? Response.json(savePlaylistItem(sim, playlistId, video.id))
    : errorResponse(404, "videoNotFound", "The video could not be found.", DOMAIN);
}
