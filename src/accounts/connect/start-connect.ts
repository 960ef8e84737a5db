import { MINUTE } from "#core/clock.ts";
import { sha256Hex, toBase64Url } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import { PLAN_LIMITS } from "#core/plan.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import type { Context } from "#context.ts";
import type { Adapter, AppRegistrations, ClientIdentity, OAuthMethod } from "#platforms/contract.ts";
import { platformClient } from "#accounts/platform-client.ts";
import { countAccounts } from "#accounts/store.ts";
import { insertState } from "./store-oauth-states.ts";

const STATE_LIFETIME_MS = 10 * MINUTE;
const SECRET_BYTES = 32;

export interface StartedConnect {
  /** The user opens it in a browser. */
  readonly connectUrl: string;
  readonly platform: Platform;
  readonly expiresAt: number;
}

export function clientIdentity(origin: string, platform: Platform): ClientIdentity {
  return {
    origin,
    redirectUri: `${origin}/connect/${platform}/callback`,
    clientMetadataUrl: `${origin}/connect/${platform}/client-metadata.json`,
  };
}

export function oauthMethod(adapter: Adapter): OAuthMethod | undefined {
  return adapter.connect.methods.find((method) => method.kind === "oauth");
}

export const noRegistrations: AppRegistrations = {
  find: () => Promise.resolve(null),
  keep: (_server, registration) => Promise.resolve(registration),
  forget: () => Promise.resolve(),
};

/** Starts a browser login at a platform; its single-use state is stored only as a hash. */
export async function startConnect(
  ctx: Pick<Context, "actor" | "db" | "clock" | "ids" | "config" | "outbound" | "adapterFor">,
  input: { readonly platform: Platform },
): Promise<StartedConnect> {
  const { platform } = input;
  const configured = platformClient(ctx, platform);
  if (!configured) {
    refuse({
      code: "platform_not_configured",
      message: `${PLATFORM_NAMES[platform]} is not set up on this service: its operator has not entered app credentials.`,
      param: "platform",
    });
  }
  await assertAccountLimit(ctx, platform);
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
  const started = await oauthMethod(configured.adapter)?.start(configured.client, configured.app, {
    ...clientIdentity(ctx.config.origin, platform),
    state,
    codeVerifier,
    codeChallenge: await pkceChallenge(codeVerifier),
    input: {},
    registrations: noRegistrations,
    now: ctx.clock.now(),
  });
  if (!started?.ok) {
    refuse({
      code: "platform_not_configured",
      message: started?.fault.message ?? "no browser login",
      param: "platform",
    });
  }
  return { connectUrl: ctx.outbound.browserUrl(started.value.url).href, platform, expiresAt };
}

/** At the limit a login is still allowed while an account of the platform needs to be reconnected. */
async function assertAccountLimit(ctx: Pick<Context, "actor" | "db">, platform: Platform): Promise<void> {
  const { plan } = ctx.actor;
  const limit = PLAN_LIMITS[plan].accounts;
  const { connected, reconnectable } = await countAccounts(ctx.db, ctx.actor, platform);
  if (connected >= limit && reconnectable === 0) {
    refuse({
      code: "account_limit_reached",
      message: `The ${plan} plan allows ${limit} connected accounts and ${connected} are connected. Disconnect one or change the plan.`,
      details: [{ code: "account_limit_reached", message: "connected accounts", limit, actual: connected }],
    });
  }
}

async function pkceChallenge(verifier: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}
