import { z } from "zod";
import type { JsonObject } from "#core/json.ts";
import { toInstant } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import type { Sim } from "#sandbox/contract.ts";
import { forbidden, invalid, notFound, problem, tooMany, unauthorized, unavailable } from "./answers.ts";
import { type Media, ownMedia, processingOf } from "./media.ts";
import { isPremium, type Person, personOf } from "./people.ts";
import { cashtagsIn, isAllowed, type Link, shorten, show, weightOf } from "./text.ts";

/* Creating and deleting posts: platforms/x.md 2.1, part 4 and part 6. */

const WEIGHT_MAX = 280;
const PREMIUM_WEIGHT_MAX = 25_000;
const SHORT_VIDEO_SECONDS = 140;
const DUPLICATE_MINUTES = 15;
const PRICE_USD = 0.015;
const URL_PRICE_USD = 0.2;
const HANG_MS = 120_000;
const SNOWFLAKE_EPOCH = 1_288_834_974_657;

const id = z.string().regex(/^[0-9]{1,19}$/);

/** `additionalProperties: false`, all the way down. */
const CreateBody = z.strictObject({
  text: z.string().default(""),
  media: z
    .strictObject({ media_ids: z.array(id).min(1).max(4), tagged_user_ids: z.array(id).max(10).optional() })
    .optional(),
  quote_tweet_id: id.optional(),
  reply_settings: z.enum(["following", "mentionedUsers", "subscribers", "verified"]).optional(),
  made_with_ai: z.boolean().optional(),
  paid_partnership: z.boolean().optional(),
  reply: z
    .strictObject({
      in_reply_to_tweet_id: id,
      exclude_reply_user_ids: z.array(id).optional(),
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
  community_id: id.optional(),
  share_with_followers: z.boolean().optional(),
  for_super_followers_only: z.boolean().optional(),
  nullcast: z.boolean().optional(),
  geo: z.strictObject({ place_id: z.string().optional() }).optional(),
  card_uri: z.string().optional(),
  direct_message_deep_link: z.string().optional(),
  edit_options: z.strictObject({ previous_post_id: id }).optional(),
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
  readonly quoted: string | null;
  readonly long: boolean;
  readonly createdAt: number;
  readonly deleted: boolean;
}

export const postKey = (postId: string): string => `post:${postId}`;
export const byAuthor = (author: string): string => `by:${author}:`;

/** Ids rise with time, like the real ones. */
function nextId(now: number): string {
  const random = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  return String((BigInt(now - SNOWFLAKE_EPOCH) << 22n) | BigInt(random & 0x3fffff));
}

const notPermitted = (): Response => forbidden("You are not permitted to perform this action.");
const QUOTE_REFUSAL =
  "Quoting this post is not allowed because you have not been mentioned or are not part of the conversation thread of the post you are quoting.";

/** The credit counter of the app; without a `credits` setting nobody counts. */
function creditsLeft(sim: Sim): number | null {
  const { credits } = sim.settings.extra;
  if (typeof credits !== "number") {
    return null;
  }
  const spent = sim.store.get<{ of: number; usd: number }>("spent");
  return credits - (spent?.of === credits ? spent.usd : 0);
}

function charge(sim: Sim, usd: number): void {
  const left = creditsLeft(sim);
  if (left !== null) {
    const of = sim.settings.extra["credits"] as number;
    sim.store.put("spent", { of, usd: of - left + usd });
  }
}

/** What a marker in the text asks for, so that a person at the dashboard can see every refusal. */
function asked(text: string, sim: Sim): Response | null {
  switch (/#sim-(?<marker>401|402|duplicate|suspended|429|503-before)\b/.exec(text)?.groups?.["marker"]) {
    case "401":
      return unauthorized();
    case "402":
      return creditsDepleted();
    case "duplicate":
      return duplicate();
    case "suspended":
      return problem(
        403,
        "user-suspended",
        "Forbidden",
        "Your account is suspended and is not permitted to access this feature.",
      );
    case "429": {
      const answer = tooMany();
      answer.headers.set("x-rate-limit-remaining", "0");
      answer.headers.set("x-rate-limit-reset", String(Math.ceil(sim.now() / 1000) + 60));
      return answer;
    }
    case "503-before":
      return unavailable();
    default:
      return null;
  }
}

const duplicate = (): Response => forbidden("You are not allowed to create a Tweet with duplicate content.");
const creditsDepleted = (): Response =>
  problem(
    402,
    "credits",
    "CreditsDepleted",
    "Your enrolled account does not have any credits to fulfill this request.",
  );

function attachmentRefusal(
  body: CreateBody,
  media: readonly (Media | undefined)[],
  person: Person,
  sim: Sim,
): Response | null {
  if (ATTACHMENTS.filter((name) => body[name] !== undefined).length > 1) {
    return invalid(`You can only provide one of ${ATTACHMENTS.join(", ")}.`);
  }
  if (body.text.trim() === "" && ATTACHMENTS.every((name) => body[name] === undefined)) {
    return invalid("You must provide text or media.", { text: [body.text] });
  }
  const found = media.filter((one) => one !== undefined);
  const distinct = new Set(found.map((one) => one.id)).size === media.length;
  const usable = distinct && found.every((one) => processingOf(sim, one) === "succeeded");
  if (!usable || (found.length > 1 && found.some((one) => one.kind !== "image"))) {
    return invalid("Your media IDs are invalid.", { "media.media_ids": body.media?.media_ids ?? [] });
  }
  const tooLong = found.some((one) => (one.durationSeconds ?? 0) > SHORT_VIDEO_SECONDS);
  return tooLong && !isPremium(person)
    ? forbidden("This user is not allowed to post a video longer than 2 minutes")
    : null;
}

function textRefusal({ text }: CreateBody, person: Person, enterprise: boolean): Response | null {
  if (!isAllowed(text)) {
    return invalid("The text holds a character that is not allowed.");
  }
  if (weightOf(text) > (isPremium(person) ? PREMIUM_WEIGHT_MAX : WEIGHT_MAX)) {
    return notPermitted();
  }
  return cashtagsIn(text) > 1 && !enterprise ? forbidden("Posts are limited to a maximum of one cashtag.") : null;
}

/** POST /2/tweets */
export async function createPost(request: Request, sim: Sim, person: Person): Promise<Response> {
  const json: unknown = await request.json().catch(() => undefined);
  if (json === undefined || !request.headers.get("content-type")?.startsWith("application/json")) {
    return invalid("Request body is not valid JSON");
  }
  const parsed = CreateBody.safeParse(json);
  if (!parsed.success) {
    const { path = [], message = "" } = parsed.error.issues[0] ?? {};
    return invalid(`${path.length === 0 ? "$" : `$.${path.join(".")}`}: ${message}`);
  }
  const body = parsed.data;
  const fingerprint = await sha256Hex(body.text.normalize("NFC").trim());
  // From here to the entry in the book nothing waits: two calls at once see each other.
  const enterprise = sim.settings.extra["access"] === "enterprise";
  const media = (body.media?.media_ids ?? []).map((mediaId) => ownMedia(sim, person, mediaId));
  const refusal =
    asked(body.text, sim) ??
    attachmentRefusal(body, media, person, sim) ??
    textRefusal(body, person, enterprise) ??
    conversationRefusal(body, sim, person, enterprise);
  if (refusal) {
    return refusal;
  }
  const links = shorten(body.text, () => shortId(sim));
  const price = links.length > 0 ? URL_PRICE_USD : PRICE_USD;
  if ((creditsLeft(sim) ?? price) < price) {
    return creditsDepleted();
  }
  const guard = `text:${person.id}:${fingerprint}`;
  const minutes = Number(sim.settings.extra["duplicate_minutes"] ?? DUPLICATE_MINUTES);
  const earlier = sim.store.get<number>(guard);
  if (body.text.trim() !== "" && earlier !== undefined && earlier + minutes * 60_000 > sim.now()) {
    return duplicate();
  }
  charge(sim, price);
  sim.store.put(guard, sim.now());
  const post = accept(
    sim,
    person,
    body,
    media.filter((one) => one !== undefined),
    links,
  );
  if (body.text.includes("#sim-503-after")) {
    return unavailable();
  }
  if (body.text.includes("#sim-hang-after")) {
    await new Promise((resolve) => setTimeout(resolve, HANG_MS));
  }
  const { text } = show(post.text, post.links, post.mediaLink);
  return Response.json({ data: { id: post.id, text, edit_history_post_ids: [post.id] } }, { status: 201 });
}

/** Quotes and replies, which the cheaper kinds of access may not make freely. */
function conversationRefusal(body: CreateBody, sim: Sim, person: Person, enterprise: boolean): Response | null {
  if (body.quote_tweet_id !== undefined && !enterprise) {
    return forbidden(QUOTE_REFUSAL);
  }
  if (body.reply === undefined || enterprise) {
    return null;
  }
  const parent = sim.store.get(postKey(body.reply.in_reply_to_tweet_id)) as Post | undefined;
  return parent?.author === person.id && !parent.deleted ? null : notPermitted();
}

const SHORT_ID = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const shortId = (sim: Sim): string =>
  Array.from(sim.id(20).match(/../g) ?? [], (pair) => SHORT_ID[Number(pair) % 62]).join("");

function accept(sim: Sim, person: Person, body: CreateBody, media: readonly Media[], links: readonly Link[]): Post {
  const now = sim.now();
  const postId = nextId(now);
  const url = `https://x.com/${person.username}/status/${postId}`;
  const [first] = media;
  const kind = first ? first.kind : "text";
  const mediaLink = first && {
    url: `https://t.co/${shortId(sim)}`,
    expandedUrl: `${url}/${first.kind === "video" ? "video" : "photo"}/1`,
    from: body.text.length,
    to: body.text.length,
  };
  const post: Post = {
    id: postId,
    author: person.id,
    text: body.text,
    links,
    mediaLink: mediaLink ?? null,
    mediaKeys: media.map((one) => `${one.kind === "image" ? 3 : one.kind === "gif" ? 16 : 7}_${one.id}`),
    quoted: body.quote_tweet_id ?? null,
    long: weightOf(body.text) > WEIGHT_MAX,
    createdAt: now,
    deleted: false,
  };
  save(sim, post);
  sim.store.put(`${byAuthor(person.id)}${postId}`, now);
  const { text: _text, media: attached, ...options } = body;
  sim.publish({
    id: postId,
    url,
    account: person.id,
    kind,
    text: body.text,
    title: null,
    media: media.map((one) => ({ type: one.kind === "video" ? "video" : "image", sha256: one.sha256 ?? "" })),
    options: {
      ...(options as JsonObject),
      ...(attached?.tagged_user_ids && { tagged_user_ids: attached.tagged_user_ids }),
      ...(media.some((one) => one.altText !== null) && { alt_texts: media.map((one) => one.altText) }),
    },
    accepted_at: toInstant(now),
  });
  return post;
}

function save(sim: Sim, post: Post): void {
  const { mediaLink } = post;
  sim.store.put(postKey(post.id), {
    ...post,
    links: post.links.map((link) => ({ ...link })),
    mediaLink: mediaLink && { ...mediaLink },
  });
}

/** DELETE /2/tweets/{id} */
export function deletePost(sim: Sim, person: Person, postId: string): Response {
  const post = sim.store.get(postKey(postId)) as Post | undefined;
  if (!post || post.deleted || !personOf(post.author)) {
    return notFound();
  }
  if (post.author !== person.id) {
    return forbidden("You are not authorized to delete this Tweet.");
  }
  save(sim, { ...post, deleted: true });
  return Response.json({ data: { deleted: true } });
}
