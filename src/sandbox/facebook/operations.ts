import { describeProblem, type Operation, type OperationRules } from "#sandbox/operation.ts";
import { graphError } from "#sandbox/graph-api.ts";

/* The calls that Facebook accepts, from Meta's documents; each operation names the page. */

const WWW = ["www.facebook.com"];
const GRAPH = ["graph.facebook.com", "graph-video.facebook.com"];
const RUPLOAD = "rupload.facebook.com";
const DOCS = "https://developers.facebook.com/docs";
const REFERENCE = `${DOCS}/graph-api/reference`;

/**
 * Parameters that every call of the Graph API accepts: the proof (guides/secure-requests) and the selection of fields.
 */
const COMMON = ["appsecret_proof", "fields"];
const LIST = [...COMMON, "limit", "after", "before"];
/** The parameters of lists of posts and videos, with time limits (graph-api/results). */
const TIMED_LIST = [...LIST, "since", "until"];

const OPERATIONS: readonly Operation[] = [
  {
    method: "GET",
    hosts: WWW,
    path: "/{version}/dialog/oauth",
    query: [
      "client_id",
      "redirect_uri",
      "state",
      "response_type",
      "scope",
      "auth_type",
      "display",
      "config_id",
      "override_default_response_type",
    ],
    isPage: true,
    source: `${DOCS}/facebook-login/guides/advanced/manual-flow`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/oauth/access_token",
    body: {
      types: ["form"],
      members: ["client_id", "client_secret", "redirect_uri", "code", "grant_type", "fb_exchange_token"],
    },
    source: `${DOCS}/facebook-login/guides/access-tokens/get-long-lived`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/debug_token",
    query: ["input_token", "access_token"],
    source: `${REFERENCE}/debug_token`,
  },
  { method: "GET", hosts: GRAPH, path: "/{version}/me/accounts", query: LIST, source: `${REFERENCE}/user/accounts` },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/me/businesses",
    query: LIST,
    source: `${REFERENCE}/user/businesses`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{business}/owned_pages",
    query: LIST,
    source: `${DOCS}/marketing-api/reference/business/owned_pages`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{business}/client_pages",
    query: LIST,
    source: `${DOCS}/marketing-api/reference/business/client_pages`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{user}/permissions",
    query: [...LIST, "permission", "status"],
    source: `${REFERENCE}/user/permissions`,
  },
  {
    method: "DELETE",
    hosts: GRAPH,
    path: "/{version}/{user}/permissions",
    query: COMMON,
    source: `${REFERENCE}/user/permissions`,
  },
  {
    method: "DELETE",
    hosts: GRAPH,
    path: "/{version}/{user}/permissions/{permission}",
    query: COMMON,
    source: `${REFERENCE}/user/permissions`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/{page}/feed",
    query: COMMON,
    body: {
      types: ["json", "form"],
      isAlsoQuery: true,
      members: [
        "access_token",
        "appsecret_proof",
        "message",
        "link",
        "published",
        "attached_media[].media_fbid",
        // A form has a separate field for each attached photo.
        "attached_media[0]",
        "attached_media[1]",
        "scheduled_publish_time",
        "unpublished_content_type",
        "place",
        "tags",
        "targeting.*",
        "feed_targeting.*",
        "backdated_time",
        "backdated_time_granularity",
        "call_to_action.*",
        "object_attachment",
      ],
    },
    source: `${REFERENCE}/page/feed`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/{page}/photos",
    query: COMMON,
    body: {
      types: ["json", "form", "multipart"],
      isAlsoQuery: true,
      members: [
        "access_token",
        "appsecret_proof",
        "url",
        "source",
        "message",
        "caption",
        "alt_text_custom",
        "published",
        "temporary",
        "no_story",
        "place",
        "tags",
        "targeting.*",
        "feed_targeting.*",
        "scheduled_publish_time",
        "unpublished_content_type",
        "backdated_time",
        "backdated_time_granularity",
      ],
    },
    source: `${REFERENCE}/page/photos`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/{page}/video_reels",
    query: COMMON,
    body: {
      types: ["json", "form"],
      isAlsoQuery: true,
      members: [
        "access_token",
        "appsecret_proof",
        "upload_phase",
        "video_id",
        "video_state",
        "description",
        "title",
        "place",
        "scheduled_publish_time",
        "targeting.*",
        "feed_targeting.*",
      ],
    },
    source: `${DOCS}/video-api/guides/reels-publishing`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/{page}/video_stories",
    query: COMMON,
    // The guide has these parameters. Meta's SDK specifications also list those of reels, but do not say what they do.
    body: {
      types: ["json", "form"],
      isAlsoQuery: true,
      members: ["access_token", "appsecret_proof", "upload_phase", "video_id"],
    },
    source: `${DOCS}/page-stories-api`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/{page}/photo_stories",
    query: COMMON,
    body: { types: ["json", "form"], isAlsoQuery: true, members: ["access_token", "appsecret_proof", "photo_id"] },
    source: `${DOCS}/page-stories-api`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{page}/stories",
    query: [...TIMED_LIST, "status"],
    source: `${DOCS}/page-stories-api`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/{page}/videos",
    query: COMMON,
    body: {
      types: ["json", "form", "multipart"],
      isAlsoQuery: true,
      members: [
        "access_token",
        "appsecret_proof",
        "upload_phase",
        "upload_session_id",
        "file_size",
        "start_offset",
        "end_offset",
        "video_file_chunk",
        "fbuploader_video_file_chunk",
        "file_url",
        "source",
        "title",
        "description",
        "custom_labels[]",
        "content_category",
        "content_tags[]",
        "universal_video_id",
        "crossposted_video_id",
        "embeddable",
        "published",
        "scheduled_publish_time",
        "unpublished_content_type",
        "no_story",
        "secret",
        "thumb",
        "targeting.*",
        "feed_targeting.*",
      ],
    },
    source: `${REFERENCE}/page/videos`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{page}/published_posts",
    query: TIMED_LIST,
    source: `${REFERENCE}/page/published_posts`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{page}/videos",
    query: [...TIMED_LIST, "type"],
    source: `${REFERENCE}/page/videos`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/{object}/comments",
    query: COMMON,
    body: {
      types: ["json", "form"],
      isAlsoQuery: true,
      members: [
        "access_token",
        "appsecret_proof",
        "message",
        "attachment_id",
        "attachment_share_url",
        "attachment_url",
      ],
    },
    source: `${REFERENCE}/object/comments`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{object}/comments",
    query: [...TIMED_LIST, "filter", "order", "summary", "live_filter"],
    source: `${REFERENCE}/object/comments`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/{video}/thumbnails",
    query: COMMON,
    body: {
      types: ["multipart"],
      isAlsoQuery: true,
      members: ["access_token", "appsecret_proof", "is_preferred", "source"],
    },
    source: `${REFERENCE}/video/thumbnails`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{video}/thumbnails",
    query: LIST,
    source: `${REFERENCE}/video/thumbnails`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{node}",
    query: COMMON,
    source: `${DOCS}/graph-api/overview`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/{post}",
    query: COMMON,
    body: { types: ["json", "form"], isAlsoQuery: true, members: ["access_token", "appsecret_proof", "message"] },
    source: `${REFERENCE}/page-post`,
  },
  {
    method: "DELETE",
    hosts: GRAPH,
    path: "/{version}/{node}",
    query: COMMON,
    source: `${REFERENCE}/page-post`,
  },
  {
    method: "POST",
    hosts: [RUPLOAD],
    path: "/video-upload/{version}/{video}",
    headers: ["authorization"],
    body: { types: ["bytes"] },
    source: `${DOCS}/video-api/guides/reels-publishing`,
  },
];

export const rules: OperationRules = {
  operations: OPERATIONS,
  refuse: (problem, request, sim) => {
    const { hostname } = new URL(request.url);
    const message = describeProblem(problem);
    if (hostname === RUPLOAD) {
      return Response.json(
        { debug_info: { retriable: false, type: "ParameterValidationError", message } },
        { status: 400 },
      );
    }
    return WWW.includes(hostname)
      ? new Response(message, { status: 400 })
      : graphError(sim, { code: 100, message: `(#100) ${message}` });
  },
};
