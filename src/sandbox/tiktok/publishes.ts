import { DAY, toInstant } from "#core/clock.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Sim } from "#sandbox/contract.ts";
import { revokeLogin, type Token } from "#sandbox/grants.ts";
import { serial } from "#sandbox/serial.ts";
import { envelope } from "./answers.ts";
import { CREATORS } from "./creators.ts";

/* What a publish is and what becomes of it by the clock alone: platforms/tiktok.md 2.5 and part 6. */

const POSTS_PER_DAY = 15;
const DRAFTS_PENDING = 5;

export interface Publish {
  readonly id: string;
  readonly login: string;
  readonly kind: "video" | "photo";
  readonly draft: boolean;
  /** `post_info`, as far as the kind keeps it. */
  readonly info: JsonObject;
  readonly size: number;
  readonly chunkSize: number;
  readonly chunkCount: number;
  readonly stored: number;
  readonly chunks: number;
  /** Null for what is pulled. */
  readonly uploadToken: string | null;
  /** What is to be pulled. */
  readonly urls: readonly string[];
  readonly createdAt: number;
  readonly serial: number;
  /** When processing ends; null while bytes are missing. */
  readonly doneAt: number | null;
  readonly failReason: string | null;
  /** 19 digits: does not fit a JavaScript number. */
  readonly publicId: string;
  readonly media: readonly { readonly type: "image" | "video"; readonly sha256: string }[];
  readonly booked: boolean;
}

const key = (id: string): string => `publish:${id}`;

export function save(sim: Sim, publish: Publish): void {
  sim.store.put(key(publish.id), {
    ...publish,
    urls: [...publish.urls],
    media: publish.media.map((item) => ({ ...item })),
  });
}

export const find = (sim: Sim, id: string): Publish | undefined => sim.store.get(key(id)) as Publish | undefined;

const all = (sim: Sim): readonly Publish[] =>
  sim.store.list("publish:").map(([, publish]) => publish as unknown as Publish);

export const publishesOf = (sim: Sim, login: string): readonly Publish[] =>
  all(sim).filter((publish) => publish.login === login);

export function newPublish(
  sim: Sim,
  session: Token,
  prefix: string,
  rest: Partial<Publish> & Pick<Publish, "kind" | "draft" | "info">,
): Publish {
  return {
    id: `${prefix}${sim.id(19)}`,
    login: session.login,
    size: 0,
    chunkSize: 0,
    chunkCount: 0,
    stored: 0,
    chunks: 0,
    uploadToken: null,
    urls: [],
    createdAt: sim.now(),
    serial: serial(sim),
    doneAt: null,
    failReason: null,
    publicId: `7${sim.id(18)}`,
    media: [],
    booked: false,
    ...rest,
  };
}

/** The bytes are there; what is wrong with them shows when processing ends. */
export function process(
  sim: Sim,
  publish: Publish,
  outcome: { readonly media: Publish["media"]; readonly failReason: string | null },
): void {
  const chosen = sim.settings.extra["fail_reason"];
  save(sim, {
    ...publish,
    media: outcome.media,
    failReason: typeof chosen === "string" ? chosen : outcome.failReason,
    doneAt: sim.now() + sim.settings.processing_ms,
  });
}

export const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

/** Processing ends by the clock, so the book is brought up to date whenever anybody looks. */
export function settle(sim: Sim): void {
  for (const publish of all(sim)) {
    const { doneAt } = publish;
    if (doneAt === null || doneAt > sim.now() || publish.booked || publish.failReason !== null) {
      continue;
    }
    const creator = CREATORS[publish.login];
    const isPhoto = publish.kind === "photo";
    save(sim, { ...publish, booked: true });
    sim.publish({
      id: publish.publicId,
      url: `https://www.tiktok.com/@${creator?.username}/${publish.kind}/${publish.publicId}`,
      account: creator?.openId ?? "",
      kind: publish.draft ? "draft" : publish.kind,
      text: textOf(publish.info[isPhoto ? "description" : "title"]),
      title: isPhoto ? textOf(publish.info["title"]) : null,
      media: publish.media,
      options: { ...publish.info, publish_id: publish.id },
      accepted_at: toInstant(doneAt),
    });
  }
}

/** Whether the public id has come: only public posts get one, and only after moderation. */
export function isModerated(sim: Sim, publish: Publish): boolean {
  const isPublic = publish.info["privacy_level"] === "PUBLIC_TO_EVERYONE" && !publish.draft;
  const isOver = (publish.doneAt ?? Number.POSITIVE_INFINITY) + sim.settings.verify_lag_ms <= sim.now();
  return publish.booked && isPublic && isOver && sim.settings.extra["moderation_never_ends"] !== true;
}

/** What a creator with too many posts or pending drafts is told; null when there is room. */
export function dayRefusal(sim: Sim, login: string, draft: boolean): Response | null {
  const recent = publishesOf(sim, login).filter(
    (publish) => publish.draft === draft && publish.createdAt > sim.now() - DAY && publish.failReason === null,
  ).length;
  if (draft) {
    return recent < DRAFTS_PENDING || sim.settings.extra["drafts_finished"] === true
      ? null
      : envelope(
          sim,
          403,
          "spam_risk_too_many_pending_share",
          "There may be at most 5 pending shares within any 24-hour period.",
        );
  }
  return recent < (sim.settings.quota ?? POSTS_PER_DAY)
    ? null
    : envelope(sim, 403, "spam_risk_too_many_posts", "Daily post cap from the API is reached for the current user.");
}

/** The app loses access: tokens die, and what was under way fails. False when the login never consented. */
export function withdraw(sim: Sim, login: string): boolean {
  for (const publish of publishesOf(sim, login)) {
    const isUnderWay = !publish.booked && publish.failReason === null;
    if (isUnderWay && (publish.doneAt === null || publish.doneAt > sim.now())) {
      save(sim, { ...publish, failReason: "auth_removed", doneAt: sim.now() });
    }
  }
  return revokeLogin(sim, login);
}
