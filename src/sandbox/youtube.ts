import type { SimulatorContext, Simulator } from "./contract.ts";
import { bearerToken, findValidToken } from "./oauth-server.ts";
import { errorResponse } from "./youtube/error-responses.ts";
import { CHANNELS } from "./youtube/channels.ts";
import { authorize, revokeEndpoint, revokeTokensOfUser, tokenEndpoint } from "./youtube/login.ts";
import { operatorApp } from "./youtube/operator-app.ts";
import { rules } from "./youtube/operations.ts";
import { insertPlaylistItem } from "./youtube/playlist-items.ts";
import { chargeUnits } from "./youtube/quota.ts";
import { receiveChunk, startSession } from "./youtube/upload-sessions.ts";
import { setThumbnail } from "./youtube/thumbnails.ts";
import { insertComment, listComments, publishedComments } from "./youtube/comments.ts";
import { publishedPlaylistItems } from "./youtube/playlists.ts";
import { deleteVideo, listChannels, listVideos, listPlaylistItems } from "./youtube/videos.ts";

/* Simulates Google's login, the YouTube Data API v3 and its resumable uploads, as platforms/youtube.md part 6 (simulator notes) describes. */

const LOGIN_HOST = "accounts.google.com";
const OAUTH_HOST = "oauth2.googleapis.com";
const API_HOSTS = ["www.googleapis.com", "youtube.googleapis.com"];

const READ_UNITS = 1;
const DELETE_UNITS = 50;
const THUMBNAIL_UNITS = 50;
const COMMENT_UNITS = 50;
const PLAYLIST_UNITS = 50;

function handleApiCall(request: Request, url: URL, sim: SimulatorContext): Response | Promise<Response> {
  const token = findValidToken(sim, bearerToken(request) ?? "", "access");
  if (!token) {
    return errorResponse(401, "authError", "Request had invalid authentication credentials.", "global");
  }
  switch (`${request.method} ${url.pathname}`) {
    case "POST /upload/youtube/v3/videos":
      return startSession(request, url, sim, token);
    case "PUT /upload/youtube/v3/videos":
      return receiveChunk(request, url, sim, token);
    case "GET /youtube/v3/channels":
      return chargeUnits(sim, READ_UNITS) ?? listChannels(token, url);
    case "GET /youtube/v3/videos":
      return chargeUnits(sim, READ_UNITS) ?? listVideos(sim, token, url);
    case "POST /upload/youtube/v3/thumbnails/set":
      return chargeUnits(sim, THUMBNAIL_UNITS) ?? setThumbnail(request, url, sim, token);
    case "POST /youtube/v3/commentThreads":
      return chargeUnits(sim, COMMENT_UNITS) ?? insertComment(request, url, sim, token);
    case "GET /youtube/v3/commentThreads":
      return chargeUnits(sim, READ_UNITS) ?? listComments(sim, token, url);
    case "DELETE /youtube/v3/videos":
      return chargeUnits(sim, DELETE_UNITS) ?? deleteVideo(sim, token, url);
    case "POST /youtube/v3/playlistItems":
      return chargeUnits(sim, PLAYLIST_UNITS) ?? insertPlaylistItem(request, url, sim, token);
    case "GET /youtube/v3/playlistItems":
      return chargeUnits(sim, READ_UNITS) ?? listPlaylistItems(sim, token, url);
    default:
      return errorResponse(404, "notFound", "Not Found", "global");
  }
}

const accountsOf = (login: string): readonly string[] => (CHANNELS[login] ?? []).map((channel) => channel.id);

export const simulator: Simulator = {
  platform: "youtube",
  hosts: [LOGIN_HOST, OAUTH_HOST, ...API_HOSTS],
  logins: [
    { name: "ada", accounts: accountsOf("ada"), description: "a verified channel" },
    {
      name: "ben",
      accounts: accountsOf("ben"),
      description: "a channel without phone verification: at most 15 minutes per video",
    },
    { name: "cleo", accounts: [], description: "a Google user without a channel" },
    {
      name: "dora",
      accounts: accountsOf("dora"),
      description: "a Google user with two channels who chooses the first",
    },
    {
      name: "dora_sings",
      accounts: accountsOf("dora_sings"),
      description: "the same Google user with the second channel",
    },
  ],
  operatorApp,
  rules,
  publishedExtras: (sim) => [...publishedComments(sim), ...publishedPlaylistItems(sim)],
  async handle(request, sim) {
    const url = new URL(request.url);
    if (API_HOSTS.includes(url.hostname)) {
      return handleApiCall(request, url, sim);
    }
    switch (`${request.method} ${url.hostname}${url.pathname}`) {
      case `GET ${LOGIN_HOST}/o/oauth2/v2/auth`:
        return authorize(url, sim, simulator.logins);
      case `POST ${OAUTH_HOST}/token`:
        return tokenEndpoint(request, sim);
      case `POST ${OAUTH_HOST}/revoke`:
        return revokeEndpoint(request, url, sim);
      default:
        return new Response("not found", { status: 404 });
    }
  },
  revoke(account, sim) {
    const login = Object.keys(CHANNELS).find((name) => name === account || accountsOf(name).includes(account));
    return login !== undefined && revokeTokensOfUser(sim, login);
  },
};
