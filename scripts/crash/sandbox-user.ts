import { type Platform, PLATFORMS } from "#core/platform.ts";
import { type PlatformRules, requiredOptions } from "../platform-rules.ts";
import type { ApiClient } from "./api-client.ts";

/**
 * Platforms without random traffic, which is a text, or one image with a text, several times a second. While posts are being
 * published the service is killed with posts to all platforms (kill-during-publish.ts).
 */
const LEFT_OUT = {
  tiktok: "accepts fifteen posts a day per account, and the preview counts them whatever the simulator allows",
  youtube: "accepts videos only",
} as const satisfies Partial<Record<Platform, string>>;

export const CRASH_TEST_PLATFORMS: readonly Platform[] = PLATFORMS.filter((platform) => !(platform in LEFT_OUT));

/** The crash test posts faster than any platform allows, so the simulators' rate limits are lifted. */
const UNLIMITED_SETTINGS = {
  processing_ms: 500,
  quota: 1_000_000,
  creates_per_minute: 1_000_000,
  containers_per_day: 1_000_000,
  calls_per_5_minutes: 1_000_000,
  uploads_per_day: 1_000_000,
  units_per_day: 1_000_000_000,
  unlimited_rate: true,
  lenient: "throttles",
};

interface ConnectedPlatform {
  readonly accountId: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether the platform accepts no post without media. */
  readonly requiresMedia: boolean;
}

/** A user of the sandbox with its API key and one account on each platform. */
export interface SandboxUser {
  readonly apiKey: string;
  readonly platforms: ReadonlyMap<Platform, ConnectedPlatform>;
  readonly imageUrl: string;
  readonly videoUrl: string;
}

/** Creates a user with one account on each of the platforms. */
export async function createSandboxUser(
  client: ApiClient,
  origin: string,
  connectTo: readonly Platform[] = CRASH_TEST_PLATFORMS,
): Promise<SandboxUser> {
  const { api_key: key } = (await client.callUntilOk("POST", "/sandbox/users", {})) as { api_key: string };
  const get = async (path: string) => await client.callUntilOk("GET", `/v1${path}`, undefined, key);
  const { platforms: allRules } = (await get("/platforms")) as { platforms: readonly PlatformRules[] };
  const platforms = new Map<Platform, ConnectedPlatform>();
  for (const platform of connectTo) {
    const rules = allRules.find((candidate) => candidate.platform === platform);
    const { accounts: connected } = await client.callUntilOk("POST", "/sandbox/connect", { api_key: key, platform });
    const [account] = connected as { id: string }[];
    if (!rules || !account) {
      throw new Error(`${platform} connected no account`);
    }
    platforms.set(platform, {
      accountId: account.id,
      options: await requiredOptions(rules, account.id, get),
      requiresMedia: !rules.media.text_only,
    });
    await client.callUntilOk("POST", `/sandbox/platforms/${platform}/settings`, UNLIMITED_SETTINGS);
  }
  return {
    apiKey: key,
    platforms,
    imageUrl: `${origin}/sandbox/media/portrait.jpg`,
    videoUrl: `${origin}/sandbox/media/portrait.mp4`,
  };
}

function platformOf({ platforms }: SandboxUser, platform: Platform): ConnectedPlatform {
  const connected = platforms.get(platform);
  if (!connected) {
    throw new Error(`the user has no account on ${platform}`);
  }
  return connected;
}

export const requiresMedia = (user: SandboxUser, platform: Platform): boolean =>
  platformOf(user, platform).requiresMedia;

/** The target of a preview request for one platform. */
export function previewTarget(user: SandboxUser, platform: Platform): Record<string, unknown> {
  const { accountId, options } = platformOf(user, platform);
  return { account_id: accountId, platform_options: options };
}
