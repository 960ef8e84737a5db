import { z } from "@hono/zod-openapi";
import { toBase64Url } from "#core/encoding.ts";
import type { JsonObject } from "#core/json.ts";
import type { ConnectField, CredentialsMethod, ClientIdentity, AppCredentials, Result } from "#platforms/contract.ts";
import { failed, succeeded } from "#platforms/fault.ts";
import { appMisconfigured } from "#platforms/oauth-token.ts";

export const loginFields: readonly ConnectField[] = [
  {
    name: "handle",
    label: "Handle",
    description:
      "The name of your account, as its profile shows it after the @. If you run your own server, its address works too.",
    isSecret: false,
    isRequired: true,
    maxLength: 300,
    example: "ada.bsky.social",
    valueOfAccount: ({ username }) => username,
  },
];

export const appPasswordFields: CredentialsMethod["fields"] = [
  {
    name: "identifier",
    label: "Handle",
    description: "The handle of the account.",
    isSecret: false,
    isRequired: true,
    maxLength: 300,
    example: "ada.bsky.social",
    valueOfAccount: ({ username }) => username,
  },
  {
    name: "app_password",
    label: "App password",
    description: "Made in the settings of your account under app passwords; never your main password.",
    isSecret: true,
    isRequired: true,
    maxLength: 100,
    example: "abcd-efgh-ijkl-mnop",
  },
];

/** The permissions of an app password, for servers that do not know single permissions. */
export const FULL_ACCESS_SCOPE = "transition:generic";

const CREATE_POSTS = "repo:app.bsky.feed.post?action=create";
const UPLOAD_IMAGES = "blob:image/*";
const UPLOAD_VIDEOS = "blob:video/*";
/**
 * Lets the video service upload in the account's name. Its audience differs between servers, and only `*` matches all.
 */
const VIDEO_UPLOAD = "rpc:com.atproto.repo.uploadBlob?aud=*";
const VIDEO_LIMITS = "rpc:app.bsky.video.getUploadLimits?aud=*";

/** The permissions that posting needs (atproto.com/specs/permission). */
const PERMISSIONS = [CREATE_POSTS, UPLOAD_IMAGES, UPLOAD_VIDEOS, VIDEO_UPLOAD, VIDEO_LIMITS] as const;

/** The scope that a login requests. The client metadata must declare the same. */
export function requestedScope(app: AppCredentials): string {
  return ["atproto", ...(app.settings["SCOPES"] === "transition" ? [FULL_ACCESS_SCOPE] : PERMISSIONS)].join(" ");
}

interface Permission {
  readonly resource: string;
  values(name: string): readonly string[];
}

/**
 * Parses a permission in the form `resource:value?name=value`. The value before the question mark is short for the
 * resource's main parameter.
 */
function parsePermission(scope: string): Permission | null {
  const [, resource, positional, query] = /^([a-z]+)(?::([^?]*))?(?:\?(.*))?$/.exec(scope) ?? [];
  if (resource === undefined) {
    return null;
  }
  const params = new URLSearchParams(query ?? "");
  return {
    resource,
    values: (name) => [
      ...(positional !== undefined && MAIN_PARAMETER[resource] === name ? [decodePart(positional)] : []),
      ...params.getAll(name),
    ],
  };
}

const MAIN_PARAMETER: Readonly<Record<string, string>> = { repo: "collection", blob: "accept", rpc: "lxm" };

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * By required permission: whether a granted one includes it. Servers may return permissions in another spelling, merged
 * with others, or wider than requested.
 */
const GRANTED_BY: Readonly<Record<(typeof PERMISSIONS)[number], (granted: Permission) => boolean>> = {
  [CREATE_POSTS]: (granted) =>
    granted.resource === "repo" &&
    includesAny(granted.values("collection"), ["app.bsky.feed.post", "*"]) &&
    (granted.values("action").length === 0 || granted.values("action").includes("create")),
  [UPLOAD_IMAGES]: (granted) =>
    granted.resource === "blob" && includesAny(granted.values("accept"), ["image/*", "*/*"]),
  [UPLOAD_VIDEOS]: (granted) =>
    granted.resource === "blob" && includesAny(granted.values("accept"), ["video/*", "*/*"]),
  [VIDEO_UPLOAD]: (granted) => isRpc(granted, "com.atproto.repo.uploadBlob"),
  [VIDEO_LIMITS]: (granted) => isRpc(granted, "app.bsky.video.getUploadLimits"),
};

