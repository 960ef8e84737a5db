import { HOUR, MINUTE } from "#core/clock.ts";
import { sleep } from "#sandbox/fetch-media.ts";
import { type Caller, isSilenced } from "./authorization.ts";
import type { Call } from "./call.ts";
import {
  fixedError,
  gatewayTimeout,
  internalError,
  recordNotFound,
  temporaryProblem,
  tooManyRequests,
  translatedError,
  validationError,
} from "./error-responses.ts";
import { findAttachableMedia, type Media, mediaState } from "./media.ts";
import { ParamError, type Params } from "./params.ts";
import {
  draftStatus,
  findStatus,
  lockKey,
  type NewStatus,
  publishLater,
  publishStatus,
  rememberedKey,
  statusJson,
} from "./status-store.ts";
import { canonicalText, countCharacters } from "./status-text.ts";
import type { Visibility } from "./test-users.ts";
import { countOf, postsThrottle } from "./throttles.ts";

/* Creating a status: docs/platforms/facts/mastodon.md part 3 (mixing), 4.1 to 4.3 and 6.10 to 6.15. */

const KEY_LIFETIME_MS = HOUR;
const CRASHED_LOCK_MS = 15 * MINUTE;
const LOCK_POLL_MS = 25;
const PLEROMA_KEY_LIFETIME_MS = 6 * HOUR;

/** POST /api/v1/statuses */
export async function createStatus(call: Call, caller: Caller, params: Params): Promise<Response> {
  const key = call.request.headers.get("idempotency-key");
  if (key === null || key === "") {
    return saveNewStatus(call, caller, params, null);
  }
  switch (call.instance.idempotency) {
    case "ok":
    case "4.6":
      return createWithLock(call, caller, params, key);
    case "4.5":
      return rememberedResponse(call, caller, key) ?? saveNewStatus(call, caller, params, key);
    case "none":
      return saveNewStatus(call, caller, params, null);
    case "pleroma":
      return createLikePleroma(call, caller, params, key);
  }
}

/** The response to a repeat; null if the key is new, older than an hour, or its request failed. */
function rememberedResponse(call: Call, { user }: Caller, key: string): Response | null {
  const { store, sim, instance } = call;
  const remembered = store.get<{ statusId: string; at: number }>(rememberedKey(user.id, key));
  if (!remembered || remembered.at + KEY_LIFETIME_MS <= sim.now()) {
    return null;
  }
  const status = findStatus(store, remembered.statusId);
  if (!status || status.isDeleted) {
    return recordNotFound(call);
  }
  // 4.6.0 to 4.7.1 (L mastodon#40399).
  return instance.idempotency === "4.6"
    ? internalError(call, "Internal Server Error")
    : Response.json(statusJson(sim, status));
}

/** Since 4.6 a parallel repeat waits for the first request; the lock of a crashed one lasts 15 minutes (M lockable.rb). */
async function createWithLock(call: Call, caller: Caller, params: Params, key: string): Promise<Response> {
  const { store, sim, settings } = call;
  const lock = lockKey(caller.user.id, key);
  const isLocked = (): boolean => (store.get<number>(lock) ?? 0) > sim.now();
  for (let waitedMs = 0; isLocked(); waitedMs += LOCK_POLL_MS) {
    if (waitedMs >= settings.lockWaitMs) {
      return temporaryProblem(call);
    }
    await sleep(LOCK_POLL_MS);
  }
  const remembered = rememberedResponse(call, caller, key);
  if (remembered) {
    return remembered;
  }
  const lockedUntil = sim.now() + CRASHED_LOCK_MS;
  store.put(lock, lockedUntil);
  const response = await saveNewStatus(call, caller, params, key);
  // A status that is saved later keeps its lock until then.
  if (response.status !== 504 && store.get<number>(lock) === lockedUntil) {
    store.delete(lock);
  }
  return response;
}

