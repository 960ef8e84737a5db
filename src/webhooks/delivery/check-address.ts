import type { Services } from "#context.ts";
import type { AddressCheck } from "#core/public-address/address-check.ts";
import { checkPublicUrl } from "#core/public-address/check-public-url.ts";

/** Matches the address of a program on the machine that runs the sandbox. */
const LOCAL_PROGRAM = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]):\d{1,5}\//;

/**
 * Whether events may be sent to an address: `https` on the public internet, or in the sandbox a program on the same
 * machine. Checked when the address is set and before every try.
 */
export async function checkWebhookAddress(
  { outbound, config }: Pick<Services, "outbound" | "config">,
  url: string,
): Promise<AddressCheck> {
  const isLocal = outbound.trustedMediaOrigin !== null && LOCAL_PROGRAM.test(url);
  const rules = {
    publicFetch: (request: Request) => outbound.publicFetch(request),
    resolver: config.setting("MEDIA_DOH_URL"),
    trustedOrigin: isLocal && URL.canParse(url) ? new URL(url).origin : outbound.trustedMediaOrigin,
  };
  return await checkPublicUrl(rules, url);
}
