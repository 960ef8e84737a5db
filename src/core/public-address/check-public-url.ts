import type { RemoteFetch } from "#core/fetch-answer.ts";
import type { AddressCheck } from "./address-check.ts";
import { checkHostName } from "./check-host-name.ts";
import { checkUrl } from "./check-url.ts";

export interface PublicUrlRules {
  readonly publicFetch: RemoteFetch;
  /** The URL of a DNS-over-HTTPS server. If it is null, only the text of the host name is checked. */
  readonly resolver: string | null;
  /** An origin that is allowed although it is not public HTTPS; null in production. */
  readonly trustedOrigin: string | null;
}

/** Checks whether the service may call a URL that a user entered. Needed before every request and every redirect. */
export async function checkPublicUrl(rules: PublicUrlRules, url: string): Promise<AddressCheck> {
  const checked = checkUrl(url, rules.trustedOrigin);
  return checked.ok && checked.value.origin !== rules.trustedOrigin
    ? await checkHostName(rules.publicFetch, rules.resolver, checked.value)
    : checked;
}
