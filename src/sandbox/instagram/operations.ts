import { describeProblem, type Operation, type OperationRules } from "#sandbox/operation.ts";
import { invalidParameter } from "./error-responses.ts";
import { errorPage, oauthError } from "./login.ts";

/* The calls that the Instagram API with Instagram Login accepts, from Meta's reference pages. */

const GRAPH = ["graph.instagram.com"];
const DOCS = "https://developers.facebook.com/documentation/instagram-platform";
const REFERENCE = `${DOCS}/instagram-graph-api/reference`;
/**
 * The parameters that every call with a user's token accepts. https://github.com/sns-sdks sends the proof with every
 * call of its clients.
 */
const AUTHENTICATION = ["access_token", "appsecret_proof"];
const PAGING = ["limit", "after", "before", "since", "until"];

/** The parameters of all kinds of containers. */
const CONTAINER_PARAMETERS = [
  "image_url",
  "video_url",
  "media_type",
  "caption",
  "alt_text",
  "is_carousel_item",
  "children",
  "share_to_feed",
  "trial_params.*",
  "thumb_offset",
  "cover_url",
  "audio_name",
  "collaborators",
  "location_id",
  "user_tags",
  "user_tags[].*",
  "product_tags",
  "product_tags[].*",
  "upload_type",
  "is_ai_generated",
];

const OPERATIONS: readonly Operation[] = [
  {
    method: "GET",
    hosts: ["www.instagram.com"],
    path: "/oauth/authorize",
    query: ["client_id", "redirect_uri", "response_type", "scope", "state", "force_reauth", "enable_fb_login"],
    isPage: true,
    source: `${DOCS}/instagram-api-with-instagram-login/business-login`,
  },
  {
    method: "POST",
    hosts: ["api.instagram.com"],
    path: "/oauth/access_token",
    body: {
      types: ["form", "multipart"],
      members: ["client_id", "client_secret", "grant_type", "redirect_uri", "code"],
    },
    source: `${DOCS}/instagram-api-with-instagram-login/business-login`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/access_token",
    query: ["grant_type", "client_secret", "access_token"],
    source: `${DOCS}/reference/access_token`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/refresh_access_token",
    query: ["grant_type", "access_token"],
    source: `${DOCS}/reference/refresh_access_token`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{id}",
    query: ["fields", ...AUTHENTICATION],
    source: `${REFERENCE}/ig-container`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{id}/media",
    query: ["fields", ...PAGING, ...AUTHENTICATION],
    source: `${REFERENCE}/ig-user/media`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{id}/stories",
    query: ["fields", "limit", "after", "before", ...AUTHENTICATION],
    // The page describes the API with the login of Pages; specs/IGUserForIGOnlyAPI.json in Meta's SDK specifications has
    // the edge for Instagram Login.
    source: `${REFERENCE}/ig-user/stories`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/{id}/media",
    body: {
      types: ["form", "json", "multipart"],
      isAlsoQuery: true,
      members: [...CONTAINER_PARAMETERS, ...AUTHENTICATION],
    },
    source: `${REFERENCE}/ig-user/media`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/{id}/media_publish",
    body: { types: ["form", "json", "multipart"], isAlsoQuery: true, members: ["creation_id", ...AUTHENTICATION] },
    source: `${REFERENCE}/ig-user/media_publish`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/{id}/comments",
    body: { types: ["form", "json"], isAlsoQuery: true, members: ["message", ...AUTHENTICATION] },
    source: `${REFERENCE}/ig-media/comments`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{id}/comments",
    query: ["fields", ...PAGING, ...AUTHENTICATION],
    source: `${REFERENCE}/ig-media/comments`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{id}/content_publishing_limit",
    query: ["fields", "since", ...AUTHENTICATION],
    source: `${REFERENCE}/ig-user/content_publishing_limit`,
  },
];

export const rules: OperationRules = {
  operations: OPERATIONS,
  refuse(problem, request, sim) {
    switch (new URL(request.url).hostname) {
      case "www.instagram.com":
        return errorPage(describeProblem(problem));
      case "api.instagram.com":
        return oauthError(describeProblem(problem));
      default:
        return invalidParameter(sim, describeProblem(problem));
    }
  },
};
