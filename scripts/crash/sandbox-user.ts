import type { ApiClient } from "./api-client.ts";

/** The platforms that accept what the crash test posts: a text, or one image with a text. */
export const CRASH_TEST_PLATFORMS: readonly string[] = [
  "x",
  "threads",
  "facebook",
  "instagram",
  "pinterest",
  "linkedin",
];

/** Platforms that accept no post without media. */
export const MEDIA_REQUIRED_PLATFORMS: ReadonlySet<string> = new Set(["instagram", "pinterest"]);

/** A board of the sandbox user on the simulated Pinterest. */
const BOARD_ID = "549755885175";

/** The crash test posts faster than any platform allows, so the simulators' rate limits are lifted. */
const UNLIMITED_SETTINGS = {
  processing_ms: 500,
  quota: 1_000_000,
  creates_per_minute: 1_000_000,
  containers_per_day: 1_000_000,
};

/** A user of the sandbox with its API key and accounts. */
export interface SandboxUser {
  readonly apiKey: string;
  /** Account ids by platform. */
  readonly accounts: ReadonlyMap<string, string>;
  readonly imageUrl: string;
}

/** Creates a user with one account on every platform. */
export async function createSandboxUser(client: ApiClient, origin: string): Promise<SandboxUser> {
  const { api_key: key } = (await client.callUntilOk("POST", "/sandbox/users", {})) as { api_key: string };
  const accounts = new Map<string, string>();
  for (const platform of CRASH_TEST_PLATFORMS) {
    const { accounts: connected } = await client.callUntilOk("POST", "/sandbox/connect", { api_key: key, platform });
    const [account] = connected as { id: string }[];
    if (!account) {
      throw new Error(`${platform} connected no account`);
    }
    accounts.set(platform, account.id);
    await client.callUntilOk("POST", `/sandbox/platforms/${platform}/settings`, UNLIMITED_SETTINGS);
  }
  return { apiKey: key, accounts, imageUrl: `${origin}/sandbox/media/portrait.jpg` };
}

/** The target of a preview request for one platform. */
export function previewTarget({ accounts }: SandboxUser, platform: string): Record<string, unknown> {
  return {
    account_id: accounts.get(platform),
    ...(platform === "pinterest" && { platform_options: { board_ids: [BOARD_ID] } }),
  };
}
