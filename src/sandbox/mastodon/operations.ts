import { type Operation, type OperationRules, topMembers } from "#sandbox/operation.ts";
import type { Call } from "./call.ts";
import { HOSTS } from "./instances.ts";

/*
 * The calls that Mastodon accepts, from docs.joinmastodon.org. A program may add `lang` to every call, the language of the error's text
 * (https://github.com/mastodon/mastodon/blob/main/app/controllers/concerns/localized.rb). A body may be JSON, a form or multipart
 * (https://docs.joinmastodon.org/client/intro/).
 */

const DOCS = "https://docs.joinmastodon.org/methods";
const LANGUAGE = ["lang"];
const BODY_TYPES = ["json", "form", "multipart"] as const;

export const PAGE_QUERY: readonly string[] = [
  "response_type",
  "client_id",
  "redirect_uri",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method",
  "force_login",
  "lang",
];

/** The members for quotes, which exist since 4.5. */
const QUOTE_MEMBERS = ["quoted_status_id", "quote_approval_policy"];

const OPERATIONS: readonly Operation[] = [
  {
    method: "GET",
    hosts: HOSTS,
    path: "/oauth/authorize",
    query: PAGE_QUERY,
    isPage: true,
    source: `${DOCS}/oauth/#authorize`,
  },
  {
    method: "POST",
    hosts: HOSTS,
    path: "/oauth/token",
    query: LANGUAGE,
    body: {
      types: BODY_TYPES,
      members: ["grant_type", "code", "client_id", "client_secret", "redirect_uri", "code_verifier", "scope"],
      isAlsoQuery: true,
    },
    source: `${DOCS}/oauth/#token`,
  },
  {
    method: "POST",
    hosts: HOSTS,
    path: "/oauth/revoke",
    query: LANGUAGE,
    body: { types: BODY_TYPES, members: ["client_id", "client_secret", "token"], isAlsoQuery: true },
    source: `${DOCS}/oauth/#revoke`,
  },
  {
    method: "GET",
    hosts: HOSTS,
    path: "/.well-known/oauth-authorization-server",
    query: LANGUAGE,
    source: "https://docs.joinmastodon.org/spec/oauth/",
  },
  {
    method: "GET",
    hosts: HOSTS,
    path: "/.well-known/webfinger",
    query: ["resource", ...LANGUAGE],
    source: "https://docs.joinmastodon.org/spec/webfinger/",
  },
  { method: "GET", hosts: HOSTS, path: "/api/v2/instance", query: LANGUAGE, source: `${DOCS}/instance/#v2` },
  { method: "GET", hosts: HOSTS, path: "/api/v1/instance", query: LANGUAGE, source: `${DOCS}/instance/#v1` },
  {
    method: "POST",
    hosts: HOSTS,
    path: "/api/v1/apps",
    query: LANGUAGE,
    body: {
      types: BODY_TYPES,
      // `redirect_uris` is a text with one address, or a list since 4.3.
      members: ["client_name", "redirect_uris", "redirect_uris[]", "scopes", "website"],
      isAlsoQuery: true,
    },
    source: `${DOCS}/apps/#create`,
  },
  {
    method: "GET",
    hosts: HOSTS,
    path: "/api/v1/apps/verify_credentials",
    query: LANGUAGE,
    source: `${DOCS}/apps/#verify_credentials`,
  },
  {
    method: "GET",
    hosts: HOSTS,
    path: "/api/v1/accounts/verify_credentials",
    query: LANGUAGE,
    source: `${DOCS}/accounts/#verify_credentials`,
  },
  {
    method: "GET",
    hosts: HOSTS,
    path: "/api/v1/accounts/{id}/statuses",
    query: ["limit", "exclude_reblogs", "exclude_replies", "only_media", "max_id", "min_id", "since_id", ...LANGUAGE],
    source: `${DOCS}/accounts/#statuses`,
  },
  {
    method: "POST",
    hosts: HOSTS,
    path: "/api/v2/media",
    query: LANGUAGE,
    body: { types: ["multipart"], members: ["file", "description", "focus", "thumbnail"], isAlsoQuery: true },
    source: `${DOCS}/media/#v2`,
  },
  { method: "GET", hosts: HOSTS, path: "/api/v1/media/{id}", query: LANGUAGE, source: `${DOCS}/media/#get` },
  {
    method: "PUT",
    hosts: HOSTS,
    path: "/api/v1/media/{id}",
    query: LANGUAGE,
    body: { types: BODY_TYPES, members: ["description", "focus", "thumbnail"], isAlsoQuery: true },
    source: `${DOCS}/media/#update`,
  },
  { method: "DELETE", hosts: HOSTS, path: "/api/v1/media/{id}", query: LANGUAGE, source: `${DOCS}/media/#delete` },
  {
    method: "POST",
    hosts: HOSTS,
    path: "/api/v1/statuses",
    query: LANGUAGE,
    body: {
      types: BODY_TYPES,
      members: [
        "status",
        "media_ids[]",
        "sensitive",
        "spoiler_text",
        "visibility",
        "language",
        "in_reply_to_id",
        "scheduled_at",
        "poll.*",
        ...QUOTE_MEMBERS,
      ],
      isAlsoQuery: true,
    },
    source: `${DOCS}/statuses/#create`,
  },
  { method: "GET", hosts: HOSTS, path: "/api/v1/statuses/{id}", query: LANGUAGE, source: `${DOCS}/statuses/#get` },
  {
    method: "GET",
    hosts: HOSTS,
    path: "/api/v1/statuses/{id}/source",
    query: LANGUAGE,
    source: `${DOCS}/statuses/#source`,
  },
  {
    method: "DELETE",
    hosts: HOSTS,
    path: "/api/v1/statuses/{id}",
    query: ["delete_media", ...LANGUAGE],
    source: `${DOCS}/statuses/#delete`,
  },
];

/**
 * The simulator checks operations itself: throttles and the token come before the parameters, and the setting `lenient`
 * switches off the check of names.
 */
export const rules: OperationRules = { operations: OPERATIONS, checkedBy: "simulator" };

/** The names that the instance accepts, whether in the query or in the body. */
export function acceptedNames({ instance }: Pick<Call, "instance">, operation: Operation): readonly string[] {
  const hasQuotes = (instance.apiVersion ?? 0) >= 7;
  return [...(operation.query ?? []), ...topMembers(operation)].filter(
    (name) => hasQuotes || !QUOTE_MEMBERS.includes(name),
  );
}
