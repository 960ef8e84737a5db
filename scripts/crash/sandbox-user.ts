import { type Platform, PLATFORMS } from "#core/platform.ts";
import { type PlatformRules, requiredOptions } from "../platform-rules.ts";
import type { ApiClient } from "./api-client.ts";

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
  /** Options of the platform that this account does not take. */
  readonly refusedOptions: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly rules: PlatformRules;
}

/** A user of the sandbox with its API key and one account on each platform. */
export interface SandboxUser {
  readonly apiKey: string;
  readonly platforms: ReadonlyMap<Platform, ConnectedPlatform>;
  readonly imageUrl: string;
  readonly videoUrl: string;
}

const LINKEDIN_PAGE = "urn:li:organization";

/** The first account, or the first page at LinkedIn where one is asked for. */
function chooseAccount(platform: Platform, accounts: readonly ConnectedAccount[], asPage: boolean) {
  return asPage && platform === "linkedin"
    ? accounts.find(({ platform_account_id: id }) => id.startsWith(LINKEDIN_PAGE))
    : accounts[0];
}

interface ConnectedAccount {
  readonly id: string;
  readonly platform_account_id: string;
}

/** Creates a user with one account on each platform. The account at LinkedIn is a member or a page. */
export async function createSandboxUser(
  client: ApiClient,
  origin: string,
  connectTo: readonly Platform[] = PLATFORMS,
  asPage = false,
): Promise<SandboxUser> {
  const { api_key: key } = (await client.callUntilOk("POST", "/sandbox/users", {})) as { api_key: string };
  const get = async (path: string) => await client.callUntilOk("GET", `/v1${path}`, undefined, key);
  const { platforms: allRules } = (await get("/platforms")) as { platforms: readonly PlatformRules[] };
  const platforms = new Map<Platform, ConnectedPlatform>();
  for (const platform of connectTo) {
    const rules = allRules.find((candidate) => candidate.platform === platform);
    const { accounts: connected } = await client.callUntilOk("POST", "/sandbox/connect", { api_key: key, platform });
    const account = chooseAccount(platform, connected as ConnectedAccount[], asPage);
    if (!rules || !account) {
      throw new Error(`${platform} connected no account`);
    }
    platforms.set(platform, {
      accountId: account.id,
      // LinkedIn lets apps comment in the name of pages only.
      refusedOptions: platform === "linkedin" && !asPage ? ["first_comment"] : [],
      options: await requiredOptions(rules, account.id, get),
      rules,
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
  !platformOf(user, platform).rules.media.text_only;

export const rulesOf = (user: SandboxUser, platform: Platform): PlatformRules => platformOf(user, platform).rules;

/** Whether the account takes the option, and the operator has the rights that it needs. */
export function takesOption(user: SandboxUser, platform: Platform, option: string): boolean {
  const { refusedOptions, rules } = platformOf(user, platform);
  const { options, option_scopes: rights } = rules;
  return (
    option in (options.properties ?? {}) &&
    !refusedOptions.includes(option) &&
    rights.every((right) => right.option !== option || right.is_available)
  );
}

/** The target of a preview request for one platform. */
export function previewTarget(
  user: SandboxUser,
  platform: Platform,
  further: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const { accountId, options } = platformOf(user, platform);
  return { account_id: accountId, platform_options: { ...options, ...further } };
}
