/* Decides to which URIs a browser may be redirected (RFC 9700 2.1, RFC 8252 7.3). The checks use the registered
   text: a lenient parser would accept `http://127.0.0.1@evil.example` as a loopback address. */

const URIS_MAX = 20;
const LENGTH_MAX = 1000;
const PRINTABLE = /^[\x21-\x7e]+$/;
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/;
/** URI schemes that make a browser run or read something, so that no app may register them. */
const FORBIDDEN_SCHEMES = new Set([
  "javascript:",
  "data:",
  "vbscript:",
  "blob:",
  "file:",
  "filesystem:",
  "about:",
  "http:",
  "ws:",
  "ftp:",
]);

function parse(uri: string): URL | null {
  if (uri.length > LENGTH_MAX || !PRINTABLE.test(uri) || uri.includes("#") || !URL.canParse(uri)) {
    return null;
  }
  const url = new URL(uri);
  return url.username === "" && url.password === "" ? url : null;
}

export function isLoopback(uri: string): boolean {
  return LOOPBACK.test(uri) && parse(uri) !== null;
}

/** Whether the URI uses https (any host) or http (loopback hosts only). */
export function isUsableRedirectUri(uri: string): boolean {
  return isLoopback(uri) || (uri.startsWith("https://") && parse(uri) !== null);
}

/**
 * Compares redirect URIs exactly. Only the port of a loopback address may differ, because an app chooses it at its
 * start (RFC 8252 7.3).
 */
function matches(registered: string, requested: string): boolean {
  if (registered === requested) {
    return true;
  }
  const a = LOOPBACK.exec(registered);
  const b = LOOPBACK.exec(requested);
  return a !== null && b !== null && a[1] === b[1] && a[2] === b[2];
}

/** Whether a request may redirect to this URI. It must be registered and use an allowed scheme. */
export function isRegisteredRedirectUri(registered: readonly string[], requested: string): boolean {
  return (
    isUsableRedirectUri(requested) && registered.some((uri) => isUsableRedirectUri(uri) && matches(uri, requested))
  );
}

/**
 * Whether a client may register these redirect URIs. At least one must be usable; the others may have private schemes
 * of apps.
 */
export function areRegistrable(uris: readonly string[]): boolean {
  return (
    uris.length <= URIS_MAX &&
    uris.some(isUsableRedirectUri) &&
    uris.every((uri) => isUsableRedirectUri(uri) || isPrivateScheme(uri))
  );
}

function isPrivateScheme(uri: string): boolean {
  const url = parse(uri);
  return url !== null && url.protocol !== "https:" && !FORBIDDEN_SCHEMES.has(url.protocol);
}

/** Adds query parameters to a URI that may already have some. */
export function appendParameters(uri: string, parameters: Record<string, string | undefined>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) {
      params.set(name, value);
    }
  }
  return `${uri}${uri.includes("?") ? "&" : "?"}${params.toString()}`;
}
