import { describeProblem, type Operation, type OperationRules } from "#sandbox/operation.ts";
import { invalidParameters } from "./responses.ts";

/*
 * The calls that Pinterest accepts, from its OpenAPI description 5.23.0
 * (https://github.com/pinterest/api-description/blob/main/v5/openapi.json).
 */

const API = ["api.pinterest.com", "api-sandbox.pinterest.com"];
const DOCS = "https://developers.pinterest.com/docs/api/v5";
const PAGE = ["bookmark", "page_size"];
const CREATIVE_TYPES = ["creative_types", "ad_account_id", "pin_metrics"];

const OPERATIONS: readonly Operation[] = [
  {
    method: "GET",
    hosts: ["www.pinterest.com"],
    path: "/oauth/",
    query: ["client_id", "redirect_uri", "response_type", "scope", "state"],
    isPage: true,
    source: "https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/",
  },
  {
    method: "POST",
    hosts: API,
    path: "/v5/oauth/token",
    body: {
      types: ["form"],
      members: ["grant_type", "code", "redirect_uri", "continuous_refresh", "refresh_token", "scope"],
    },
    source: `${DOCS}/oauth-token`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/v5/user_account",
    query: ["ad_account_id"],
    source: `${DOCS}/user_account-get`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/v5/boards",
    query: ["ad_account_id", "privacy", ...PAGE],
    source: `${DOCS}/boards-list`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/v5/boards/{board_id}/pins",
    query: [...PAGE, ...CREATIVE_TYPES],
    source: `${DOCS}/boards-list_pins`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/v5/pins",
    query: ["pin_filter", "include_protected_pins", "pin_type", ...PAGE, ...CREATIVE_TYPES],
    source: `${DOCS}/pins-list`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/v5/pins",
    query: ["ad_account_id"],
    body: {
      types: ["json"],
      members: [
        "alt_text",
        "board_id",
        "board_section_id",
        "description",
        "dominant_color",
        "link",
        "parent_pin_id",
        "sponsor_id",
        "title",
        "media_source.source_type",
        "media_source.is_standard",
        "media_source.url",
        "media_source.content_type",
        "media_source.data",
        "media_source.media_id",
        "media_source.cover_image_url",
        "media_source.cover_image_content_type",
        "media_source.cover_image_data",
        "media_source.cover_image_key_frame_time",
        "media_source.index",
        "media_source.items[].url",
        "media_source.items[].content_type",
        "media_source.items[].data",
        "media_source.items[].title",
        "media_source.items[].description",
        "media_source.items[].link",
        "media_source.is_affiliate_link",
      ],
    },
    source: `${DOCS}/pins-create`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/v5/pins/{pin_id}",
    query: ["ad_account_id", "pin_metrics"],
    source: `${DOCS}/pins-get`,
  },
  {
    method: "DELETE",
    hosts: API,
    path: "/v5/pins/{pin_id}",
    query: ["ad_account_id"],
    source: `${DOCS}/pins-delete`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/v5/media",
    body: { types: ["json"], members: ["media_type"] },
    source: `${DOCS}/media-create`,
  },
  { method: "GET", hosts: API, path: "/v5/media/{media_id}", source: `${DOCS}/media-get` },
  {
    // The form post to S3. Its fields are those that the registration of the media returned.
    method: "POST",
    hosts: ["pinterest-media-upload.s3-accelerate.amazonaws.com"],
    path: "/",
    body: { types: ["bytes"] },
    source: "https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html",
  },
];

export const rules: OperationRules = {
  operations: OPERATIONS,
  refuse: (problem, _request, sim) =>
    invalidParameters(
      sim,
      problem.kind === "unknown_member" || problem.kind === "unknown_parameter"
        ? `Additional properties are not allowed ('${problem.name}' was unexpected)`
        : describeProblem(problem),
    ),
};
