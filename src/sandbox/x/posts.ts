import { z } from "zod";
import type { JsonObject } from "#core/json.ts";
import { toIsoInstant } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import {
  forbidden,
  invalidRequest,
  notFound,
  errorResponse,
  tooManyRequests,
  unauthorized,
  serviceUnavailable,
} from "./error-responses.ts";
import { type Media, findUsableMedia, processingState } from "./media.ts";
import { isPremium, type TestUser, findTestUser } from "./test-users.ts";
import {
  countCashtags,
  hasOnlyAllowedCharacters,
  type Link,
  shortenLinks,
  renderText,
  weightedLength,
} from "./post-text.ts";

/* Creating and deleting posts: platforms/x.md 2.1 (create), part 4 (errors) and part 6 (simulator notes). */

const MAX_WEIGHTED_LENGTH = 280;
const MAX_PREMIUM_WEIGHTED_LENGTH = 25_000;
const MAX_SHORT_VIDEO_SECONDS = 140;
/**
 * X does not give a number; this is the longest time that others have seen:
 * https://www.ayrshare.com/solutions/x-twitter-api-error-403-duplicate-post-how-to-fix-it/.
 */
const DUPLICATE_MINUTES = 12 * 60;
const PRICE_USD = 0.015;
const URL_PRICE_USD = 0.2;
const HANG_MS = 120_000;
const SNOWFLAKE_EPOCH = 1_288_834_974_657;

const postId = z.string().regex(/^[0-9]{1,19}$/);

/** X rejects unknown members at every level. */
const CreateBody = z.strictObject({
  text: z.string().default(""),
  media: z
    .strictObject({ media_ids: z.array(postId).min(1).max(4), tagged_user_ids: z.array(postId).max(10).optional() })
    .optional(),
  quote_tweet_id: postId.optional(),
  reply_settings: z.enum(["following", "mentionedUsers", "subscribers", "verified"]).optional(),
  made_with_ai: z.boolean().optional(),
  paid_partnership: z.boolean().optional(),
  reply: z
    .strictObject({
      in_reply_to_tweet_id: postId,
      exclude_reply_user_ids: z.array(postId).optional(),
      auto_populate_reply_metadata: z.boolean().optional(),
    })
    .optional(),
  poll: z
    .strictObject({
      options: z.array(z.string().min(1).max(25)).min(2).max(4),
      duration_minutes: z.int().min(5).max(10_080),
      reply_settings: z.enum(["following", "mentionedUsers", "subscribers", "verified"]).optional(),
    })
    .optional(),
  community_id: postId.optional(),
  share_with_followers: z.boolean().optional(),
  for_super_followers_only: z.boolean().optional(),
  nullcast: z.boolean().optional(),
  geo: z.strictObject({ place_id: z.string().optional() }).optional(),
  card_uri: z.string().optional(),
  direct_message_deep_link: z.string().optional(),
  edit_options: z.strictObject({ previous_post_id: postId }).optional(),
});
type CreateBody = z.infer<typeof CreateBody>;

const ATTACHMENTS = ["media", "quote_tweet_id", "poll", "card_uri", "direct_message_deep_link"] as const;

export interface Post {
  readonly id: string;
  readonly author: string;
  readonly text: string;
  readonly links: readonly Link[];
  readonly mediaLink: Link | null;
  readonly mediaKeys: readonly string[];
  readonly quotedPostId: string | null;
  readonly repliedToId: string | null;
  readonly isLong: boolean;
  readonly createdAt: number;
  readonly deleted: boolean;
}

export const postKey = (postId: string): string => `post:${postId}`;
export const authorPrefix = (author: string): string => `by:${author}:`;

/** Ids increase with time, like X's snowflake ids. */
function nextPostId(now: number): string {
  const random = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  return String((BigInt(now - SNOWFLAKE_EPOCH) << 22n) | BigInt(random & 0x3fffff));
}

const notPermitted = (): Response => forbidden("You are not permitted to perform this action.");
const OLDER_QUOTE_REFUSAL =
  "Quoting this post is not allowed because you have not been mentioned or are not part of the conversation thread of the post you are quoting.";

/** The answer to replies and quotes that others have recorded since July 2026 (gr2m/twitter-together, a test of its `tweets`). */
const notAuthorizedForPost = (): Response =>
  errorResponse(
    403,
    "not-authorized-for-resource",
    "Authorization Error",
    "You can only reply to or quote posts where you are mentioned or are the author.",
  );

/** The app's remaining credits in USD; null without the setting `credits`. */
function creditsLeft(sim: SimulatorContext): number | null {
  const { credits } = sim.settings.extra;
  if (typeof credits !== "number") {
    return null;
  }
  const spent = sim.store.get<{ credits: number; usd: number }>("spent");
  return credits - (spent?.credits === credits ? spent.usd : 0);
}

