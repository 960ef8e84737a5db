import { describeProblem, type Operation, type OperationRules } from "#sandbox/operation.ts";
import { errorResponse, resourceNotFound, unpermittedFields, versionMissing } from "./error-responses.ts";

/* The calls that LinkedIn accepts, from its documentation at learn.microsoft.com. */

const WWW = ["www.linkedin.com"];
const API = ["api.linkedin.com"];
const DOCS = "https://learn.microsoft.com/en-us/linkedin";
const COMMUNITY = `${DOCS}/marketing/community-management`;
const CODE_FLOW = `${DOCS}/shared/authentication/authorization-code-flow`;
const POSTS = `${COMMUNITY}/shares/posts-api`;
const COMMENTS = `${COMMUNITY}/shares/comments-api`;
/**
 * The two headers that every call under /rest requires
 * (https://learn.microsoft.com/en-us/linkedin/marketing/versioning).
 */
const VERSION_HEADERS = ["linkedin-version", "x-restli-protocol-version"];

const OPERATIONS: readonly Operation[] = [
  {
    method: "GET",
    hosts: WWW,
    path: "/oauth/v2/authorization",
    query: ["response_type", "client_id", "redirect_uri", "state", "scope"],
    isPage: true,
    source: CODE_FLOW,
  },
  {
    method: "POST",
    hosts: WWW,
    path: "/oauth/v2/accessToken",
    body: {
      types: ["form"],
      members: ["grant_type", "code", "client_id", "client_secret", "redirect_uri", "refresh_token"],
    },
    source: `${DOCS}/shared/authentication/programmatic-refresh-tokens`,
  },
  {
    method: "POST",
    hosts: WWW,
    path: "/oauth/v2/revoke",
    body: { types: ["form"], members: ["client_id", "client_secret", "token"] },
    // LinkedIn does not document the call, but publishers make it.
    source: "https://github.com/brightbeanxyz/brightbean-studio",
  },
  {
    method: "POST",
    hosts: WWW,
    path: "/oauth/v2/introspectToken",
    body: { types: ["form"], members: ["client_id", "client_secret", "token"] },
    source: `${DOCS}/shared/authentication/token-introspection`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/v2/userinfo",
    source: `${DOCS}/consumer/integrations/self-serve/sign-in-with-linkedin-v2`,
  },
  { method: "GET", hosts: API, path: "/v2/me", source: `${DOCS}/shared/integrations/people/profile-api` },
  {
    method: "GET",
    hosts: API,
    path: "/rest/organizationAcls",
    query: ["q", "role", "state", "start", "count"],
    headers: VERSION_HEADERS,
    source: `${COMMUNITY}/organizations/organization-access-control-by-role`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/rest/organizations/{id}",
    headers: VERSION_HEADERS,
    source: `${COMMUNITY}/organizations/organization-lookup-api#retrieve-organizations`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/rest/organizationsLookup",
    query: ["ids"],
    headers: VERSION_HEADERS,
    source: `${COMMUNITY}/organizations/organization-lookup-api`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/rest/images",
    query: ["action"],
    body: { types: ["json"], members: ["initializeUploadRequest.owner"] },
    headers: VERSION_HEADERS,
    source: `${COMMUNITY}/shares/images-api`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/rest/images/{urn}",
    headers: VERSION_HEADERS,
    source: `${COMMUNITY}/shares/images-api`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/rest/documents",
    query: ["action"],
    body: { types: ["json"], members: ["initializeUploadRequest.owner"] },
    headers: VERSION_HEADERS,
    source: `${COMMUNITY}/shares/documents-api`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/rest/documents/{urn}",
    headers: VERSION_HEADERS,
    source: `${COMMUNITY}/shares/documents-api`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/rest/videos",
    query: ["action"],
    body: {
      types: ["json"],
      members: [
        "initializeUploadRequest.owner",
        "initializeUploadRequest.fileSizeBytes",
        "initializeUploadRequest.uploadCaptions",
        "initializeUploadRequest.uploadThumbnail",
        "finalizeUploadRequest.video",
        "finalizeUploadRequest.uploadToken",
        "finalizeUploadRequest.uploadedPartIds[]",
      ],
    },
    headers: VERSION_HEADERS,
    source: `${COMMUNITY}/shares/videos-api`,
  },
  {
    method: "GET",
    hosts: API,
    path: "/rest/videos/{urn}",
    headers: VERSION_HEADERS,
    source: `${COMMUNITY}/shares/videos-api`,
  },
  {
    method: "PUT",
    hosts: WWW,
    path: "/dms-uploads/{path...}",
    body: { types: ["bytes"] },
    source: `${COMMUNITY}/shares/videos-api`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/rest/posts",
    body: {
      types: ["json"],
      members: [
        "author",
        "commentary",
        "visibility",
        "distribution.feedDistribution",
        "distribution.targetEntities[]",
        "distribution.thirdPartyDistributionChannels[]",
        "content.media.id",
        "content.media.title",
        "content.media.altText",
        "content.multiImage.images[].id",
        "content.multiImage.images[].altText",
        "content.multiImage.altText",
        "content.article.source",
        "content.article.title",
        "content.article.description",
        "content.article.thumbnail",
        "content.poll.question",
        "content.poll.options[].text",
        "content.poll.settings.duration",
        "lifecycleState",
        "isReshareDisabledByAuthor",
      ],
    },
    headers: VERSION_HEADERS,
    source: POSTS,
  },
  {
    method: "GET",
    hosts: API,
    path: "/rest/posts",
    query: ["q", "author", "isDsc", "start", "count", "sortBy"],
    headers: VERSION_HEADERS,
    source: `${POSTS}#find-posts-by-authors`,
  },
  {
    method: "POST",
    hosts: API,
    path: "/rest/socialActions/{urn}/comments",
    headers: VERSION_HEADERS,
    body: { types: ["json"], members: ["actor", "object", "message.text", "message.attributes[]", "parentComment"] },
    source: COMMENTS,
  },
  {
    method: "GET",
    hosts: API,
    path: "/rest/socialActions/{urn}/comments",
    query: ["start", "count"],
    headers: VERSION_HEADERS,
    source: COMMENTS,
  },
  { method: "GET", hosts: API, path: "/rest/posts/{urn}", headers: VERSION_HEADERS, source: POSTS },
  { method: "DELETE", hosts: API, path: "/rest/posts/{urn}", headers: VERSION_HEADERS, source: POSTS },
];

export const rules: OperationRules = {
  operations: OPERATIONS,
  refuse: (problem) => {
    switch (problem.kind) {
      case "missing_header":
        return problem.name === "linkedin-version"
          ? versionMissing()
          : resourceNotFound("No root resource defined for path; check X-Restli-Protocol-Version");
      case "unknown_parameter":
        return errorResponse(
          403,
          "QUERY_PARAM_NOT_ALLOWED",
          `Unpermitted fields present in PARAMETER: Data Processing Exception while processing fields [/${problem.name}]`,
          100,
        );
      case "unknown_member":
        return unpermittedFields(problem.name);
      case "repeated_parameter":
      case "unexpected_body":
      case "content_type":
      case "user_agent":
        return errorResponse(400, "ILLEGAL_ARGUMENT", describeProblem(problem));
    }
  },
};
