import { toIsoInstant } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { recordTable } from "#sandbox/record-table.ts";
import { nextSerialNumber } from "#sandbox/serial-number.ts";
import { instanceStore, type InstanceStore } from "./call.ts";
import { loadMedia, type Media, mediaJson, mediaState, saveMedia } from "./media.ts";
import { contentHtml } from "./status-text.ts";
import { findUserById, platformAccountId, type TestUser, type Visibility } from "./test-users.ts";
import { countPublished } from "./throttles.ts";

/* Saved statuses, and statuses that the server saves after it has answered. */

export interface NewStatus {
  readonly host: string;
  readonly accountId: string;
  readonly text: string;
  readonly spoilerText: string;
  readonly visibility: Visibility;
  readonly sensitive: boolean;
  readonly language: string;
  readonly mediaIds: readonly string[];
  readonly application: { readonly name: string; readonly website: string | null };
  readonly inReplyToId: string | null;
  readonly quotedStatusId: string | null;
  readonly quoteApprovalPolicy: string | null;
  readonly idempotencyKey: string | null;
}

export interface Status extends NewStatus {
  readonly id: string;
  readonly createdAt: number;
  readonly isDeleted: boolean;
}

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Ids increase with time; GoToSocial has ULIDs (7). */
function newStatusId(sim: SimulatorContext, host: string, now: number): string {
  const serial = nextSerialNumber(sim);
  if (host !== "gts.example") {
    return String((BigInt(now) << 16n) | BigInt(serial & 0xffff));
  }
  const digits = (value: number, length: number): string =>
    Array.from({ length }, (_, index) => CROCKFORD[Math.floor(value / 32 ** (length - 1 - index)) % 32]).join("");
  return digits(now, 10) + digits(serial, 16);
}

const statusKey = (id: string): string => `status/${id}`;
const authorPrefix = (accountId: string): string => `by/${accountId}/`;

export const findStatus = (store: InstanceStore, id: string): Status | undefined => store.get<Status>(statusKey(id));

export const statusesOf = (store: InstanceStore, accountId: string): readonly Status[] =>
  store
    .list<string>(authorPrefix(accountId), { reverse: true })
    .map((id) => findStatus(store, id))
    .filter((status) => status !== undefined);

export const saveStatus = (store: InstanceStore, status: Status): void => store.put(statusKey(status.id), status);

export const draftStatus = (sim: SimulatorContext, status: NewStatus, now = sim.now()): Status => ({
  ...status,
  id: newStatusId(sim, status.host, now),
  createdAt: now,
  isDeleted: false,
});

export const rememberedKey = (accountId: string, key: string): string => `key/${accountId}/${key}`;
export const lockKey = (accountId: string, key: string): string => `lock/${accountId}/${key}`;

/** Saves the status and attaches its media. This is a success, so it uses up the idempotency key. */
export function publishStatus(sim: SimulatorContext, status: Status): void {
  const store = instanceStore(sim, status.host);
  saveStatus(store, status);
  store.put(`${authorPrefix(status.accountId)}${status.id}`, status.id);
  const media = mediaOf(store, status);
  for (const item of media) {
    saveMedia(store, { ...item, statusId: status.id });
  }
  if (status.idempotencyKey !== null) {
    store.put(rememberedKey(status.accountId, status.idempotencyKey), { statusId: status.id, at: status.createdAt });
    store.delete(lockKey(status.accountId, status.idempotencyKey));
  }
  countPublished(sim, store, status.accountId);
  sim.recordPublishedPost({
    id: status.id,
    url: statusUrl(status),
    account: platformAccountId(status.host, status.accountId),
    kind: kindOf(media),
    text: status.text,
    title: null,
    media: media.map(({ type, sha256 }) => ({ type: type === "image" || type === "gifv" ? "image" : "video", sha256 })),
    options: publishedOptions(status, media),
    accepted_at: toIsoInstant(status.createdAt),
  });
}

function kindOf([first]: readonly Media[]): string {
  if (!first) {
    return "text";
  }
  return first.type === "gifv" ? "gif" : first.type;
}

