import type { Client } from "./client.ts";

/** The platforms that take what the harness posts: words, or one picture with words. */
export const PLATFORMS: readonly string[] = ["x", "threads", "facebook", "instagram", "pinterest", "linkedin"];

/** Platforms that take no post without a picture. */
export const PICTURES_ONLY: ReadonlySet<string> = new Set(["instagram", "pinterest"]);

/** A board that the simulator's person has. */
const BOARD_ID = "549755885175";

/** People post here as fast as no platform lets them; what is tried is something else. */
const UNLIMITED = {
  processing_ms: 500,
  quota: 1_000_000,
  creates_per_minute: 1_000_000,
  containers_per_day: 1_000_000,
};

/** What one person works with. */
export interface Workplace {
  readonly key: string;
  /** Platform to the account that posts go to. */
  readonly accounts: ReadonlyMap<string, string>;
  readonly imageUrl: string;
}

/** A new person with an account on every platform. */
export async function openWorkplace(client: Client, origin: string): Promise<Workplace> {
  const { api_key: key } = (await client.must("POST", "/sandbox/users", {})) as { api_key: string };
  const accounts = new Map<string, string>();
  for (const platform of PLATFORMS) {
    const { accounts: found } = await client.must("POST", "/sandbox/connect", { api_key: key, platform });
    const [first] = found as { id: string }[];
    if (!first) {
      throw new Error(`${platform} gave no account`);
    }
    accounts.set(platform, first.id);
    await client.must("POST", `/sandbox/platforms/${platform}/settings`, UNLIMITED);
  }
  return { key, accounts, imageUrl: `${origin}/sandbox/media/portrait.jpg` };
}

/** What a preview says of one platform. */
export function targetOn({ accounts }: Workplace, platform: string): Record<string, unknown> {
  return {
    account_id: accounts.get(platform),
    ...(platform === "pinterest" && { platform_options: { board_ids: [BOARD_ID] } }),
  };
}
