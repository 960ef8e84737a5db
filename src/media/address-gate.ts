import { isAddress, shutAddress } from "./addresses.ts";
import { type Checked, bad } from "./types.ts";

const MAX_URL_LENGTH = 2048;

/** Endings that no public name has (RFC 6761, 6762, 7686, 8375 and what private networks are given to using). */
const SHUT_SUFFIXES = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "onion",
];

/** Public names whose whole purpose is to lead to a private address or to cloud metadata. */
const SHUT_NAMES = [
  "metadata.goog",
  "localtest.me",
  "lvh.me",
  "lacolhost.com",
  "vcap.me",
  "yoogle.com",
  "127-0-0-1.org.uk",
  "nip.io",
  "sslip.io",
  "xip.io",
  "traefik.me",
  "backname.io",
  "rbndr.us",
];

function shutName(name: string): boolean {
  return (
    !name.includes(".") ||
    SHUT_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`)) ||
    SHUT_NAMES.some((known) => name === known || name.endsWith(`.${known}`))
  );
}

/**
 * Whether an address may be fetched: pure, asked before every single request, redirect hops included. It judges the parsed
 * address, never the text, because the parser has already turned every spelling of a number and of a letter into one.
 */
export function checkAddress(text: string, trustedOrigin: string | null): Checked<URL> {
  if (text.length > MAX_URL_LENGTH) {
    return bad("url_too_long", `the address has ${text.length} characters; shorten it to ${MAX_URL_LENGTH}`, {
      limit: MAX_URL_LENGTH,
      actual: text.length,
    });
  }
  // The parser drops these silently; nobody who means well sends them.
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u0020\u007f\\]/.test(text) || !URL.canParse(text)) {
    return bad("url_invalid", "this is not a valid address; send a complete https:// address without spaces");
  }
  const url = new URL(text);
  url.hash = "";
  if (url.username !== "" || url.password !== "") {
    return bad(
      "url_has_credentials",
      "the address carries a user name or password; use an address that is public without them",
    );
  }
  if (trustedOrigin !== null && url.origin === new URL(trustedOrigin).origin) {
    return { ok: true, value: url };
  }
  if (url.protocol !== "https:") {
    return bad("url_not_https", `only https:// addresses are fetched, this one is ${url.protocol}//`, {
      actual: url.protocol,
    });
  }
  if (url.port !== "") {
    return bad("url_has_port", `the address names port ${url.port}; only the default port 443 is fetched`, {
      limit: 443,
      actual: Number(url.port),
    });
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.+$/, "");
  const shut = shutAddress(host);
  if (shut !== null || (!isAddress(host) && shutName(host))) {
    return bad("url_not_public", "the address does not lead to the public internet; use one that everybody can open");
  }
  return { ok: true, value: url };
}