function publishedOptions(status: Status, media: readonly Media[]): JsonObject {
  return {
    visibility: status.visibility,
    sensitive: status.sensitive,
    language: status.language,
    ...(status.spoilerText !== "" && { spoiler_text: status.spoilerText }),
    ...(media.some((item) => item.description !== null) && { alt_texts: media.map((item) => item.description) }),
    ...(media.some((item) => item.focus !== null) && { focus: media.map((item) => item.focus) }),
    ...(status.inReplyToId !== null && { in_reply_to_id: status.inReplyToId }),
    ...(status.quotedStatusId !== null && { quoted_status_id: status.quotedStatusId }),
    ...(status.quoteApprovalPolicy !== null && { quote_approval_policy: status.quoteApprovalPolicy }),
  };
}

const mediaOf = (store: InstanceStore, status: NewStatus): readonly Media[] =>
  status.mediaIds.map((id) => loadMedia(store, id)).filter((media) => media !== undefined);

/* The setting `late_ms`: the front end has given up, the server is still working (4.5, 6.19). */

interface PendingStatus {
  /** Begins with the time, so that the table is ordered by time. */
  readonly id: string;
  readonly status: NewStatus;
  readonly liveAt: number;
}

const PENDING_STATUSES = recordTable<PendingStatus>("pending:");

export function publishLater(sim: SimulatorContext, status: NewStatus, liveAt: number): void {
  const id = `${String(liveAt).padStart(16, "0")}/${sim.newId(12)}`;
  PENDING_STATUSES.save(sim, id, { id, status, liveAt });
}

/** Saves the statuses that are due. */
export function publishPending(sim: SimulatorContext): void {
  for (const { id, status, liveAt } of PENDING_STATUSES.list(sim)) {
    if (liveAt <= sim.now()) {
      PENDING_STATUSES.remove(sim, id);
      publishStatus(sim, draftStatus(sim, status, liveAt));
    }
  }
}

const profileUrl = (host: string, user: TestUser): string => `https://${host}/@${user.username}`;

function statusUrl({ host, accountId, id }: Status): string {
  const user = findUserById(host, accountId);
  return user ? `${profileUrl(host, user)}/${id}` : "";
}

export function accountJson(host: string, user: TestUser): JsonObject {
  return {
    id: user.id,
    username: user.username,
    // The domain is missing for an account of the same instance.
    acct: user.username,
    display_name: user.displayName,
    locked: false,
    bot: false,
    created_at: "2022-11-04T00:00:00.000Z",
    note: "",
    url: profileUrl(host, user),
    // Since 4.2.
    uri: `https://${host}/users/${user.username}`,
    avatar: `https://files.${host}/avatars/${user.username}.png`,
    avatar_static: `https://files.${host}/avatars/${user.username}.png`,
    header: `https://files.${host}/headers/${user.username}.png`,
    followers_count: 0,
    following_count: 0,
    statuses_count: 0,
    emojis: [],
    fields: [],
  };
}

export function statusJson(sim: SimulatorContext, status: Status): JsonObject {
  const { host } = status;
  const user = findUserById(host, status.accountId);
  return {
    id: status.id,
    created_at: toIsoInstant(status.createdAt),
    in_reply_to_id: status.inReplyToId,
    in_reply_to_account_id: null,
    sensitive: status.sensitive,
    spoiler_text: status.spoilerText,
    visibility: status.visibility,
    language: status.language,
    uri: `https://${host}/users/${user?.username ?? ""}/statuses/${status.id}`,
    url: statusUrl(status),
    replies_count: 0,
    reblogs_count: 0,
    favourites_count: 0,
    edited_at: null,
    content: contentHtml(host, status.text),
    reblog: null,
    application: { ...status.application },
    account: user ? accountJson(host, user) : null,
    media_attachments: mediaOf(instanceStore(sim, host), status).map((media) =>
      mediaJson(host, media, mediaState({ sim }, media)),
    ),
    mentions: [],
    tags: [],
    emojis: [],
    card: null,
    poll: null,
  };
}
