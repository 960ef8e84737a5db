import { comparableText } from "#platforms/comparable-text.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { Job, SiblingTarget, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { bearerHeader, withQuery } from "#platforms/request-encoding.ts";
import { verifyAgainIn } from "#platforms/verify-again.ts";
import { matchByRow, searchSince, waitUntilListedMs } from "#platforms/verify-by-row.ts";
import { type ListedPin, PinList } from "./answers.ts";
import { pinnedOutcome, textFields } from "./commit.ts";
import { toFault } from "./errors.ts";
import { apiUrl, pinUrl } from "./hosts.ts";
import { boardIds } from "./options.ts";
import { parseProgress, CommitRef } from "./refs.ts";

/**
 * When (ms) to look for a pin. It counts as absent only after three checks, because it is not documented how soon
 * Pinterest lists a pin, and Pinterest detects no duplicates.
 */
const CHECKS_MS = [15 * SECOND, 75 * SECOND, 5 * MINUTE] as const;
const LAST_CHECK_MS = 5 * MINUTE;
const RETRY_SECONDS = 60;
/** How much (ms) the clocks of this service and of Pinterest may differ. */
const CLOCK_TOLERANCE_MS = MINUTE;
const PAGE_SIZE = 250;
const MAX_PAGES = 8;

/** Looks for the pin on the board of the last call. */
export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  if (ref === null) {
    return await verifyFromRow(client, job);
  }
  const commitRef = CommitRef.parse(ref);
  const [board] = commitRef.boards;
  if (board === undefined) {
    // No board is left, so no call was sent.
    return { state: "absent" };
  }
  const committedAt = job.committedAt ?? commitRef.sentAt ?? job.now;
  const elapsed = job.now - Math.max(job.lastCommittedAt ?? committedAt, commitRef.sentAt ?? 0);
  const nextCheckMs = CHECKS_MS.find((checkMs) => checkMs > elapsed);
  if (elapsed < CHECKS_MS[0]) {
    return verifyAgainIn(CHECKS_MS[0] - elapsed);
  }
  const since = Math.min(committedAt, commitRef.sentAt ?? committedAt) - CLOCK_TOLERANCE_MS;
  const listed = await listSince(client, job, board, since);
  if (!listed.ok) {
    return listed.outcome;
  }
  const knownPins = new Set(parseProgress(job.progress).pins.map(({ pin }) => pin));
  const match = listed.pins.findLast((pin) => !knownPins.has(pin.id) && isPublishedPin(pin, job, since));
  if (match) {
    return pinnedOutcome(job, commitRef, board, match.id);
  }
  if (nextCheckMs !== undefined) {
    return verifyAgainIn(nextCheckMs - elapsed);
  }
  // `committedAt` is the time of the first call. After a crash, only the recorded `sentAt` shows that the call was
  // repeated.
  const sentTwice =
    commitRef.sendCount > 1 || (commitRef.sentAt !== null && commitRef.sentAt - committedAt > LAST_CHECK_MS);
  // A pin that the list lacks may still exist, because it is not documented how soon Pinterest lists a new one.
  return job.account.app.settings["RESEND"] === "once" && !sentTwice
    ? { state: "absent" }
    : { state: "cannot_tell", detail: `board ${board} does not list the pin` };
}

/**
 * Looks for pins without a reference. It reads all boards without a recorded pin before it decides, because the lost
 * run may have used any of them.
 */