function chargeCredits(sim: SimulatorContext, usd: number): void {
  const left = creditsLeft(sim);
  if (left !== null) {
    const credits = sim.settings.extra["credits"] as number;
    sim.store.put("spent", { credits, usd: credits - left + usd });
  }
}

/** The error that a marker in the text requests, so that a developer can try every error from the dashboard. */
function markerResponse(text: string, sim: SimulatorContext): Response | null {
  switch (/#sim-(?<marker>401|402|duplicate|suspended|429|503-before)\b/.exec(text)?.groups?.["marker"]) {
    case "401":
      return unauthorized();
    case "402":
      return creditsDepleted(sim);
    case "duplicate":
      return duplicateContent();
    case "suspended":
      return errorResponse(
        403,
        "user-suspended",
        "Forbidden",
        "Your account is suspended and is not permitted to access this feature.",
      );
    case "429": {
      const response = tooManyRequests();
      response.headers.set("x-rate-limit-remaining", "0");
      response.headers.set("x-rate-limit-reset", String(Math.ceil(sim.now() / 1000) + 60));
      return response;
    }
    case "503-before":
      return serviceUnavailable();
    default:
      return null;
  }
}

const duplicateContent = (): Response => forbidden("You are not allowed to create a Tweet with duplicate content.");
/** X mostly answers 402. Without credits it has also answered 403 with the sentence for missing access. */
const creditsDepleted = (sim: SimulatorContext): Response =>
  sim.settings.extra["credits_status"] === 403
    ? forbidden("Your account is not permitted to access this feature")
    : errorResponse(
        402,
        "credits",
        "CreditsDepleted",
        "Your enrolled account does not have any credits to fulfill this request.",
      );

function checkAttachments(
  body: CreateBody,
  media: readonly (Media | undefined)[],
  user: TestUser,
  sim: SimulatorContext,
): Response | null {
  if (ATTACHMENTS.filter((name) => body[name] !== undefined).length > 1) {
    return invalidRequest(`You can only provide one of ${ATTACHMENTS.join(", ")}.`);
  }
  if (body.text.trim() === "" && ATTACHMENTS.every((name) => body[name] === undefined)) {
    return invalidRequest("You must provide text or media.", { text: [body.text] });
  }
  const knownMedia = media.filter((one) => one !== undefined);
  const isDistinct = new Set(knownMedia.map((one) => one.id)).size === media.length;
  const isUsable = isDistinct && knownMedia.every((one) => processingState(sim, one) === "succeeded");
  if (!isUsable || (knownMedia.length > 1 && knownMedia.some((one) => one.kind !== "image"))) {
    return invalidRequest("Your media IDs are invalid.", { "media.media_ids": body.media?.media_ids ?? [] });
  }
  const needsAmplify = sim.settings.extra["long_video"] !== "premium";
  const isTooLong = knownMedia.some(
    (one) =>
      (one.durationSeconds ?? 0) > MAX_SHORT_VIDEO_SECONDS &&
      (!isPremium(user) || (needsAmplify && one.category !== "amplify_video")),
  );
  return isTooLong ? forbidden("This user is not allowed to post a video longer than 2 minutes") : null;
}

function checkText({ text }: CreateBody, user: TestUser, enterprise: boolean): Response | null {
  if (!hasOnlyAllowedCharacters(text)) {
    return invalidRequest("The text contains a character that is not allowed.");
  }
  if (weightedLength(text) > (isPremium(user) ? MAX_PREMIUM_WEIGHTED_LENGTH : MAX_WEIGHTED_LENGTH)) {
    return notPermitted();
  }
  return countCashtags(text) > 1 && !enterprise ? forbidden("Posts are limited to a maximum of one cashtag.") : null;
}

/** POST /2/tweets */
export async function createPost(request: Request, sim: SimulatorContext, user: TestUser): Promise<Response> {
  const json: unknown = await request.json().catch(() => undefined);
  if (json === undefined || !request.headers.get("content-type")?.startsWith("application/json")) {
    return invalidRequest("Request body is not valid JSON");
  }
  const parsed = CreateBody.safeParse(json);
  if (!parsed.success) {
    const { path = [], message = "" } = parsed.error.issues[0] ?? {};
    return invalidRequest(`${path.length === 0 ? "$" : `$.${path.join(".")}`}: ${message}`);
  }
  const body = parsed.data;
  const fingerprint = await sha256Hex(body.text.normalize("NFC").trim());
  // No await until the post is recorded, so that of two concurrent calls the second one sees the first.
  const enterprise = sim.settings.extra["access"] === "enterprise";
  const media = (body.media?.media_ids ?? []).map((mediaId) => findUsableMedia(sim, user, mediaId));
  const error =
    markerResponse(body.text, sim) ??
    checkAttachments(body, media, user, sim) ??
    checkText(body, user, enterprise) ??
    checkConversation(body, sim, user, enterprise);
  if (error) {
    return error;
  }
  const links = shortenLinks(body.text, () => newShortId(sim));
  const price = links.length > 0 ? URL_PRICE_USD : PRICE_USD;
  if ((creditsLeft(sim) ?? price) < price) {
    return creditsDepleted(sim);
  }
  const duplicateKey = `text:${user.id}:${fingerprint}`;
  const minutes = Number(sim.settings.extra["duplicate_minutes"] ?? DUPLICATE_MINUTES);
  const lastPublishedAt = sim.store.get<number>(duplicateKey);
  if (body.text.trim() !== "" && lastPublishedAt !== undefined && lastPublishedAt + minutes * 60_000 > sim.now()) {
    return duplicateContent();
  }
  chargeCredits(sim, price);
  sim.store.put(duplicateKey, sim.now());
  const post = publishPost(
    sim,
    user,
    body,
    media.filter((one) => one !== undefined),
    links,
  );
  if (body.text.includes("#sim-503-after")) {
    return serviceUnavailable();
  }
  if (body.text.includes("#sim-hang-after")) {
    await new Promise((resolve) => setTimeout(resolve, HANG_MS));
  }
  const { text } = renderText(post.text, post.links, post.mediaLink);
  return Response.json({ data: { id: post.id, text, edit_history_post_ids: [post.id] } }, { status: 201 });
}

