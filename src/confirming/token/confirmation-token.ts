import type { Context } from "#context.ts";
import { DAY, SECOND } from "#core/clock.ts";
import { byteLength, concatBytes } from "#core/bytes.ts";
import { signFor } from "#core/derived-key.ts";
import { fromBase64Url, sha256Hex, toBase64Url, toHex } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import { log } from "#core/log.ts";
import type { PostPlan } from "#planning/plan/post-plan.ts";
import { countedBytesOf } from "#planning/plan/stored-bytes.ts";

const TOKEN_LIFETIME_SECONDS = 300;
/** How long (ms) the row of a used token is kept, so that a caller who lost the response can ask again. */
export const CONFIRMATION_RETENTION_MS = 2 * DAY;
/**
 * KV deletes a plan this many seconds after the token has expired. KV is exact only to the second, so `expiresAt`
 * decides to the millisecond.
 */
const KV_EXTRA_SECONDS = 30;
/**
 * After this time (ms) every location sees a token. KV shows a new key after 60 seconds "or more", and caches for 30
 * that it was missing.
 */
const HIDDEN_FOR_MS = 90 * SECOND;
/** How much (ms) the clocks of two Cloudflare locations may differ. */
const MAX_CLOCK_SKEW_MS = 5 * SECOND;
/** The shortest time (s) for which KV can cache a read. A read that found nothing is cached too. */
const KV_CACHE_SECONDS = 30;
/**
 * A token is its time of issue, random bytes, and the beginning of a signature over both and the user. The id of its
 * post begins with the same time.
 */
const TIME_BYTES = 6;
const RANDOM_BYTES = 16;
const SIGNATURE_BYTES = 10;
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;
/** The largest plan (bytes). A plan is one parameter of a statement, and D1 accepts parameters up to 2 MB. */
export const MAX_PLAN_BYTES = 1024 * 1024;

function tokenKey(userId: string, hash: string): string {
  return `ct:${userId}:${hash}`;
}

export function tokenLifetime(now: number): { readonly issuedAt: number; readonly expiresAt: number } {
  return { issuedAt: now, expiresAt: now + TOKEN_LIFETIME_SECONDS * SECOND };
}

/** What a token reveals by itself, before its plan is read. */
export interface TokenKey {
  readonly token: string;
  readonly hash: string;
  /** The id of the post that a schedule creates with this token. If a post has this id, the token was used. */
  readonly postId: string;
}

interface Signer extends Pick<Context, "config"> {
  readonly actor: Pick<Context["actor"], "userId">;
}

