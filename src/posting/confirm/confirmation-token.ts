import type { Context } from "#context.ts";
import { DAY, SECOND } from "#core/clock.ts";
import { sha256Hex, toBase64Url } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import type { PostPlan } from "./post-plan.ts";

const TOKEN_LIFETIME_SECONDS = 300;
/** How long the row of a used token is kept, so that a caller who lost the response can find out what became of it. */
export const CONFIRMATION_RETENTION_MS = 2 * DAY;
/** KV expires by its own clock and in seconds, so it keeps tokens longer and `expiresAt` decides to the millisecond. */
const KV_EXTRA_SECONDS = 30;
const TOKEN_BYTES = 32;
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;
/** The size limit of a request, so that no plan in KV is larger than what its caller sent. */
const MAX_PLAN_BYTES = 1024 * 1024;

function tokenKey(userId: string, hash: string): string {
  return `ct:${userId}:${hash}`;
}

export function tokenLifetime(now: number): { readonly issuedAt: number; readonly expiresAt: number } {
  return { issuedAt: now, expiresAt: now + TOKEN_LIFETIME_SECONDS * SECOND };
}

/** Stores the plan under the hash of a new token. */
export async function issueToken(ctx: Pick<Context, "ids" | "tokens">, plan: PostPlan): Promise<string> {
  const token = toBase64Url(ctx.ids.random(TOKEN_BYTES));
  const value = JSON.stringify(plan);
  if (value.length > MAX_PLAN_BYTES) {
    refuse({
      code: "validation_failed",
      message: "the texts are too long for one preview: edit fewer posts at once",
      details: [
        {
          code: "plan_too_large",
          message: "the texts of all posts together are too long",
          limit: MAX_PLAN_BYTES,
          actual: value.length,
        },
      ],
    });
  }
  await ctx.tokens.put(tokenKey(plan.userId, await sha256Hex(token)), value, {
    expirationTtl: TOKEN_LIFETIME_SECONDS + KV_EXTRA_SECONDS,
  });
  return token;
}

/** The hash of a well-formed token. */
export async function hashToken(token: string): Promise<string> {
  return TOKEN_PATTERN.test(token) ? await sha256Hex(token) : refuseToken();
}

/** The plan of a token; null when it is unknown, expired, or of another user or workspace. */
export async function openToken(
  ctx: Pick<Context, "actor" | "clock" | "tokens">,
  hash: string,
): Promise<PostPlan | null> {
  const plan = await ctx.tokens.get<PostPlan>(tokenKey(ctx.actor.userId, hash), "json");
  const isValid =
    plan !== null &&
    plan.userId === ctx.actor.userId &&
    plan.workspaceId === ctx.actor.workspaceId &&
    ctx.clock.now() < plan.expiresAt;
  return isValid ? plan : null;
}

/** The same refusal for every token that cannot be used, so that the reasons are not distinguishable. */
export function refuseToken(): never {
  refuse({
    code: "invalid_confirmation_token",
    message: "invalid or expired confirmation token",
    param: "confirmation_token",
  });
}