/**
 * Without Enterprise access X refuses every quote, and every reply to somebody else's post: https://docs.x.com/changelog, 16 April 2026,
 * and the warning of https://docs.x.com/x-api/posts/create-post.
 */
function checkConversation(
  body: CreateBody,
  sim: SimulatorContext,
  user: TestUser,
  enterprise: boolean,
): Response | null {
  if (body.quote_tweet_id !== undefined && !enterprise) {
    return sim.settings.extra["quote_refusal"] === "older" ? forbidden(OLDER_QUOTE_REFUSAL) : notAuthorizedForPost();
  }
  if (body.reply === undefined || enterprise) {
    return null;
  }
  const parent = sim.store.get(postKey(body.reply.in_reply_to_tweet_id)) as Post | undefined;
  return parent?.author === user.id && !parent.deleted ? null : notAuthorizedForPost();
}

const SHORT_ID_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const newShortId = (sim: SimulatorContext): string =>
  Array.from(sim.newId(20).match(/../g) ?? [], (pair) => SHORT_ID_ALPHABET[Number(pair) % 62]).join("");

function publishPost(
  sim: SimulatorContext,
  user: TestUser,
  body: CreateBody,
  media: readonly Media[],
  links: readonly Link[],
): Post {
  const now = sim.now();
  const postId = nextPostId(now);
  const url = `https://x.com/${user.username}/status/${postId}`;
  const [first] = media;
  const kind = first ? first.kind : body.poll ? "poll" : "text";
  const mediaLink = first && {
    url: `https://t.co/${newShortId(sim)}`,
    expandedUrl: `${url}/${first.kind === "video" ? "video" : "photo"}/1`,
    from: body.text.length,
    to: body.text.length,
  };
  const post: Post = {
    id: postId,
    author: user.id,
    text: body.text,
    links,
    mediaLink: mediaLink ?? null,
    mediaKeys: media.map((one) => `${one.kind === "image" ? 3 : one.kind === "gif" ? 16 : 7}_${one.id}`),
    quotedPostId: body.quote_tweet_id ?? null,
    repliedToId: body.reply?.in_reply_to_tweet_id ?? null,
    isLong: weightedLength(body.text) > MAX_WEIGHTED_LENGTH,
    createdAt: now,
    deleted: false,
  };
  savePost(sim, post);
  sim.store.put(`${authorPrefix(user.id)}${postId}`, now);
  const { text: _text, media: attached, ...options } = body;
  sim.recordPublishedPost({
    id: postId,
    url,
    account: user.id,
    kind,
    text: body.text,
    title: null,
    media: media.map((one) => ({ type: one.kind === "video" ? "video" : "image", sha256: one.sha256 ?? "" })),
    options: {
      ...(options as JsonObject),
      ...(attached?.tagged_user_ids && { tagged_user_ids: attached.tagged_user_ids }),
      ...(media.some((one) => one.altText !== null) && { alt_texts: media.map((one) => one.altText) }),
    },
    accepted_at: toIsoInstant(now),
  });
  return post;
}

function savePost(sim: SimulatorContext, post: Post): void {
  const { mediaLink } = post;
  sim.store.put(postKey(post.id), {
    ...post,
    links: post.links.map((link) => ({ ...link })),
    mediaLink: mediaLink && { ...mediaLink },
  });
}

/** DELETE /2/tweets/{id} */
export function deletePost(sim: SimulatorContext, user: TestUser, postId: string): Response {
  const post = sim.store.get(postKey(postId)) as Post | undefined;
  if (!post || post.deleted || !findTestUser(post.author)) {
    return notFound();
  }
  if (post.author !== user.id) {
    return forbidden("You are not authorized to delete this Tweet.");
  }
  savePost(sim, { ...post, deleted: true });
  return Response.json({ data: { deleted: true } });
}
