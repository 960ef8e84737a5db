import { clientForConnecting, clientIdentity, configuredPlatform, withTimeoutCap } from "#accounts/index.ts";
import type { Services } from "#context.ts";
import { SECOND } from "#core/clock.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { OPERATOR_CHECKS } from "#platforms/operator-registry.ts";
import type { PlatformCheck } from "./facts.ts";

/** The timeout of a call (ms). It is short, because the operator waits at a terminal. */
const CALL_TIMEOUT_MS = 10 * SECOND;

async function checkPlatform(
  services: Pick<Services, "config" | "outbound" | "adapterFor">,
  platform: Platform,
): Promise<PlatformCheck | null> {
  const configured = configuredPlatform(services, platform);
  if (!configured) {
    return null;
  }
  const { adapter, app } = configured;
  const client = withTimeoutCap(clientForConnecting(services, adapter), CALL_TIMEOUT_MS);
  return {
    platform,
    ...(await OPERATOR_CHECKS[platform].checkCredentials(
      client,
      app,
      clientIdentity(services.config.origin, platform),
    )),
  };
}

/** Checks the operator's credentials at every configured platform. Each check is one call that changes nothing. */
export async function checkPlatforms(
  services: Pick<Services, "config" | "outbound" | "adapterFor">,
): Promise<readonly PlatformCheck[]> {
  const checks = await Promise.all(PLATFORMS.map((platform) => checkPlatform(services, platform)));
  return checks.filter((check) => check !== null);
}
