import type { AddressCheck } from "./address-check.ts";
import { checkHostName, type PublicFetch } from "./check-host-name.ts";
import { checkUrl } from "./check-url.ts";

export interface PublicUrlRules {
  readonly publicFetch: PublicFetch;
  /** Address of a DNS-over-HTTPS server; without one only the name itself is checked. */
  readonly resolver: string | null;
  /** An origin allowed beside public HTTPS; null in production. */
  readonly trustedOrigin: string | null;
}

/** Whether a URL that a user named may be requested. Called before every request, redirects included. */
export async function checkPublicUrl(rules: PublicUrlRules, url: string): Promise<AddressCheck> {
  const checked = checkUrl(url, rules.trustedOrigin);
  return checked.ok && checked.value.origin !== rules.trustedOrigin
    ? await checkHostName(rules.publicFetch, rules.resolver, checked.value)
    : checked;
}
