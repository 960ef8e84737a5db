import { describeProblem, type Operation, type OperationRules } from "#sandbox/operation.ts";
import { invalidParameter } from "./error-responses.ts";

/* The calls that the Threads API accepts, from Meta's reference pages. */

const GRAPH = ["graph.threads.net", "graph.threads.com"];
const DOCS = "https://developers.facebook.com/documentation/threads";
/**
 * The parameters that every call with a user's token accepts. https://github.com/sns-sdks sends the proof with every
 * call.
 */
const AUTHENTICATION = ["access_token", "appsecret_proof"];

/** The parameters of all kinds of containers. */
const CONTAINER_PARAMETERS = [
  "media_type",
  "text",
  "image_url",
  "video_url",
  "is_carousel_item",
  "children",
  "reply_to_id",
  "reply_control",
  "allowlisted_country_codes",
  "alt_text",
  "link_attachment",
  "quote_post_id",
  "poll_attachment",
  "poll_attachment.*",
  "topic_tag",
  "auto_publish_text",
  "location_id",
  "gif_attachment",
  "gif_attachment.*",
  "text_attachment",
  "text_attachment.*",
  "text_entities",
  "text_entities[].*",
  "is_spoiler_media",
  "is_ghost_post",
  "enable_reply_approvals",
];

const OPERATIONS: readonly Operation[] = [
  {
    method: "GET",
    hosts: ["threads.net", "www.threads.net", "threads.com", "www.threads.com"],
    path: "/oauth/authorize",
    query: ["client_id", "redirect_uri", "scope", "response_type", "state"],
    isPage: true,
    source: `${DOCS}/get-started/get-access-tokens-and-permissions`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/oauth/access_token",
    body: {
      types: ["form", "multipart", "json"],
      members: ["client_id", "client_secret", "grant_type", "redirect_uri", "code"],
    },
    source: `${DOCS}/get-started/get-access-tokens-and-permissions`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/access_token",
    query: ["grant_type", "client_secret", "access_token"],
    source: `${DOCS}/get-started/long-lived-tokens`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/refresh_access_token",
    query: ["grant_type", "access_token"],
    source: `${DOCS}/get-started/long-lived-tokens`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/debug_token",
    query: ["input_token", "access_token"],
    source: `${DOCS}/troubleshooting/debug-access-token`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{id}",
    query: ["fields", ...AUTHENTICATION],
    source: `${DOCS}/reference/publishing`,
  },
  {
    method: "DELETE",
    hosts: GRAPH,
    path: "/{version}/{id}",
    query: AUTHENTICATION,
    source: `${DOCS}/posts/delete-posts`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{id}/threads",
    query: ["fields", "since", "until", "limit", "after", "before", ...AUTHENTICATION],
    source: `${DOCS}/retrieve-and-discover-posts/retrieve-posts`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{id}/conversation",
    query: ["fields", "reverse", "after", "before", ...AUTHENTICATION],
    source: `${DOCS}/reference/reply-management`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/{id}/threads",
    body: {
      types: ["form", "json", "multipart"],
      isAlsoQuery: true,
      members: [...CONTAINER_PARAMETERS, ...AUTHENTICATION],
    },
    source: `${DOCS}/reference/publishing`,
  },
  {
    method: "POST",
    hosts: GRAPH,
    path: "/{version}/{id}/threads_publish",
    body: { types: ["form", "json", "multipart"], isAlsoQuery: true, members: ["creation_id", ...AUTHENTICATION] },
    source: `${DOCS}/reference/publishing`,
  },
  {
    method: "GET",
    hosts: GRAPH,
    path: "/{version}/{id}/threads_publishing_limit",
    query: ["fields", ...AUTHENTICATION],
    source: `${DOCS}/troubleshooting`,
  },
];

export const rules: OperationRules = {
  operations: OPERATIONS,
  refuse: (problem, _request, sim) => invalidParameter(sim, describeProblem(problem)),
};
