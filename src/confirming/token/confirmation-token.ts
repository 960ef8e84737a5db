import type { Context } from "#context.ts";
import { DAY, SECOND } from "#core/clock.ts";
import { fromBase64Url, sha256Hex, toBase64Url, toHex } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import type { PostPlan } from "#planning/plan/post-plan.ts";

const TOKEN_LIFETIME_SECONDS = 300;
/** How long the row of a used token is kept, for a caller who lost the response. */
export const CONFIRMATION_RETENTION_MS = 2 * DAY;
/** KV expires by its own clock and in seconds: it keeps tokens longer, and `expiresAt` decides to the millisecond. */
const KV_EXTRA_SECONDS = 30;
/** A token is its time of issue and random bytes. The id of its post begins with the same time. */
const TIME_BYTES = 6;
const RANDOM_BYTES = 26;
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;
/** The size limit of a request. Many posts are one parameter of a statement, and D1 takes parameters up to 2 MB of UTF-8. */
const MAX_PLAN_BYTES = 1024 * 1024;

function tokenKey(userId: string, hash: string): string {
  return `ct:${userId}:${hash}`;
}

export function tokenLifetime(now: number): { readonly issuedAt: number; readonly expiresAt: number } {
  return { issuedAt: now, expiresAt: now + TOKEN_LIFETIME_SECONDS * SECOND };
}

/** What a token tells without its plan. */
export interface TokenKey {
  readonly hash: string;
  /** The id of the post that a schedule makes with this token. A post with this id shows that the token was used. */
  readonly postId: string;
}

/** Makes a token for a plan of this moment. */
export async function makeToken(
  { ids }: Pick<Context, "ids">,
  issuedAt: number,
): Promise<TokenKey & { readonly token: string }> {
  const bytes = new Uint8Array(TIME_BYTES + RANDOM_BYTES);
  bytes.set(ids.random(RANDOM_BYTES), TIME_BYTES);
  let rest = issuedAt;
  for (let index = TIME_BYTES - 1; index >= 0; index -= 1) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  const token = toBase64Url(bytes);
  return { token, ...(await keyOf(token)) };
}

async function keyOf(token: string): Promise<TokenKey> {
  const hash = await sha256Hex(token);
  return { hash, postId: postIdOf(hash, toHex(fromBase64Url(token).slice(0, TIME_BYTES))) };
}

/** Makes a UUIDv7 of the time of issue with the bits of the token's hash. */
function postIdOf(hash: string, time: string): string {
  const bits = hash.slice(0, 18);
  const variant = ((Number.parseInt(bits.slice(3, 4), 16) & 3) | 8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${bits.slice(0, 3)}-${variant}${bits.slice(4, 7)}-${hash.slice(-12)}`;
}

/** Stores the plan under the hash of its token. A plan that no hour has room for could not be confirmed, so it takes no room here. */
export async function storePlan(
  ctx: Pick<Context, "actor" | "tokens">,
  { hash }: Pick<TokenKey, "hash">,
  plan: PostPlan,
): Promise<void> {
  const value = JSON.stringify(plan);
  const size = new TextEncoder().encode(value).byteLength;
  const limit = Math.min(MAX_PLAN_BYTES, ctx.actor.limits.textBytesPerHour);
  // mutant: plans-of-any-size
  if (size > limit) {
    refuse({
      code: "validation_failed",
      message: "the texts are too long for one preview: send fewer posts at once",
      details: [
        {
          code: "plan_too_large",
          message: "the texts of all posts together are too long",
          limit,
          actual: size,
        },
      ],
    });
  }
  await ctx.tokens.put(tokenKey(plan.userId, hash), value, {
    expirationTtl: TOKEN_LIFETIME_SECONDS + KV_EXTRA_SECONDS,
  });
}

type WithoutHeader<Plan> = Plan extends PostPlan
  ? Omit<Plan, "userId" | "workspaceId" | keyof ReturnType<typeof tokenLifetime>>
  : never;

/** Stores the plan of the actor under the token, from `now` on. */
export async function issueToken(
  ctx: Pick<Context, "actor" | "tokens">,
  { token, hash }: Awaited<ReturnType<typeof makeToken>>,
  now: number,
  plan: WithoutHeader<PostPlan>,
): Promise<{ readonly confirmationToken: string; readonly expiresAt: number }> {
  const { userId, workspaceId } = ctx.actor;
  const lifetime = tokenLifetime(now);
  await storePlan(ctx, { hash }, { ...plan, userId, workspaceId, ...lifetime });
  return { confirmationToken: token, expiresAt: lifetime.expiresAt };
}

export async function readToken(token: string): Promise<TokenKey> {
  return TOKEN_PATTERN.test(token) ? await keyOf(token) : refuseToken();
}

/** Reads the plan of a token; null when it is unknown, expired, or of another user or workspace. */
export async function openToken(
  ctx: Pick<Context, "actor" | "clock" | "tokens">,
  { hash }: Pick<TokenKey, "hash">,
): Promise<PostPlan | null> {
  const plan = await ctx.tokens.get<PostPlan>(tokenKey(ctx.actor.userId, hash), "json");
  const isValid =
    plan !== null &&
    plan.userId === ctx.actor.userId &&
    plan.workspaceId === ctx.actor.workspaceId &&
    ctx.clock.now() < plan.expiresAt;
  return isValid ? plan : null;
}

/** Refuses every unusable token alike, so that the caller cannot distinguish the reasons. */
export function refuseToken(): never {
  refuse({
    code: "invalid_confirmation_token",
    message: "invalid or expired confirmation token",
    param: "confirmation_token",
  });
}
