/** The directory that resolves `did:plc` identifiers. */
export const PLC_ORIGIN = "https://plc.directory";
/** Bluesky's public AppView, which knows handles and profiles and needs no authorization. */
export const APPVIEW_ORIGIN = "https://public.api.bsky.app";
export const VIDEO_ORIGIN = "https://video.bsky.app";
export const VIDEO_SERVICE_DID = "did:web:video.bsky.app";

/** The hosts that the adapter calls. The hosts of an account's own servers are in `TokenSet.hosts`. */
export const hosts = ["plc.directory", "public.api.bsky.app", "video.bsky.app"] as const;

export const COLLECTION = "app.bsky.feed.post";

export function postUri(did: string, recordKey: string): string {
  return `at://${did}/${COLLECTION}/${recordKey}`;
}

/** The URL of a post's page. It contains the DID, because handles change. */
export function postUrl(did: string, recordKey: string): string {
  return `https://bsky.app/profile/${did}/post/${recordKey}`;
}

/**
 * Parses an origin such as `https://example.com`. Null for anything more, even a port, because the service calls other
 * people's servers with it.
 */
export function parseOrigin(text: string): string | null {
  const url = parseHttpsUrl(text);
  return url && url.pathname === "/" && url.search === "" && url.hash === "" ? url.origin : null;
}

/** Parses an HTTPS URL on the default port, without credentials. */
export function parseHttpsUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url?.protocol === "https:" && url.port === "" && url.username === "" && url.password === "" ? url : null;
}
