import type { Context } from "#context.ts";
import { SECOND } from "#core/clock.ts";
import { sha256Hex, toBase64Url } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import type { PostPlan } from "./post-plan.ts";

const TOKEN_LIFETIME_SECONDS = 300;
/** KV counts in seconds and on its own clock; the last millisecond of a token is decided here, so it keeps a little longer. */
const KV_SLACK_SECONDS = 30;
const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
/** As large as a request may be: nobody can make the store keep more than they sent. */
const MAX_PLAN_BYTES = 1024 * 1024;

type OfKind<Kind extends PostPlan["kind"]> = Extract<PostPlan, { kind: Kind }>;

function keyOf(userId: string, hash: string): string {
  return `ct:${userId}:${hash}`;
}

export function lifetimeFrom(now: number): { readonly issuedAt: number; readonly expiresAt: number } {
  return { issuedAt: now, expiresAt: now + TOKEN_LIFETIME_SECONDS * SECOND };
}

/** Keeps the plan under a fresh token; only the token's hash is stored. */
export async function issueToken(ctx: Pick<Context, "ids" | "tokens">, plan: PostPlan): Promise<string> {
  const token = toBase64Url(ctx.ids.random(TOKEN_BYTES));
  const value = JSON.stringify(plan);
  if (value.length > MAX_PLAN_BYTES) {
    refuse({
      code: "validation_failed",
      message: "this is too much text for one preview: edit fewer posts at once",
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
  await ctx.tokens.put(keyOf(plan.userId, await sha256Hex(token)), value, {
    expirationTtl: TOKEN_LIFETIME_SECONDS + KV_SLACK_SECONDS,
  });
  return token;
}

export interface OpenedToken<Kind extends PostPlan["kind"]> {
  readonly plan: OfKind<Kind>;
  readonly hash: string;
}

/** Unknown, expired, of another user, workspace or kind: one answer for all, which tells a stranger nothing. */
export async function openToken<Kind extends PostPlan["kind"]>(
  ctx: Pick<Context, "actor" | "clock" | "tokens">,
  token: string,
  kind: Kind,
): Promise<OpenedToken<Kind>> {
  if (!TOKEN.test(token)) {
    refuseToken();
  }
  const hash = await sha256Hex(token);
  const plan = await ctx.tokens.get<PostPlan>(keyOf(ctx.actor.userId, hash), "json");
  if (
    plan === null ||
    plan.kind !== kind ||
    plan.userId !== ctx.actor.userId ||
    plan.workspaceId !== ctx.actor.workspaceId ||
    ctx.clock.now() >= plan.expiresAt
  ) {
    refuseToken();
  }
  return { plan: plan as OfKind<Kind>, hash };
}

function refuseToken(): never {
  refuse({
    code: "invalid_confirmation_token",
    message: "invalid or expired confirmation token",
    param: "confirmation_token",
  });
}