async function verifyFromRow(client: PlatformClient, job: Job): Promise<VerifyOutcome> {
  const waitMs = waitUntilListedMs(job, LAST_CHECK_MS);
  if (waitMs > 0) {
    return verifyAgainIn(waitMs);
  }
  const since = searchSince(job);
  const { pins: recorded } = parseProgress(job.progress);
  const boards = boardIds(job.options);
  const pins: string[] = [];
  for (const board of boards) {
    const known = recorded.find((entry) => entry.board === board);
    if (known) {
      pins.push(known.pin);
      continue;
    }
    const listed = await listSince(client, job, board, since);
    if (!listed.ok) {
      return listed.outcome;
    }
    const match = matchByRow(
      { ...job, siblings: job.siblings.map((sibling) => ({ ...sibling, remoteId: pinOnBoard(sibling, board) })) },
      listed.pins
        .filter((pin) => createdAt(pin) >= since)
        .map((pin) => ({ id: pin.id, url: pinUrl(pin.id), isMatch: isPublishedPin(pin, job, since) })),
    );
    if (match.state === "ambiguous") {
      return { state: "cannot_tell", detail: `board ${board}: ${match.detail}` };
    }
    if (match.state === "one") {
      pins.push(match.candidate.id);
    }
  }
  const [first] = pins;
  return first !== undefined && pins.length === boards.length
    ? { state: "published", remoteId: first, url: pinUrl(first) }
    : { state: "cannot_tell", detail: `the pin was found on ${pins.length} of ${boards.length} boards` };
}

function pinOnBoard({ remoteId, progress }: SiblingTarget, board: string): string | null {
  return parseProgress(progress).pins.find((entry) => entry.board === board)?.pin ?? remoteId;
}

type ListResult =
  | { readonly ok: true; readonly pins: readonly ListedPin[] }
  | { readonly ok: false; readonly outcome: VerifyOutcome };

/**
 * Lists the pins of a board, in practice newest first. An incomplete list is an error, because it never proves absence.
 */
async function listSince(client: PlatformClient, job: Job, board: string, since: number): Promise<ListResult> {
  const { app, accessToken } = job.account;
  const pins: ListedPin[] = [];
  let bookmark: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const url = withQuery(`${apiUrl(app)}/boards/${encodeURIComponent(board)}/pins`, {
      page_size: PAGE_SIZE,
      bookmark,
    });
    const response = await callPlatform(client, url, { headers: bearerHeader(accessToken) });
    const list = isOk(response) ? parseBody(PinList, response) : undefined;
    if (!list) {
      return {
        ok: false,
        outcome: unreadableOutcome(board, isOk(response) || response.status < 400 ? null : toFault(response, job)),
      };
    }
    pins.push(...list.items);
    if (!list.bookmark || (page > 0 && list.items.every((pin) => createdAt(pin) < since))) {
      return { ok: true, pins };
    }
    ({ bookmark } = list);
  }
  return pins.slice(-PAGE_SIZE).every((pin) => createdAt(pin) < since)
    ? { ok: true, pins }
    : { ok: false, outcome: verifyAgainIn(RETRY_SECONDS * SECOND) };
}

function unreadableOutcome(board: string, fault: ReturnType<typeof toFault> | null): VerifyOutcome {
  switch (fault?.kind) {
    case "reconnect":
      return { state: "refused", fault };
    case "rejected":
      return { state: "cannot_tell", detail: `board ${board} cannot be read: ${fault.message}` };
    default:
      return verifyAgainIn((fault?.retryAfterSeconds ?? RETRY_SECONDS) * SECOND);
  }
}

/** When (ms) a pin was created. Pinterest writes times in UTC without a zone. A pin without a time counts as new. */
function createdAt(pin: ListedPin): number {
  const text = pin.created_at ?? "";
  const createdAtMs = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isFinite(createdAtMs) ? createdAtMs : Number.POSITIVE_INFINITY;
}

function isPublishedPin(pin: ListedPin, job: Job, since: number): boolean {
  const fields = textFields(job);
  return (
    createdAt(pin) >= since &&
    pin.is_owner !== false &&
    comparableText(pin.title) === comparableText(fields.title) &&
    comparableText(pin.description) === comparableText(fields.description) &&
    normalizeLink(pin.link) === normalizeLink(fields.link)
  );
}

function normalizeLink(link: string | null | undefined): string {
  return (link && URL.parse(link)?.href) || comparableText(link);
}