/** Makes a token for a plan, issued at this moment. */
export async function makeToken(ctx: Signer & Pick<Context, "ids">, issuedAt: number): Promise<TokenKey> {
  const unsigned = new Uint8Array(TIME_BYTES + RANDOM_BYTES);
  unsigned.set(ctx.ids.random(RANDOM_BYTES), TIME_BYTES);
  let rest = issuedAt;
  for (let index = TIME_BYTES - 1; index >= 0; index -= 1) {
    unsigned[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return await keyOf(toBase64Url(concatBytes([unsigned, await signatureOf(ctx, unsigned)])));
}

/** Signs a token. The signature tells a token that KV does not show yet from one that a caller made up. */
async function signatureOf({ actor, config }: Signer, unsigned: Uint8Array): Promise<Uint8Array> {
  const signature = await signFor(config, "confirmation token", `${actor.userId} ${toHex(unsigned)}`);
  return signature.subarray(0, SIGNATURE_BYTES);
}

async function keyOf(token: string): Promise<TokenKey> {
  const hash = await sha256Hex(token);
  return { token, hash, postId: postIdOf(hash, timeOf(token)) };
}

const timeOf = (token: string): string => toHex(fromBase64Url(token).subarray(0, TIME_BYTES));

/** Makes the post id of a token: a UUIDv7 of the time of issue with bits of the token's hash. */
function postIdOf(hash: string, time: string): string {
  const bits = hash.slice(0, 18);
  const variant = ((Number.parseInt(bits.slice(3, 4), 16) & 3) | 8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${bits.slice(0, 3)}-${variant}${bits.slice(4, 7)}-${hash.slice(-12)}`;
}

/**
 * Stores a plan under its token's hash; a plan over the hourly limits is refused, because nobody could confirm it. The
 * user's Durable Object keeps the plan in memory too, because other locations may see a new KV key only after a minute.
 * The preview does not wait for that object.
 */
export async function storePlan(
  ctx: Pick<Context, "actor" | "defer" | "keptPlans" | "tokens">,
  { hash }: TokenKey,
  plan: PostPlan,
): Promise<void> {
  const value = JSON.stringify(plan);
  const { textBytesPerHour } = ctx.actor.limits;
  const sizes = [
    { actual: byteLength(value), limit: Math.min(MAX_PLAN_BYTES, textBytesPerHour) },
    { actual: countedBytesOf(plan), limit: textBytesPerHour },
  ];
  // mutant: plans-of-any-size
  const tooLarge = sizes.find(({ actual, limit }) => actual > limit);
  if (tooLarge) {
    refuse({
      code: "validation_failed",
      message: "the texts are too long for one preview: send fewer posts at once",
      details: [
        {
          code: "plan_too_large",
          message: "the texts of all posts together are too long",
          ...tooLarge,
        },
      ],
    });
  }
  const key = tokenKey(plan.userId, hash);
  const kept = ctx.keptPlans(plan.userId).keepPlan(key, value);
  ctx.defer(kept.catch(() => log("warn", "preview.plan_not_kept", { user_id: plan.userId })));
  await ctx.tokens.put(key, value, {
    expirationTtl: TOKEN_LIFETIME_SECONDS + KV_EXTRA_SECONDS,
  });
}

type WithoutHeader<Plan> = Plan extends PostPlan
  ? Omit<Plan, "userId" | "workspaceId" | keyof ReturnType<typeof tokenLifetime>>
  : never;

/** Makes a token that is valid from `now` on, and stores the actor's plan under it. */
export async function issueToken(
  ctx: Pick<Context, "actor" | "defer" | "keptPlans" | "tokens">,
  key: TokenKey,
  now: number,
  plan: WithoutHeader<PostPlan>,
): Promise<{ readonly confirmationToken: string; readonly expiresAt: number }> {
  const { userId, workspaceId } = ctx.actor;
  const lifetime = tokenLifetime(now);
  await storePlan(ctx, key, { ...plan, userId, workspaceId, ...lifetime });
  return { confirmationToken: key.token, expiresAt: lifetime.expiresAt };
}

export async function readToken(token: string): Promise<TokenKey> {
  return TOKEN_PATTERN.test(token) ? await keyOf(token) : refuseToken();
}

/** Reads the plan of a token. Null if the token is unknown, expired, or of another user, workspace or kind. */
export async function openToken(
  ctx: Pick<Context, "actor" | "clock" | "config" | "keptPlans" | "tokens">,
  key: TokenKey,
  kinds: readonly PostPlan["kind"][],
): Promise<PostPlan | "not_visible" | null> {
  const { userId, workspaceId } = ctx.actor;
  const kvKey = tokenKey(userId, key.hash);
  const stored = await ctx.tokens.get<PostPlan>(kvKey, { type: "json", cacheTtl: KV_CACHE_SECONDS });
  const plan = stored ?? ((await mayBeHidden(ctx, key)) ? await readKeptPlan(ctx, kvKey) : null);
  if (plan === null || plan === "not_visible") {
    return plan;
  }
  const isUsable =
    plan.userId === userId &&
    plan.workspaceId === workspaceId &&
    ctx.clock.now() < plan.expiresAt &&
    kinds.includes(plan.kind);
  return isUsable ? plan : null;
}

const ageOf = ({ clock }: Pick<Context, "clock">, { token }: TokenKey): number =>
  clock.now() - Number.parseInt(timeOf(token), 16);

/** Whether this user got the token so recently that KV may not show it in this location yet. */
async function mayBeHidden(ctx: Signer & Pick<Context, "clock">, key: TokenKey): Promise<boolean> {
  const ageMs = ageOf(ctx, key);
  if (ageMs < -MAX_CLOCK_SKEW_MS || ageMs > HIDDEN_FOR_MS) {
    return false;
  }
  const bytes = fromBase64Url(key.token);
  const signature = await signatureOf(ctx, bytes.subarray(0, TIME_BYTES + RANDOM_BYTES));
  // mutant: unsigned-tokens
  return toHex(signature) === toHex(bytes.subarray(TIME_BYTES + RANDOM_BYTES));
}

/**
 * Reads a plan from the user's Durable Object. A failure counts as a missing plan, because KV will show the plan later.
 */
async function readKeptPlan(
  { actor, keptPlans }: Pick<Context, "actor" | "keptPlans">,
  key: string,
): Promise<PostPlan | "not_visible"> {
  const text = await keptPlans(actor.userId)
    .keptPlan(key)
    .catch(() => null);
  return text === null ? "not_visible" : (JSON.parse(text) as PostPlan);
}

/** Refuses a genuine token that KV does not show in this location yet, so that the caller repeats the call. */
export function refuseHiddenToken(ctx: Pick<Context, "clock">, key: TokenKey): never {
  // Wait for a quarter of the token's age, so that each wait is longer than the one before.
  const retryAfterSeconds = Math.max(1, Math.ceil(ageOf(ctx, key) / (4 * SECOND)));
  refuse({
    code: "token_not_visible_yet",
    message: `this preview was made elsewhere a moment ago and cannot be read here yet: send the same confirm again in ${retryAfterSeconds} s`,
    param: "confirmation_token",
    retryAfterSeconds,
  });
}

/** Refuses every unusable token with the same words, so that a caller cannot tell the reasons apart. */
export function refuseToken(): never {
  refuse({
    code: "invalid_confirmation_token",
    message: "invalid or expired confirmation token",
    param: "confirmation_token",
  });
}
