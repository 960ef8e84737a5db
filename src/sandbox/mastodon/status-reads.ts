import type { Caller } from "./authorization.ts";
import type { Call } from "./call.ts";
import { recordNotFound } from "./error-responses.ts";
import { ParamError, type Params } from "./params.ts";
import { accountJson, findStatus, saveStatus, type Status, statusesOf, statusJson } from "./status-store.ts";
import { findUserById, type TestUser } from "./test-users.ts";

/* Reading and deleting statuses: docs/platforms/facts/mastodon.md 1.5, 4.4 and 6.16. */

const DEFAULT_PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 40;

/** GET /api/v1/accounts/verify_credentials */
export function readOwnAccount({ instance }: Call, { user }: Caller): Response {
  return Response.json({
    ...accountJson(instance.host, user),
    source: {
      privacy: user.defaultVisibility,
      sensitive: user.defaultSensitive,
      language: user.defaultLanguage,
      note: "",
      fields: [],
      follow_requests_count: 0,
    },
    role: { id: "-99", name: "", color: "", permissions: "65536", highlighted: false },
  });
}

/** The author sees every visibility, everyone else only public and unlisted statuses. */
function isVisible({ sim }: Call, viewer: TestUser | null, status: Status): boolean {
  const isPublished = !status.isDeleted && status.createdAt + sim.settings.verify_lag_ms <= sim.now();
  const isOpen = status.visibility === "public" || status.visibility === "unlisted";
  return isPublished && (isOpen || viewer?.id === status.accountId);
}

/** GET /api/v1/statuses/{id} */
export function readStatus(call: Call, viewer: TestUser | null, id: string): Response {
  const status = findStatus(call.store, id);
  return status && isVisible(call, viewer, status) ? Response.json(statusJson(call.sim, status)) : recordNotFound(call);
}

/** GET /api/v1/statuses/{id}/source, since 3.5. */
export function readSource(call: Call, { user }: Caller, id: string): Response {
  const status = findStatus(call.store, id);
  return status && isVisible(call, user, status)
    ? Response.json({ id, text: status.text, spoiler_text: status.spoilerText })
    : recordNotFound(call);
}

/** Ids of different lengths are compared by length first. */
const isNewer = (id: string, other: string): boolean =>
  id.length === other.length ? id > other : id.length > other.length;

/** GET /api/v1/accounts/{id}/statuses, newest first. */
export function listStatuses(call: Call, viewer: TestUser | null, accountId: string, params: Params): Response {
  const { instance, store, sim, url } = call;
  if (!findUserById(instance.host, accountId)) {
    return recordNotFound(call);
  }
  const limitText = params.text("limit") ?? String(DEFAULT_PAGE_SIZE);
  if (!/^[1-9]\d*$/.test(limitText)) {
    throw new ParamError("limit must be a positive number");
  }
  const limit = Math.min(Number(limitText), MAX_PAGE_SIZE);
  // The sandbox has no reblogs, but the parameter must be a boolean.
  params.flag("exclude_reblogs");
  const maxId = params.text("max_id");
  const sinceId = params.text("since_id") ?? params.text("min_id");
  const matching = statusesOf(store, accountId)
    .filter((status) => isVisible(call, viewer, status))
    .filter((status) => maxId === undefined || isNewer(maxId, status.id))
    .filter((status) => sinceId === undefined || isNewer(status.id, sinceId))
    .filter((status) => !params.flag("exclude_replies") || status.inReplyToId === null)
    .filter((status) => !params.flag("only_media") || status.mediaIds.length > 0);
  // With `min_id` the page begins at that id, with `since_id` at the newest status.
  const page = params.has("min_id") ? matching.slice(-limit) : matching.slice(0, limit);
  const response = Response.json(page.map((status) => statusJson(sim, status)));
  const last = page.at(-1);
  if (last && page.length === limit) {
    const next = new URL(url);
    next.searchParams.set("max_id", last.id);
    response.headers.set("link", `<${next.href}>; rel="next"`);
  }
  return response;
}

/** DELETE /api/v1/statuses/{id}: returns the status with its source instead of its HTML. */
export function deleteStatus(call: Call, { user }: Caller, id: string): Response {
  const status = findStatus(call.store, id);
  if (!status || status.isDeleted || status.accountId !== user.id) {
    return recordNotFound(call);
  }
  const { content: _content, ...json } = statusJson(call.sim, status);
  saveStatus(call.store, { ...status, isDeleted: true });
  return Response.json({ ...json, text: status.text });
}
