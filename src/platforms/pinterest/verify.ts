import { MINUTE, SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { call, isOk, read } from "#platforms/answer.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { bearer, withQuery } from "#platforms/form.ts";
import { later } from "#platforms/later.ts";
import { type ListedPin, PinList } from "./answers.ts";
import { pinned, wordsOf } from "./commit.ts";
import { toFault } from "./errors.ts";
import { apiOf } from "./hosts.ts";
import { progressOf, Ref } from "./refs.ts";

/** Nobody documents how soon a new pin is listed, and Pinterest refuses no second one: three looks before it is denied. */
const LOOKS_MS = [15 * SECOND, 75 * SECOND, 5 * MINUTE] as const;
const LAST_LOOK_MS = 5 * MINUTE;
const LATER_SECONDS = 60;
/** Our clock against Pinterest's. */
const CLOCK_SLACK_MS = MINUTE;
const PER_PAGE = 250;
const MOST_PAGES = 8;

/** Is it on the board that the last call was about? */
export async function verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome> {
  const plan = Ref.parse(ref);
  const [board] = plan.boards;
  if (board === undefined) {
    // Without a board left nothing is sent, so nothing can have been lost.
    return { state: "absent" };
  }
  const committedAt = job.committedAt ?? plan.sentAt ?? job.now;
  const elapsed = job.now - Math.max(committedAt, plan.sentAt ?? 0);
  const upcoming = LOOKS_MS.find((look) => look > elapsed);
  if (elapsed < LOOKS_MS[0]) {
    return later(LOOKS_MS[0] - elapsed);
  }
  const since = Math.min(committedAt, plan.sentAt ?? committedAt) - CLOCK_SLACK_MS;
  const listed = await listSince(client, job, board, since);
  if (!listed.ok) {
    return listed.outcome;
  }
  const known = new Set(progressOf(job.progress).pins.map(({ pin }) => pin));
  const ours = listed.pins.findLast((pin) => !known.has(pin.id) && isOurs(pin, job, since));
  if (ours) {
    return pinned(job, plan, board, ours.id);
  }
  if (upcoming !== undefined) {
    return later(upcoming - elapsed);
  }
  // A repetition is looked for from the first call on, so its own journal is the only sign of it after a crash.
  const sentTwice = plan.sends > 1 || (plan.sentAt !== null && plan.sentAt - committedAt > LAST_LOOK_MS);
  return sentTwice || job.account.app.settings["RESEND"] === "never"
    ? { state: "cannot_tell", detail: `board ${board} does not list the pin` }
    : { state: "absent" };
}

type Listed =
  | { readonly ok: true; readonly pins: readonly ListedPin[] }
  | { readonly ok: false; readonly outcome: VerifyOutcome };

/** Pins of the board, newest first in practice; half a list would deny what is there. */
async function listSince(client: PlatformClient, job: Job, board: string, since: number): Promise<Listed> {
  const { app, accessToken } = job.account;
  const pins: ListedPin[] = [];
  let bookmark: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const url = withQuery(`${apiOf(app)}/boards/${encodeURIComponent(board)}/pins`, { page_size: PER_PAGE, bookmark });
    const answer = await call(client, url, { headers: bearer(accessToken) });
    const list = isOk(answer) ? read(PinList, answer) : undefined;
    if (!list) {
      return { ok: false, outcome: unread(board, isOk(answer) || answer.status < 400 ? null : toFault(answer, job)) };
    }
    pins.push(...list.items);
    if (!list.bookmark || (page > 0 && list.items.every((pin) => createdAt(pin) < since))) {
      return { ok: true, pins };
    }
    ({ bookmark } = list);
  }
  return pins.slice(-PER_PAGE).every((pin) => createdAt(pin) < since)
    ? { ok: true, pins }
    : { ok: false, outcome: later(LATER_SECONDS * SECOND) };
}

function unread(board: string, fault: ReturnType<typeof toFault> | null): VerifyOutcome {
  switch (fault?.kind) {
    case "reconnect":
      return { state: "refused", fault };
    case "rejected":
      return { state: "cannot_tell", detail: `board ${board} cannot be read: ${fault.message}` };
    default:
      return later((fault?.retryAfterSeconds ?? LATER_SECONDS) * SECOND);
  }
}

/** Written without a zone, and meant as UTC; a pin that does not say is taken for a new one. */
function createdAt(pin: ListedPin): number {
  const text = pin.created_at ?? "";
  const at = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isFinite(at) ? at : Number.POSITIVE_INFINITY;
}

function isOurs(pin: ListedPin, job: Job, since: number): boolean {
  const words = wordsOf(job);
  return (
    createdAt(pin) >= since &&
    pin.is_owner !== false &&
    plain(pin.title) === plain(words.title) &&
    plain(pin.description) === plain(words.description) &&
    plainLink(pin.link) === plainLink(words.link)
  );
}

function plain(text: string | null | undefined): string {
  return (text ?? "").normalize("NFC").replace(/\s+/g, " ").trim();
}

function plainLink(link: string | null | undefined): string {
  return (link && URL.parse(link)?.href) || plain(link);
}