/** Replays any response below 500 for six hours, to any caller (pleroma idempotency_plug.ex). */
async function createLikePleroma(call: Call, caller: Caller, params: Params, key: string): Promise<Response> {
  const { store, sim } = call;
  const storeKey = `pleroma-key/${key}`;
  const first = store.get<{ status: number; body: string; at: number }>(storeKey);
  if (first && first.at + PLEROMA_KEY_LIFETIME_MS > sim.now()) {
    return new Response(first.body, {
      status: first.status,
      headers: { "content-type": "application/json", "idempotent-replayed": "true" },
    });
  }
  const response = await saveNewStatus(call, caller, params, null);
  if (response.status < 500) {
    store.put(storeKey, { status: response.status, body: await response.clone().text(), at: sim.now() });
  }
  return response;
}

async function saveNewStatus(
  call: Call,
  caller: Caller,
  params: Params,
  idempotencyKey: string | null,
): Promise<Response> {
  const { sim, store, settings } = call;
  const checked = checkStatus(call, caller, params);
  if (checked instanceof Response) {
    return checked;
  }
  const posts = postsThrottle(sim, caller.user.id);
  if (countOf({ sim, store }, posts) >= posts.limit && !settings.isLenient("throttles")) {
    return tooManyRequests(call);
  }
  const status: NewStatus = { ...checked, idempotencyKey };
  if (settings.publishMs > 0) {
    await sleep(settings.publishMs);
  }
  if (settings.dropsSilently) {
    // Answers with success, but never saves the status (M app/lib/antispam.rb).
    return Response.json(statusJson(sim, draftStatus(sim, status)));
  }
  if (settings.lateMs !== undefined) {
    publishLater(sim, status, sim.now() + settings.lateMs);
    return gatewayTimeout();
  }
  const saved = draftStatus(sim, status);
  publishStatus(sim, saved);
  return Response.json(statusJson(sim, saved));
}

/** Media is checked before the text (M post_status_service.rb). */
function checkStatus(call: Call, caller: Caller, params: Params): Omit<NewStatus, "idempotencyKey"> | Response {
  for (const name of ["scheduled_at", "poll"]) {
    if (params.has(name)) {
      throw new ParamError(`${name} is not simulated`);
    }
  }
  const { instance, store } = call;
  const { user, app } = caller;
  const sentText = (params.text("status") ?? "").trim();
  const sentSpoiler = (params.text("spoiler_text") ?? "").trim();
  const media = attachableMedia(call, caller, mediaIdsOf(call, params));
  if (media instanceof Response) {
    return media;
  }
  // A spoiler without a text becomes the text.
  const text = canonicalText(instance.host, sentText === "" ? sentSpoiler : sentText);
  const spoilerText = sentText === "" ? "" : sentSpoiler;
  const inReplyToId = params.text("in_reply_to_id") ?? null;
  if (inReplyToId !== null && findStatus(store, inReplyToId)?.isDeleted !== false) {
    return translatedError(call, 404, [
      "The post you are trying to reply to does not appear to exist.",
      "Der Beitrag, auf den du antworten möchtest, scheint nicht zu existieren.",
    ]);
  }
  const quotedStatusId = params.text("quoted_status_id") ?? null;
  if (quotedStatusId !== null && findStatus(store, quotedStatusId)?.isDeleted !== false) {
    return recordNotFound(call);
  }
  const quoteApprovalPolicy = params.text("quote_approval_policy") ?? null;
  if (quoteApprovalPolicy !== null && !["public", "followers", "nobody"].includes(quoteApprovalPolicy)) {
    return fixedError(call, 422, "Record invalid");
  }
  const visibility = visibilityOf(call, caller, params);
  if (visibility === null) {
    return validationError(call, ["Visibility is not included in the list", "Sichtbarkeit ist kein gültiger Wert"]);
  }
  if (text === "" && media.length === 0) {
    return validationError(call, ["Text can't be blank", "Text muss ausgefüllt werden"]);
  }
  if (countCharacters(instance, text, spoilerText) > instance.maxCharacters) {
    return validationError(call, [
      `Text character limit of ${instance.maxCharacters} exceeded`,
      `Text Zeichenlimit von ${instance.maxCharacters} überschritten`,
    ]);
  }
  return {
    host: instance.host,
    accountId: user.id,
    text,
    spoilerText,
    visibility,
    sensitive: (params.flag("sensitive") ?? user.defaultSensitive) || sentSpoiler !== "",
    language: languageOf(params.text("language"), user.defaultLanguage),
    mediaIds: media.map(({ id }) => id),
    application: { name: app.name, website: app.website },
    inReplyToId,
    quotedStatusId,
    quoteApprovalPolicy,
  };
}

