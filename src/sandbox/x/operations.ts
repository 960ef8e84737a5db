import { describeProblem, type Operation, type OperationRules } from "#sandbox/operation.ts";
import { forbidden, invalidRequest } from "./error-responses.ts";

/* The calls that X accepts, from its OpenAPI description 2.167 (https://api.x.com/2/openapi.json) and its guides. */

const API = ["api.x.com", "api.twitter.com"];
const DOCS = "https://docs.x.com/x-api";
const OAUTH_GUIDE = "https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code";
/**
 * X has two names for its fields: the guides use `tweet.fields`, the description `post.fields`. users-and-timelines.ts checks which one is
 * known.
 */
const POST_FIELDS = [
  "tweet.fields",
  "post.fields",
  "expansions",
  "media.fields",
  "poll.fields",
  "user.fields",
  "place.fields",
];

const OPERATIONS: readonly Operation[] = [
  {
    method: "GET",
    hosts: ["x.com", "twitter.com"],
    path: "/i/oauth2/authorize",
    query: ["response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"],
    isPage: true,
    source: OAUTH_GUIDE,
  },
  {
    method: "POST",
    hosts: API,
    path: "/2/oauth2/token",
    body: {
      types: ["form"],
      members: ["grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "client_id"],
    },
    source: OAUTH_GUIDE,
  },
  {
    method: "POST",
    hosts: API,
    path: "/2/oauth2/revoke",
    body: { types: ["form"], members: ["token", "token_type_hint", "client_id"] },
    source: OAUTH_GUIDE,
  },
  {
    method: "POST",
    hosts: API,
    path: "/2/tweets",
    body: {
      types: ["json"],
      members: [
        "text",
        "media.media_ids[]",
        "media.tagged_user_ids[]",
        "quote_tweet_id",
        "reply_settings",
        "made_with_ai",
        "paid_partnership",
        "reply.in_reply_to_tweet_id",
        "reply.exclude_reply_user_ids[]",
        "reply.auto_populate_reply_metadata",
        "poll.options[]",
        "poll.duration_minutes",
        "poll.reply_settings",
        "community_id",
        "share_with_followers",
        "for_super_followers_only",
        "nullcast",
        "geo.place_id",
        "card_uri",
        "direct_message_deep_link",
        "edit_options.previous_post_id",
      ],
    },
    source: `${DOCS}/posts/create-post`,
  },
  { method: "DELETE", hosts: API, path: "/2/tweets/{id}", source: `${DOCS}/posts/delete-post` },
  { method: "GET", hosts: API, path: "/2/tweets/{id}", query: POST_FIELDS, source: `${DOCS}/posts/get-post-by-id` },
  {
    method: "GET",
    hosts: API,
    path: "/2/users/me",
    query: ["user.fields", "expansions", "tweet.fields", "post.fields"],
    source: `${DOCS}/users/get-my-user`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/2/users/{id}/tweets",
    query: [
      ...POST_FIELDS,
      "max_results",
      "start_time",
      "end_time",
      "since_id",
      "until_id",
      "pagination_token",
      "exclude",
    ],
    source: `${DOCS}/users/get-posts`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/2/media/upload",
    body: {
      types: ["multipart", "json"],
      members: ["media", "media_category", "additional_owners"],
    },
    source: `${DOCS}/media/upload-media`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/2/media/upload",
    query: ["command", "media_id"],
    source: `${DOCS}/media/get-media-upload-status`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/2/media/upload/initialize",
    body: {
      types: ["json"],
      members: ["media_type", "media_category", "total_bytes", "additional_owners[]", "shared"],
    },
    source: `${DOCS}/media/initialize-media-upload`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/2/media/upload/{id}/append",
    body: { types: ["multipart", "json"], members: ["media", "segment_index"] },
    source: `${DOCS}/media/append-media-upload`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/2/media/upload/{id}/finalize",
    source: `${DOCS}/media/finalize-media-upload`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/2/media/metadata",
    body: { types: ["json"], members: ["id", "metadata.alt_text.text"] },
    source: `${DOCS}/media/create-media-metadata`,
  },
];

export const rules: OperationRules = {
  operations: OPERATIONS,
  refuse: (problem) =>
    problem.kind === "user_agent"
      ? forbidden(describeProblem(problem))
      : invalidRequest(
          problem.kind === "unknown_parameter"
            ? `The query parameter [${problem.name}] is not one of the known parameters`
            : describeProblem(problem),
        ),
};
