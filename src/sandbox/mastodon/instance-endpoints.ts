import type { JsonObject } from "#core/json.ts";
import type { Call } from "./call.ts";
import { routeNotFound } from "./error-responses.ts";
import { FRAME_RATE_LIMIT, IMAGE_MATRIX_LIMIT, supportedMimeTypes, VIDEO_MATRIX_LIMIT } from "./instances.ts";
import type { Params } from "./params.ts";
import { testUsersOf } from "./test-users.ts";

/* Metadata and limits of an instance (docs/platforms/facts/mastodon.md 1.1, part 2 and 6.9). */

/** Handles `GET /.well-known/oauth-authorization-server`, which exists since 4.3. */
export function metadata(call: Call): Response {
  const { instance, settings } = call;
  if (instance.is42) {
    return routeNotFound(call);
  }
  const origin = `https://${instance.host}`;
  const endpoints = `https://${settings.metadataHost ?? instance.host}`;
  return Response.json({
    issuer: `${origin}/`,
    service_documentation: "https://docs.joinmastodon.org/",
    authorization_endpoint: `${endpoints}/oauth/authorize`,
    token_endpoint: `${endpoints}/oauth/token`,
    revocation_endpoint: `${endpoints}/oauth/revoke`,
    // `userinfo_endpoint` exists since 4.4.
    ...((instance.apiVersion ?? 0) >= 6 && { userinfo_endpoint: `${endpoints}/oauth/userinfo` }),
    app_registration_endpoint: `${endpoints}/api/v1/apps`,
    scopes_supported: [...instance.scopes],
    response_types_supported: ["code"],
    response_modes_supported: ["query", "fragment", "form_post"],
    grant_types_supported: ["authorization_code", "client_credentials"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    code_challenge_methods_supported: ["S256"],
  });
}

/**
 * Handles `GET /.well-known/webfinger`. The handles of an instance use its own domain, so nothing redirects (D
 * spec/webfinger.md).
 */
export function webfinger(call: Call, params: Params): Response {
  const { host } = call.instance;
  const [, username, domain] = /^acct:([^@]+)@(.+)$/.exec(params.text("resource") ?? "") ?? [];
  const user = testUsersOf(host).find((one) => one.username.toLowerCase() === username?.toLowerCase());
  if (!user || domain !== host) {
    return new Response(null, { status: 404 });
  }
  const actor = `https://${host}/users/${user.username}`;
  const document = {
    subject: `acct:${user.username}@${host}`,
    aliases: [`https://${host}/@${user.username}`, actor],
    links: [{ rel: "self", type: "application/activity+json", href: actor }],
  };
  return Response.json(document, { headers: { "content-type": "application/jrd+json; charset=utf-8" } });
}

function configuration({ instance, settings }: Call): JsonObject {
  return {
    statuses: {
      max_characters: instance.maxCharacters,
      max_media_attachments: instance.maxMedia,
      characters_reserved_per_url: instance.charactersPerUrl,
    },
    media_attachments: {
      ...(instance.listsDescriptionLimit && { description_limit: instance.descriptionLimit }),
      supported_mime_types: [...supportedMimeTypes(settings)],
      image_size_limit: instance.imageSizeLimit,
      image_matrix_limit: IMAGE_MATRIX_LIMIT,
      video_size_limit: instance.videoSizeLimit,
      video_frame_rate_limit: FRAME_RATE_LIMIT,
      video_matrix_limit: VIDEO_MATRIX_LIMIT,
    },
  };
}

/** Handles `GET /api/v2/instance`. With the setting `v1_only` the endpoint does not exist. */
export function readInstance(call: Call): Response {
  const { instance, settings } = call;
  if (settings.isV1Only) {
    return routeNotFound(call);
  }
  return Response.json({
    domain: instance.host,
    title: instance.title.padEnd(settings.titleLength, "a"),
    version: instance.version,
    source_url: instance.isGoToSocial
      ? "https://codeberg.org/superseriousbusiness/gotosocial"
      : "https://github.com/mastodon/mastodon",
    ...(instance.apiVersion !== null && { api_versions: { mastodon: instance.apiVersion } }),
    configuration: configuration(call),
  });
}

/**
 * Handles `GET /api/v1/instance`: the same configuration without description_limit (M rest/v1/instance_serializer.rb).
 */
export function readInstanceV1(call: Call): Response {
  const { instance } = call;
  return Response.json({
    uri: instance.host,
    title: instance.title,
    version: instance.version,
    configuration: configuration({ ...call, instance: { ...instance, listsDescriptionLimit: false } }),
  });
}