const VISIBILITIES: readonly string[] = ["public", "unlisted", "private", "direct"] satisfies Visibility[];

/** Null for an unknown visibility. A silenced account cannot post publicly. */
function visibilityOf(call: Call, { user }: Caller, params: Params): Visibility | null {
  const visibility = params.text("visibility") ?? user.defaultVisibility;
  if (!VISIBILITIES.includes(visibility)) {
    return null;
  }
  return visibility === "public" && isSilenced(call, user) ? "unlisted" : (visibility as Visibility);
}

const LANGUAGE_NAMES = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** An unknown language becomes the user's default without an error. */
function languageOf(language: string | undefined, defaultLanguage: string): string {
  const isKnown =
    language !== undefined && /^[a-z]{2,3}(?:-[A-Za-z]{2,4})?$/.test(language) && LANGUAGE_NAMES.of(language);
  return isKnown ? language : defaultLanguage;
}

function mediaIdsOf({ settings }: Call, params: Params): readonly string[] {
  const value = params.raw("media_ids");
  if (typeof value === "string" && settings.isLenient("media_ids_string")) {
    // Attaches only the first of a list joined with commas (4.1).
    return value.split(",").slice(0, 1);
  }
  return params.list("media_ids") ?? [];
}

function attachableMedia(call: Call, caller: Caller, ids: readonly string[]): readonly Media[] | Response {
  const { instance, settings } = call;
  if (ids.length > instance.maxMedia) {
    return translatedError(call, 422, [
      `Cannot attach more than ${instance.maxMedia} files`,
      `Es können nicht mehr als ${instance.maxMedia} Dateien angehängt werden`,
    ]);
  }
  const found = ids.map((id) => findAttachableMedia(call, caller, id));
  const missing = ids.filter((id, index) => !found[index] || ids.indexOf(id) !== index);
  // 4.2 drops such media silently.
  if (missing.length > 0 && !instance.is42) {
    const list = missing.join(", ");
    return translatedError(call, 422, [
      `Media ${list} not found or already attached to another post`,
      `Medien ${list} nicht gefunden oder bereits an einen anderen Beitrag angehängt`,
    ]);
  }
  const media = found.filter((item, index) => item !== undefined && ids.indexOf(item.id) === index) as Media[];
  const aloneTypes = settings.isLenient("mixed_gif") ? ["video", "audio"] : ["video", "audio", "gifv"];
  // An animated GIF must also be the only item: D user/posting.md is stricter than the code.
  if (media.length > 1 && media.some(({ type }) => aloneTypes.includes(type))) {
    return translatedError(call, 422, [
      "Cannot attach a video to a post that already contains images",
      "Es kann kein Video an einen Beitrag angehängt werden, der bereits Bilder enthält",
    ]);
  }
  // Also refuses media whose processing failed.
  return media.every((item) => mediaState(call, item) === "ready")
    ? media
    : translatedError(call, 422, [
        "Cannot attach files that have not finished processing. Try again in a moment!",
        "Dateien, die noch nicht verarbeitet wurden, können nicht angehängt werden. Versuche es gleich noch einmal!",
      ]);
}
