import type { Job, PlatformClient } from "#platforms/contract.ts";
import { withQuery } from "#platforms/request-encoding.ts";
import { type PlatformResponse, isOk, parseBody } from "#platforms/response.ts";
import type { ListedCandidate } from "#platforms/verify-by-row.ts";
import { type Status, StatusList, StatusSource } from "./answers.ts";
import { type Server, callServer, parseExtra, serverUrl, toServerAccountId } from "./api.ts";
import { statusUrl } from "./commit.ts";
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
  const found = await filterByText(
    client,
    job,
    server,
    listed.statuses.filter((status) => isOfThisApp(status, job) && (status.media_attachments ?? []).length === 0),
  );
  if (!found.ok) {
    return { state: "unreadable", response: found.response };
  }
  const [status, ...others] = found.statuses;
  return status ? (others.length > 0 ? { state: "several" } : { state: "one", status }) : { state: "none" };
}

type ContentList =
  | { readonly state: "listed"; readonly candidates: readonly ListedCandidate[] }
  | { readonly state: "unreadable"; readonly response: PlatformResponse | null };

/** Every post of the account since then; a match was sent by this app with the same texts and the same kinds of media. */
export async function listByContent(
  client: PlatformClient,
  job: Job,
  server: Server,
  since: number,
): Promise<ContentList> {
  const listed = await listSince(client, job, server, since);
  const found = listed.ok
    ? await filterByText(
        client,
        job,
        server,
        listed.statuses.filter((status) => isOfThisApp(status, job) && hasSameKindsOfMedia(status, job)),
      )
    : listed;
  if (!listed.ok || !found.ok) {
    return { state: "unreadable", response: found.ok ? null : found.response };
  }
  return {
    state: "listed",
    candidates: listed.statuses.map((status) => ({
      id: status.id,
      url: statusUrl(status),
      isMatch: found.statuses.includes(status),
    })),
  };
}

/** Those whose source has the same texts. */
async function filterByText(
  client: PlatformClient,
  job: Job,
  server: Server,
  statuses: readonly Status[],
): Promise<ListResult> {
  const matches: Status[] = [];
  for (const status of statuses) {
    const response = await callServer(client, server, `/api/v1/statuses/${encodeURIComponent(status.id)}/source`);
    const source = isOk(response) ? parseBody(StatusSource, response) : undefined;
    // 404: deleted since it was listed.
    if (!source && response.status !== 404) {
      return { ok: false, response };
    }
    if (source && isSameText(source, job)) {
      matches.push(status);
    }
  }
  return { ok: true, statuses: matches };
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

function isOfThisApp(status: Status, job: Job): boolean {
  return status.application?.name === parseExtra(job.account.extra)?.clientName;
}

/** A server may turn a video without sound into `gifv`, and has not named the kind of a file that it still processes. */
function hasSameKindsOfMedia(status: Status, job: Job): boolean {
  const listed = status.media_attachments ?? [];
  return (
    listed.length === job.media.length &&
    listed.every(({ type }, index) => {
      const isImage = job.media[index]?.type === "image";
      return type === "image" ? isImage : type === "video" ? !isImage : true;
    })
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
