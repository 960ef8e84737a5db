import { describeProblem, type Operation, type OperationRules, type UnacceptedRequest } from "#sandbox/operation.ts";
import { errorResponse } from "./error-responses.ts";

/*
 * The calls that Google accepts, from the discovery document of the YouTube Data API v3 (googleapis/google-api-go-client,
 * youtube/v3/youtube-api.json), its guide to resumable uploads and the OAuth guide for web server apps. With the scope `openid` the token
 * endpoint also gives an ID token: https://developers.google.com/identity/openid-connect/openid-connect
 */

const API = ["www.googleapis.com", "youtube.googleapis.com"];
const LOGIN_HOST = "accounts.google.com";
const OAUTH_HOST = "oauth2.googleapis.com";
const OAUTH_GUIDE = "https://developers.google.com/identity/protocols/oauth2/web-server";
const DOCS = "https://developers.google.com/youtube/v3/docs";
const UPLOAD_GUIDE = "https://developers.google.com/youtube/v3/guides/using_resumable_upload_protocol";
const UPLOAD_QUERY = ["uploadType", "part", "notifySubscribers", "autoLevels", "stabilize"];

const OPERATIONS: readonly Operation[] = [
  {
    method: "GET",
    hosts: [LOGIN_HOST],
    path: "/o/oauth2/v2/auth",
    query: [
      "client_id",
      "redirect_uri",
      "response_type",
      "scope",
      "state",
      "access_type",
      "prompt",
      "include_granted_scopes",
      "enable_granular_consent",
      "login_hint",
      "code_challenge",
      "code_challenge_method",
    ],
    isPage: true,
    source: OAUTH_GUIDE,
  },
  {
    method: "POST",
    hosts: [OAUTH_HOST],
    path: "/token",
    body: {
      types: ["form"],
      members: ["grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "client_id", "client_secret"],
    },
    source: OAUTH_GUIDE,
  },
  {
    method: "POST",
    hosts: [OAUTH_HOST],
    path: "/revoke",
    body: { types: ["form"], members: ["token"], isAlsoQuery: true },
    source: `${OAUTH_GUIDE}#tokenrevoke`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/youtube/v3/channels",
    query: [
      "part",
      "mine",
      "id",
      "forHandle",
      "forUsername",
      "categoryId",
      "managedByMe",
      "mySubscribers",
      "hl",
      "maxResults",
      "pageToken",
      "onBehalfOfContentOwner",
    ],
    source: `${DOCS}/channels/list`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/upload/youtube/v3/videos",
    query: UPLOAD_QUERY,
    body: {
      types: ["json"],
      members: [
        "snippet.title",
        "snippet.description",
        "snippet.tags[]",
        "snippet.categoryId",
        "snippet.defaultLanguage",
        "snippet.defaultAudioLanguage",
        "status.privacyStatus",
        "status.publishAt",
        "status.license",
        "status.embeddable",
        "status.publicStatsViewable",
        "status.selfDeclaredMadeForKids",
        "status.containsSyntheticMedia",
        "recordingDetails.recordingDate",
        "localizations.*",
      ],
    },
    source: `${DOCS}/videos/insert`,
  },
  {
    method: "PUT",
    hosts: API,
    path: "/upload/youtube/v3/videos",
    query: [...UPLOAD_QUERY, "upload_id"],
    body: { types: ["bytes"] },
    source: UPLOAD_GUIDE,
  },
  {
    method: "POST",
    hosts: API,
    path: "/upload/youtube/v3/thumbnails/set",
    query: ["videoId", "uploadType", "onBehalfOfContentOwner"],
    body: { types: ["bytes"] },
    source: `${DOCS}/thumbnails/set`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/youtube/v3/videos",
    query: [
      "part",
      "id",
      "chart",
      "myRating",
      "hl",
      "locale",
      "maxHeight",
      "maxWidth",
      "maxResults",
      "pageToken",
      "regionCode",
      "videoCategoryId",
      "onBehalfOfContentOwner",
    ],
    source: `${DOCS}/videos/list`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/youtube/v3/commentThreads",
    query: ["part"],
    body: {
      types: ["json"],
      members: ["snippet.channelId", "snippet.videoId", "snippet.topLevelComment.snippet.textOriginal"],
    },
    source: `${DOCS}/commentThreads/insert`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/youtube/v3/commentThreads",
    query: [
      "part",
      "channelId",
      "id",
      "videoId",
      "maxResults",
      "moderationStatus",
      "order",
      "pageToken",
      "searchTerms",
      "textFormat",
    ],
    source: `${DOCS}/commentThreads/list`,
  },
  {
    method: "DELETE",
    hosts: API,
    path: "/youtube/v3/videos",
    query: ["id", "onBehalfOfContentOwner"],
    source: `${DOCS}/videos/delete`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/youtube/v3/playlistItems",
    query: ["part", "onBehalfOfContentOwner"],
    body: {
      types: ["json"],
      members: [
        "snippet.playlistId",
        "snippet.position",
        "snippet.resourceId.kind",
        "snippet.resourceId.videoId",
        "contentDetails.note",
        "contentDetails.startAt",
        "contentDetails.endAt",
      ],
    },
    source: `${DOCS}/playlistItems/insert`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/youtube/v3/playlistItems",
    query: ["part", "playlistId", "id", "videoId", "maxResults", "pageToken", "onBehalfOfContentOwner"],
    source: `${DOCS}/playlistItems/list`,
  },
];

/** Google translates requests to protocol buffers, and the error names the field that does not fit. */
function apiMessage(problem: UnacceptedRequest): string {
  const { kind, name } = problem;
  switch (kind) {
    case "unknown_parameter":
      return `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. Field '${name}' could not be found in request message.`;
    case "unknown_member":
      return `Invalid JSON payload received. Unknown name "${name.split(".").at(-1)}" at 'video': Cannot find field.`;
    default:
      return describeProblem(problem);
  }
}

export const rules: OperationRules = {
  operations: OPERATIONS,
  refuse(problem, request) {
    const { hostname } = new URL(request.url);
    if (hostname === LOGIN_HOST) {
      return new Response(`Error 400: invalid_request: ${describeProblem(problem)}`, { status: 400 });
    }
    if (problem.kind === "user_agent") {
      return errorResponse(403, "forbidden", describeProblem(problem), "global");
    }
    return hostname === OAUTH_HOST
      ? Response.json({ error: "invalid_request", error_description: describeProblem(problem) }, { status: 400 })
      : errorResponse(400, "badRequest", apiMessage(problem), "global");
  },
};