function isRpc(granted: Permission, method: string): boolean {
  return (
    granted.resource === "rpc" &&
    includesAny(granted.values("lxm"), [method, "*"]) &&
    granted.values("aud").includes("*")
  );
}

function includesAny(values: readonly string[], accepted: readonly string[]): boolean {
  return values.some((value) => accepted.includes(value));
}

/** The permissions that posting needs but the user did not grant. */
export function findMissingPermissions(granted: readonly string[]): readonly string[] {
  if (granted.includes(FULL_ACCESS_SCOPE)) {
    return [];
  }
  const permissions = granted.flatMap((scope) => parsePermission(scope) ?? []);
  return PERMISSIONS.filter((permission) => !permissions.some(GRANTED_BY[permission]));
}

/** A private ES256 key as JWK. */
export const SigningKey = z.object({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string().min(1),
  y: z.string().min(1),
  d: z.string().min(1),
});
export type SigningKey = z.infer<typeof SigningKey>;

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;

export async function createSigningKey(): Promise<SigningKey> {
  const pair = (await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])) as CryptoKeyPair;
  return SigningKey.parse(await crypto.subtle.exportKey("jwk", pair.privateKey));
}

export function publicJwk({ kty, crv, x, y }: SigningKey) {
  return { kty, crv, x, y };
}

const encodePart = (part: JsonObject): string => toBase64Url(new TextEncoder().encode(JSON.stringify(part)));

/** Signs a compact JWS. WebCrypto's signature already has the form that ES256 requires. */
export async function signJwt(key: SigningKey, header: JsonObject, claims: JsonObject): Promise<string> {
  const { kty, crv, x, y, d } = key;
  const cryptoKey = await crypto.subtle.importKey("jwk", { kty, crv, x, y, d }, ALGORITHM, false, ["sign"]);
  const content = `${encodePart({ ...header, alg: "ES256" })}.${encodePart(claims)}`;
  const signature = await crypto.subtle.sign(
    { name: "ECDSA", hash: "SHA-256" },
    cryptoKey,
    new TextEncoder().encode(content),
  );
  return `${content}.${toBase64Url(new Uint8Array(signature))}`;
}

const ClientKey = SigningKey.extend({ kid: z.string().min(1).optional() });
export type ClientKey = z.infer<typeof ClientKey>;

/** The client metadata document, which is at the URL that is the client id. */
export function clientMetadata(app: AppCredentials, identity: ClientIdentity): JsonObject {
  const key = readPrivateKey(app);
  return {
    client_id: identity.clientMetadataUrl,
    application_type: "web",
    client_name: "Almanac",
    client_uri: identity.origin,
    redirect_uris: [identity.redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    scope: requestedScope(app),
    dpop_bound_access_tokens: true,
    ...(key.ok && key.value
      ? {
          token_endpoint_auth_method: "private_key_jwt",
          token_endpoint_auth_signing_alg: "ES256",
          jwks: { keys: [{ ...publicJwk(key.value), kid: keyId(key.value), use: "sig", alg: "ES256" }] },
        }
      : { token_endpoint_auth_method: "none" }),
  };
}

/** Reads the operator's private key. Null if there is none; a fault if the setting is no key. */
export function readPrivateKey(app: AppCredentials): Result<ClientKey | null> {
  const setting = app.settings["PRIVATE_KEY"];
  if (setting === undefined) {
    return succeeded(null);
  }
  try {
    return succeeded(ClientKey.parse(JSON.parse(setting)));
  } catch {
    return failed(appMisconfigured(null, null));
  }
}

/** The id of a key, because servers drop keys without one. A coordinate of the key is as stable as the key. */
export function keyId({ kid, x: coordinate }: ClientKey): string {
  return kid ?? coordinate;
}
