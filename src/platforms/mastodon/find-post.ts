import type { Job, PlatformClient } from "#platforms/contract.ts";
import { withQuery } from "#platforms/request-encoding.ts";
import { type PlatformResponse, isOk, parseBody } from "#platforms/response.ts";
import { type Status, StatusList, StatusSource } from "./answers.ts";
import { type Server, callServer, parseExtra, serverUrl, toServerAccountId } from "./api.ts";
import { comparableStatusText } from "./text.ts";

const PAGE_SIZE = 40;
const MAX_PAGES = 5;

export type FindResult =
  | { readonly state: "one"; readonly status: Status }
  | { readonly state: "several" }
  | { readonly state: "none" }
  /** Also an incomplete list, which proves no absence. */
  | { readonly state: "unreadable"; readonly response: PlatformResponse | null };

/** Looks for the post among those that the account published since then. */
export async function findPost(
  client: PlatformClient,
  job: Job,
  server: Server,
  mediaIds: readonly string[],
  since: number,
): Promise<FindResult> {
  const listed = await listSince(client, job, server, since);
  if (!listed.ok) {
    return { state: "unreadable", response: listed.response };
  }
  if (mediaIds.length > 0) {
    const status = listed.statuses.find((each) => hasMedia(each, mediaIds));
    return status ? { state: "one", status } : { state: "none" };
  }
  const matches: Status[] = [];
  for (const status of listed.statuses.filter((each) => isTextOfThisApp(each, job))) {
    const response = await callServer(client, server, `/api/v1/statuses/${encodeURIComponent(status.id)}/source`);
    const source = isOk(response) ? parseBody(StatusSource, response) : undefined;
    // 404: deleted since it was listed.
    if (!source && response.status !== 404) {
      return { state: "unreadable", response };
    }
    if (source && isSameText(source, job)) {
      matches.push(status);
    }
  }
  const [status, ...others] = matches;
  return status ? (others.length > 0 ? { state: "several" } : { state: "one", status }) : { state: "none" };
}

type ListResult =
  | { readonly ok: true; readonly statuses: readonly Status[] }
  | { readonly ok: false; readonly response: PlatformResponse | null };

/** Newest first. */
async function listSince(client: PlatformClient, job: Job, server: Server, since: number): Promise<ListResult> {
  const path = `/api/v1/accounts/${encodeURIComponent(toServerAccountId(job.account.platformAccountId))}/statuses`;
  const statuses: Status[] = [];
  let maxId: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const url = withQuery(serverUrl(server, path), { limit: PAGE_SIZE, exclude_reblogs: true, max_id: maxId });
    const response = await callServer(client, server, url);
    const list = isOk(response) ? parseBody(StatusList, response) : undefined;
    if (!list) {
      return { ok: false, response };
    }
    statuses.push(...list.filter((status) => !isBefore(status, since)));
    const last = list.at(-1);
    if (!last || isBefore(last, since)) {
      return { ok: true, statuses };
    }
    maxId = last.id;
  }
  return { ok: false, response: null };
}

function isBefore(status: Status, time: number): boolean {
  return Date.parse(status.created_at ?? "") < time;
}

function hasMedia(status: Status, mediaIds: readonly string[]): boolean {
  const ids = new Set(status.media_attachments?.map((media) => media.id));
  return mediaIds.every((id) => ids.has(id));
}

function isTextOfThisApp(status: Status, job: Job): boolean {
  return (
    (status.media_attachments ?? []).length === 0 &&
    status.application?.name === parseExtra(job.account.extra)?.clientName
  );
}

/** Without a text, the content warning becomes the text. */
function isSameText(source: StatusSource, job: Job): boolean {
  const option = job.options["spoiler_text"];
  const spoilerText = typeof option === "string" ? option.trim() : "";
  const [text, spoiler] = job.caption.trim() === "" ? [spoilerText, ""] : [job.caption, spoilerText];
  return (
    comparableStatusText(source.text) === comparableStatusText(text) &&
    comparableStatusText(source.spoiler_text ?? "") === comparableStatusText(spoiler)
  );
}
