/** Directory of `did:plc` identifiers. */
export const PLC_ORIGIN = "https://plc.directory";
/** The public AppView: handles and profiles, without authorization. */
export const APPVIEW_ORIGIN = "https://public.api.bsky.app";
export const VIDEO_ORIGIN = "https://video.bsky.app";
export const VIDEO_SERVICE_DID = "did:web:video.bsky.app";

/** `TokenSet.hosts` has the account's server and its authorization server. */
export const hosts = ["plc.directory", "public.api.bsky.app", "video.bsky.app"] as const;

export const COLLECTION = "app.bsky.feed.post";

export function postUri(did: string, recordKey: string): string {
  return `at://${did}/${COLLECTION}/${recordKey}`;
}

/** The page of a post. The URL contains the DID, because handles change. */
export function postUrl(did: string, recordKey: string): string {
  return `https://bsky.app/profile/${did}/post/${recordKey}`;
}

/** An origin such as `https://example.com`; null for anything more, also for a port: the service calls other people's servers with it. */
export function parseOrigin(text: string): string | null {
  const url = parseHttpsUrl(text);
  return url && url.pathname === "/" && url.search === "" && url.hash === "" ? url.origin : null;
}

/** An HTTPS URL on the default port, without credentials. */
export function parseHttpsUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url?.protocol === "https:" && url.port === "" && url.username === "" && url.password === "" ? url : null;
}
