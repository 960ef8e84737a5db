import type { AppCredentials } from "#platforms/contract.ts";

/** Powers of an app password, for servers that do not know single permissions. */
export const FULL_ACCESS_SCOPE = "transition:generic";

const CREATE_POSTS = "repo:app.bsky.feed.post?action=create";
const UPLOAD_IMAGES = "blob:image/*";
const UPLOAD_VIDEOS = "blob:video/*";
/** The video service uploads in the account's name; its audience differs between servers, and only `*` matches all. */
const VIDEO_UPLOAD = "rpc:com.atproto.repo.uploadBlob?aud=*";
const VIDEO_LIMITS = "rpc:app.bsky.video.getUploadLimits?aud=*";

/** What posting needs (atproto.com/specs/permission). */
const PERMISSIONS = [CREATE_POSTS, UPLOAD_IMAGES, UPLOAD_VIDEOS, VIDEO_UPLOAD, VIDEO_LIMITS] as const;

/** The scope that is asked for; the client metadata declares the same. */
export function requestedScope(app: AppCredentials): string {
  return ["atproto", ...(app.settings["SCOPES"] === "transition" ? [FULL_ACCESS_SCOPE] : PERMISSIONS)].join(" ");
}

interface Permission {
  readonly resource: string;
  values(name: string): readonly string[];
}

/** `resource:value?name=value`; the value before the question mark is short for the resource's main parameter. */
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

/** Servers may return a permission in another spelling, merged with others, or wider than it was asked for. */
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

/** Permissions that posting needs and the user did not grant. */
export function findMissingPermissions(granted: readonly string[]): readonly string[] {
  if (granted.includes(FULL_ACCESS_SCOPE)) {
    return [];
  }
  const permissions = granted.flatMap((scope) => parsePermission(scope) ?? []);
  return PERMISSIONS.filter((permission) => !permissions.some(GRANTED_BY[permission]));
}
