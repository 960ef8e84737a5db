import { isIpAddress, nonPublicRange } from "./ip-ranges.ts";
import { type AddressCheck, addressRefused } from "./address-check.ts";
import { NON_PUBLIC_NAMES } from "./non-public-names.ts";

const MAX_URL_LENGTH = 2048;

function isNonPublicName(host: string): boolean {
  return (
    // A name without a dot is a top-level domain, or a private network completes it to one of its hosts.
    !host.includes(".") || NON_PUBLIC_NAMES.some(({ name }) => host === name || host.endsWith(`.${name}`))
  );
}

/**
 * Checks whether a URL may be fetched, without DNS. Needed before every request and every redirect. It checks the
 * parsed URL and not the text, because parsing normalizes every spelling of an address.
 */
export function checkUrl(text: string, trustedOrigin: string | null): AddressCheck {
  if (text.length > MAX_URL_LENGTH) {
    return addressRefused("url_too_long", `the URL has ${text.length} characters; shorten it to ${MAX_URL_LENGTH}`, {
      limit: MAX_URL_LENGTH,
      actual: text.length,
    });
  }
  // The URL parser drops these characters silently, so a URL that contains them is probably a disguise.
  // oxlint-disable-next-line no-control-regex -- the expression is meant to find control characters
  if (/[\u0000-\u0020\u007f\\]/.test(text) || !URL.canParse(text)) {
    return addressRefused("url_invalid", "this is not a valid URL; send a complete https:// URL without spaces");
  }
  const url = new URL(text);
  url.hash = "";
  if (url.username !== "" || url.password !== "") {
    return addressRefused(
      "url_has_credentials",
      "the URL contains a user name or password; use a URL that is public without them",
    );
  }
  // mutant: any-port-of-our-host
  if (trustedOrigin !== null && url.origin === new URL(trustedOrigin).origin) {
    return { ok: true, value: url };
  }
  if (url.protocol !== "https:") {
    return addressRefused("url_not_https", `only https:// URLs are fetched, this one is ${url.protocol}//`, {
      actual: url.protocol,
    });
  }
  if (url.port !== "") {
    return addressRefused("url_has_port", `the URL has port ${url.port}; only the default port 443 is allowed`, {
      limit: 443,
      actual: Number(url.port),
    });
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.+$/, "");
  const range = nonPublicRange(host);
  if (range !== null || (!isIpAddress(host) && isNonPublicName(host))) {
    return addressRefused(
      "url_not_public",
      "the URL does not lead to the public internet; use one that everybody can open",
    );
  }
  return { ok: true, value: url };
}
