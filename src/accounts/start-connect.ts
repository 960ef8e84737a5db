import { MINUTE } from "#core/clock.ts";
import { sha256Hex, toBase64Url } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import { PLAN_LIMITS } from "#core/plan.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import type { Context } from "#context.ts";
import { reach } from "./platform-client.ts";
import { countAccounts } from "./store.ts";
import { insertState } from "./store-oauth-states.ts";

const STATE_LIFETIME_MS = 10 * MINUTE;
const SECRET_BYTES = 32;

export interface StartedConnect {
  /** To be opened in the person's browser. */
  readonly connectUrl: string;
  readonly platform: Platform;
  readonly expiresAt: number;
}

export function redirectUri(origin: string, platform: Platform): string {
  return `${origin}/connect/${platform}/callback`;
}

/** Begins a browser login at a platform; its single-use state is stored only as a hash. */
export async function startConnect(
  ctx: Pick<Context, "actor" | "db" | "clock" | "ids" | "config" | "outbound" | "adapterFor">,
  input: { readonly platform: Platform },
): Promise<StartedConnect> {
  const { platform } = input;
  const way = reach(ctx, platform);
  if (!way) {
    refuse({
      code: "platform_not_configured",
      message: `${PLATFORM_NAMES[platform]} is not set up on this service: its operator has not entered app credentials.`,
      param: "platform",
    });
  }
  await refuseWithoutRoom(ctx, platform);
  const state = toBase64Url(ctx.ids.random(SECRET_BYTES));
  const codeVerifier = toBase64Url(ctx.ids.random(SECRET_BYTES));
  const expiresAt = ctx.clock.now() + STATE_LIFETIME_MS;
  await insertState(ctx.db, {
    hash: await sha256Hex(state),
    userId: ctx.actor.userId,
    workspaceId: ctx.actor.workspaceId,
    platform,
    codeVerifier,
    expiresAt,
  });
  const address = way.adapter.connect.authorizeUrl(way.app, {
    redirectUri: redirectUri(ctx.config.origin, platform),
    state,
    codeChallenge: await s256(codeVerifier),
  });
  return { connectUrl: ctx.outbound.browserUrl(address).href, platform, expiresAt };
}

/** A full plan still lets the person mend what is connected already. */
async function refuseWithoutRoom(ctx: Pick<Context, "actor" | "db">, platform: Platform): Promise<void> {
  const { plan } = ctx.actor;
  const limit = PLAN_LIMITS[plan].accounts;
  const { connected, mendable } = await countAccounts(ctx.db, ctx.actor, platform);
  if (connected >= limit && mendable === 0) {
    refuse({
      code: "account_limit_reached",
      message: `The ${plan} plan has room for ${limit} connected accounts and ${connected} are connected. Disconnect one or change the plan.`,
      details: [{ code: "account_limit_reached", message: "connected accounts", limit, actual: connected }],
    });
  }
}

async function s256(verifier: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}
