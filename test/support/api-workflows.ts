import { exports } from "cloudflare:workers";
import type { Platform } from "#core/platform.ts";
import { callApi } from "./call-api.ts";
import { ORIGIN } from "./origin.ts";
import type { ApiCaller } from "./create-caller.ts";

export interface ConnectedAccount {
  readonly id: string;
  readonly platform: Platform;
  readonly username: string;
}

/** Connects a sandbox user's accounts through the platform's simulated browser login. */
export async function connectAccounts(
  caller: ApiCaller,
  platform: Platform,
  login = "ada",
): Promise<readonly ConnectedAccount[]> {
  const response = await exports.default.fetch(`${ORIGIN}/sandbox/connect`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ api_key: caller.key, platform, login }),
  });
  if (!response.ok) {
    throw new Error(`connecting ${platform} as ${login} answered ${response.status}: ${await response.text()}`);
  }
  const { accounts } = await response.json<{ accounts: readonly ConnectedAccount[] }>();
  return accounts;
}

/** One account; by default of a platform that accepts plain text. */
export async function connectOneAccount(
  caller: ApiCaller,
  platform: Platform = "x",
  login = "ada",
): Promise<ConnectedAccount> {
  const [account] = await connectAccounts(caller, platform, login);
  if (!account) {
    throw new Error(`${platform} returned no account`);
  }
  return account;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function isoInDays(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString();
}

/** A confirmation token for a text post of the caller. */
export async function previewTextPost(
  caller: ApiCaller,
  accountId: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const preview = await callApi(caller, {
    method: "POST",
    path: "/posts/preview",
    body: { caption: "A new glaze", scheduled_at: isoInDays(1), account_ids: [accountId], ...body },
  });
  if (preview.status !== 200) {
    throw new Error(`preview answered ${preview.status}: ${JSON.stringify(preview.body)}`);
  }
  return preview.body.confirmation_token;
}

export interface ScheduledPost {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly scheduled_at: string;
}

/** A scheduled text post of the caller. */
export async function scheduleTextPost(
  caller: ApiCaller,
  accountId: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<ScheduledPost> {
  const token = await previewTextPost(caller, accountId, body);
  const confirmation = await callApi(caller, {
    method: "POST",
    path: "/posts/confirm",
    body: { confirmation_token: token },
  });
  if (confirmation.status !== 200) {
    throw new Error(`confirm answered ${confirmation.status}: ${JSON.stringify(confirmation.body)}`);
  }
  return confirmation.body.posts[0];
}
