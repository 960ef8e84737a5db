import { recordTable } from "#sandbox/record-table.ts";
import { DAY, toIsoInstant } from "#core/clock.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { revokeTokensOfLogin, type Token } from "#sandbox/oauth-server.ts";
import { nextSerialNumber } from "#sandbox/serial-number.ts";
import { envelope } from "./responses.ts";
import { CREATORS } from "./creators.ts";

/* A publish (TikTok's word for one post or draft in progress) and its changes over time: platforms/tiktok.md 2.5 (status) and part 6 (simulator notes). */

const MAX_POSTS_PER_DAY = 15;
const MAX_PENDING_DRAFTS = 5;

export interface Publish {
  readonly id: string;
  readonly login: string;
  readonly kind: "video" | "photo";
  readonly isDraft: boolean;
  /** The part of `post_info` that this kind of publish keeps. */
  readonly postInfo: JsonObject;
  readonly size: number;
  readonly chunkSize: number;
  readonly chunkCount: number;
  readonly stored: number;
  readonly chunks: number;
  /** Null if TikTok downloads the media. */
  readonly uploadToken: string | null;
  /** The URLs that TikTok downloads. */
  readonly urls: readonly string[];
  readonly createdAt: number;
  readonly serial: number;
  /** When processing ends; null until all bytes have arrived. */
  readonly doneAt: number | null;
  readonly failReason: string | null;
  /** 19 digits: more than a JavaScript number can hold. */
  readonly publicId: string;
  readonly media: readonly { readonly type: "image" | "video"; readonly sha256: string }[];
  readonly isPublished: boolean;
}

const PUBLISHES = recordTable<Publish>("publish:");

export function savePublish(sim: SimulatorContext, publish: Publish): void {
  PUBLISHES.save(sim, publish.id, {
    ...publish,
    urls: [...publish.urls],
    media: publish.media.map((item) => ({ ...item })),
  });
}

export const findPublish = (sim: SimulatorContext, id: string): Publish | undefined => PUBLISHES.find(sim, id);

const allPublishes = (sim: SimulatorContext): readonly Publish[] => PUBLISHES.list(sim);

export const publishesOf = (sim: SimulatorContext, login: string): readonly Publish[] =>
  allPublishes(sim).filter((publish) => publish.login === login);

export function newPublish(
  sim: SimulatorContext,
  token: Token,
  prefix: string,
  rest: Partial<Publish> & Pick<Publish, "kind" | "isDraft" | "postInfo">,
): Publish {
  return {
    id: `${prefix}${sim.newId(19)}`,
    login: token.login,
    size: 0,
    chunkSize: 0,
    chunkCount: 0,
    stored: 0,
    chunks: 0,
    uploadToken: null,
    urls: [],
    createdAt: sim.now(),
    serial: nextSerialNumber(sim),
    doneAt: null,
    failReason: null,
    publicId: `7${sim.newId(18)}`,
    media: [],
    isPublished: false,
    ...rest,
  };
}

/** Call it when all bytes have arrived; a failure shows only when processing ends. */
export function startProcessing(
  sim: SimulatorContext,
  publish: Publish,
  outcome: { readonly media: Publish["media"]; readonly failReason: string | null },
): void {
  const forcedFailReason = sim.settings.extra["fail_reason"];
  savePublish(sim, {
    ...publish,
    media: outcome.media,
    failReason: typeof forcedFailReason === "string" ? forcedFailReason : outcome.failReason,
    doneAt: sim.now() + sim.settings.processing_ms,
  });
}

export const textOrEmpty = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

/** Processing ends by time alone, so each read first records the finished posts. */
export function publishProcessed(sim: SimulatorContext): void {
  for (const publish of allPublishes(sim)) {
    const { doneAt } = publish;
    if (doneAt === null || doneAt > sim.now() || publish.isPublished || publish.failReason !== null) {
      continue;
    }
    const creator = CREATORS[publish.login];
    const isPhoto = publish.kind === "photo";
    savePublish(sim, { ...publish, isPublished: true });
    sim.recordPublishedPost({
      id: publish.publicId,
      url: `https://www.tiktok.com/@${creator?.username}/${publish.kind}/${publish.publicId}`,
      account: creator?.openId ?? "",
      kind: publish.isDraft ? "draft" : publish.kind,
      text: textOrEmpty(publish.postInfo[isPhoto ? "description" : "title"]),
      title: isPhoto ? textOrEmpty(publish.postInfo["title"]) : null,
      media: publish.media,
      options: { ...publish.postInfo, publish_id: publish.id },
      accepted_at: toIsoInstant(doneAt),
    });
  }
}

/** Whether the post has its public id: only public posts get one, and only after moderation. */
export function isModerated(sim: SimulatorContext, publish: Publish): boolean {
  const isPublic = publish.postInfo["privacy_level"] === "PUBLIC_TO_EVERYONE" && !publish.isDraft;
  const isModerationOver = (publish.doneAt ?? Number.POSITIVE_INFINITY) + sim.settings.verify_lag_ms <= sim.now();
  return publish.isPublished && isPublic && isModerationOver && sim.settings.extra["moderation_never_ends"] !== true;
}

/** The error for too many posts or pending drafts within 24 hours, otherwise null. */
export function checkDailyCap(sim: SimulatorContext, login: string, isDraft: boolean): Response | null {
  const recent = publishesOf(sim, login).filter(
    (publish) => publish.isDraft === isDraft && publish.createdAt > sim.now() - DAY && publish.failReason === null,
  ).length;
  if (isDraft) {
    return recent < MAX_PENDING_DRAFTS || sim.settings.extra["drafts_finished"] === true
      ? null
      : envelope(
          sim,
          403,
          "spam_risk_too_many_pending_share",
          "There may be at most 5 pending shares within any 24-hour period.",
        );
  }
  return recent < (sim.settings.quota ?? MAX_POSTS_PER_DAY)
    ? null
    : envelope(sim, 403, "spam_risk_too_many_posts", "Daily post cap from the API is reached for the current user.");
}

/** Revokes the app's tokens; publishes in progress fail. False if the login never consented. */
export function revokeAccess(sim: SimulatorContext, login: string): boolean {
  for (const publish of publishesOf(sim, login)) {
    const isInProgress = !publish.isPublished && publish.failReason === null;
    if (isInProgress && (publish.doneAt === null || publish.doneAt > sim.now())) {
      savePublish(sim, { ...publish, failReason: "auth_removed", doneAt: sim.now() });
    }
  }
  return revokeTokensOfLogin(sim, login);
}
