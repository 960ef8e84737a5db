import { describeProblem, type Operation, type OperationRules } from "#sandbox/operation.ts";
import { envelope, invalidParams } from "./responses.ts";

/* The calls that TikTok accepts, from its guides; the pages of the Content Posting API list every member of a body. */

const WWW = ["www.tiktok.com"];
const API = ["open.tiktokapis.com"];
const UPLOAD = ["open-upload.tiktokapis.com", "upload.us.tiktokapis.com"];
const DOCS = "https://developers.tiktok.com/doc";
const TOKENS_GUIDE = `${DOCS}/oauth-user-access-token-management`;
const VIDEO_SOURCE = [
  "source_info.source",
  "source_info.video_size",
  "source_info.chunk_size",
  "source_info.total_chunk_count",
  "source_info.video_url",
];

const OPERATIONS: readonly Operation[] = [
  {
    method: "GET",
    hosts: WWW,
    path: "/v2/auth/authorize",
    query: ["client_key", "scope", "response_type", "redirect_uri", "state", "disable_auto_auth"],
    isPage: true,
    source: `${DOCS}/login-kit-web`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/v2/oauth/token",
    body: {
      types: ["form"],
      members: ["client_key", "client_secret", "code", "grant_type", "redirect_uri", "code_verifier", "refresh_token"],
    },
    source: TOKENS_GUIDE,
  },
  {
    method: "POST",
    hosts: API,
    path: "/v2/oauth/revoke",
    body: { types: ["form"], members: ["client_key", "client_secret", "token"] },
    source: TOKENS_GUIDE,
  },
  {
    method: "GET",
    hosts: API,
    path: "/v2/user/info",
    query: ["fields"],
    source: `${DOCS}/tiktok-api-v2-get-user-info`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/v2/post/publish/creator_info/query",
    body: { types: ["json"] },
    source: `${DOCS}/content-posting-api-reference-query-creator-info`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/v2/post/publish/video/init",
    body: {
      types: ["json"],
      members: [
        "post_info.title",
        "post_info.privacy_level",
        "post_info.disable_duet",
        "post_info.disable_stitch",
        "post_info.disable_comment",
        "post_info.video_cover_timestamp_ms",
        "post_info.brand_content_toggle",
        "post_info.brand_organic_toggle",
        "post_info.is_aigc",
        ...VIDEO_SOURCE,
      ],
    },
    source: `${DOCS}/content-posting-api-reference-direct-post`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/v2/post/publish/inbox/video/init",
    body: { types: ["json"], members: VIDEO_SOURCE },
    source: `${DOCS}/content-posting-api-reference-upload-video`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/v2/post/publish/content/init",
    body: {
      types: ["json"],
      members: [
        "media_type",
        "post_mode",
        "post_info.title",
        "post_info.description",
        "post_info.privacy_level",
        "post_info.disable_comment",
        "post_info.auto_add_music",
        "post_info.brand_content_toggle",
        "post_info.brand_organic_toggle",
        "source_info.source",
        "source_info.photo_cover_index",
        "source_info.photo_images[]",
      ],
    },
    source: `${DOCS}/content-posting-api-reference-photo-post`,
  },
  {
    method: "PUT",
    hosts: UPLOAD,
    path: "/video",
    query: ["upload_id", "upload_token"],
    headers: ["content-range", "content-type", "content-length"],
    body: { types: ["bytes"] },
    source: `${DOCS}/content-posting-api-media-transfer-guide`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/v2/post/publish/status/fetch",
    body: { types: ["json"], members: ["publish_id"] },
    source: `${DOCS}/content-posting-api-reference-get-video-status`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/v2/post/publish/cancel",
    body: { types: ["json"], members: ["publish_id"] },
    source: `${DOCS}/content-posting-api-media-transfer-guide`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/v2/video/list",
    query: ["fields"],
    body: { types: ["json"], members: ["cursor", "max_count"] },
    source: `${DOCS}/tiktok-api-v2-video-list`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/v2/video/query",
    query: ["fields"],
    body: { types: ["json"], members: ["filters.video_ids[]"] },
    source: `${DOCS}/tiktok-api-v2-video-query`,
  },
];

export const rules: OperationRules = {
  operations: OPERATIONS,
  refuse(problem, request, sim) {
    const { hostname, pathname } = new URL(request.url);
    const description = describeProblem(problem);
    if (!API.includes(hostname)) {
      return new Response(description, { status: 400 });
    }
    if (pathname.startsWith("/v2/oauth/")) {
      // https://developers.tiktok.com/doc/oauth-error-handling
      return Response.json({ error: "invalid_request", error_description: description }, { status: 400 });
    }
    return problem.kind === "user_agent"
      ? envelope(sim, 403, "access_denied", description)
      : invalidParams(sim, description);
  },
};
