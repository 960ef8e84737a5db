/*
 * Which addresses a browser may be sent to (RFC 9700 2.1, RFC 8252 7.3). Everything works on the text as registered:
 * a parser that forgives spelling is how `http://127.0.0.1@evil.example` becomes a loopback address.
 */

const URIS_MAX = 20;
const LENGTH_MAX = 1000;
const PRINTABLE = /^[\x21-\x7e]+$/;
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/;
/** Schemes that run or read something in the browser instead of leading to an app. */
const NEVER = new Set([
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

/** https anywhere, http on this machine only. */
export function isUsable(uri: string): boolean {
  return isLoopback(uri) || (uri.startsWith("https://") && parse(uri) !== null);
}

/** Exact text, except that an app on this machine picks its port when it starts. */
function matches(registered: string, requested: string): boolean {
  if (registered === requested) {
    return true;
  }
  const a = LOOPBACK.exec(registered);
  const b = LOOPBACK.exec(requested);
  return a !== null && b !== null && a[1] === b[1] && a[2] === b[2];
}

/** Whether a request may name this address; what is registered but unusable is refused here. */
export function isAllowed(registered: readonly string[], requested: string): boolean {
  return isUsable(requested) && registered.some((uri) => isUsable(uri) && matches(uri, requested));
}

/** Whether a client may register this list: one usable address, and beside it at most the private schemes of apps. */
export function isRegistrable(uris: readonly string[]): boolean {
  return uris.length <= URIS_MAX && uris.some(isUsable) && uris.every((uri) => isUsable(uri) || isPrivateScheme(uri));
}

function isPrivateScheme(uri: string): boolean {
  const url = parse(uri);
  return url !== null && url.protocol !== "https:" && !NEVER.has(url.protocol);
}

/** The address with the answer behind whatever query it has. */
export function withAnswer(uri: string, answer: Record<string, string | undefined>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(answer)) {
    if (value !== undefined) {
      params.set(name, value);
    }
  }
  return `${uri}${uri.includes("?") ? "&" : "?"}${params.toString()}`;
}
