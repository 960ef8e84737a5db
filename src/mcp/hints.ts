import type { Account } from "#accounts/index.ts";
import { DAY } from "#core/clock.ts";
import { DETAILS, type DetailCode, REFUSALS, type RefusalCode } from "#core/codes.ts";
import type { Refusal, RefusalDetail } from "#core/errors.ts";
import { platformCalled } from "#core/platform.ts";
import { wallTimeAt } from "#core/wall-time.ts";
import { wallText } from "#wire/local-time.ts";
import { timeInWords } from "./describe/local-time.ts";
import { quoted } from "./describe/quoted.ts";

/** How a refusal names an option if its account was not in a list of targets. */
const UNPLACED = "targets[].";

export interface HintFacts {
  readonly now: number;
  readonly timeZone: string;
  /** The connected accounts, which hints can name. Null if the credential may not read them. */
  readonly accounts: readonly Account[] | null;
  /** The argument's value that the problem is about. */
  readonly given: unknown;
}

type Hint = (problem: RefusalDetail, facts: HintFacts) => string;

const clockHint: Hint = (_problem, { now, timeZone }) => `it is now ${timeInWords(timeZone, now)}`;

const accountsHint: Hint = (_problem, { accounts }) => {
  if (accounts === null) {
    return "this credential may not read the accounts: ask the person for their ids";
  }
  const usable = accounts.filter(({ status }) => status === "active");
  return usable.length === 0
    ? "no account can be posted to: connect_account gives an address for the person"
    : `choose from ${usable.map(({ id, platform, username }) => `${id} (${platform} ${quoted(username)})`).join(", ")}`;
};

const reconnectHint: Hint = (problem, facts) =>
  `connect_account gives an address for the person to log in again; until then ${accountsHint(problem, facts)}`;

/** Shows an example time that a model can copy. */
const timeHint: Hint = ({ param }, { now, timeZone }) =>
  param === "scheduled_at"
    ? `write it like ${wallText(wallTimeAt(timeZone, now + DAY))}, on the clock of time_zone`
    : "";

const valueHint: Hint = (_problem, { given }) => {
  const meant = typeof given === "string" ? platformCalled(given) : undefined;
  return meant === undefined ? "" : `${quoted(given as string)} is called ${meant} here`;
};

const rulesHint: Hint = ({ platform }) =>
  platform === undefined ? "" : `get_platform_rules with platform ${platform} tells all options`;

const boardsHint: Hint = ({ platform }) => (platform === undefined ? "" : `list_${platform}_boards tells the ids`);

/** Problems whose numbers say nothing about a value of the caller, so that no hint names a limit. */
const WITHOUT_LIMIT: ReadonlySet<DetailCode> = new Set(["media_required", "source_refused"]);

const limitHint: Hint = ({ code, limit, actual, message }) => {
  if (WITHOUT_LIMIT.has(code)) {
    return "";
  }
  const texts = [
    ...(limit !== undefined && !message.includes(String(limit)) ? [`the limit is ${limit}`] : []),
    ...(actual !== undefined && !message.includes(String(actual)) ? [`it is ${actual}`] : []),
  ];
  return texts.join(", ");
};

/**
 * Says where options belong. They belong to an account, so a call with `account_ids` or `platforms` has no place for
 * them.
 */
const placeHint = ({ param, accountId }: RefusalDetail): string =>
  param?.startsWith(UNPLACED) === true
    ? `send it in targets with account_id ${accountId}, instead of account_ids or platforms (in an edit: in target_options)`
    : "";

/** Shows an example slot that a model can copy. */
const slotHint = ({ code, param }: RefusalDetail): string =>
  param?.startsWith("slots") === true && code !== "unknown_argument"
    ? 'write a slot as { "weekday": 0, "time": "09:30" }, where 0 is Monday and 6 is Sunday'
    : "";

const MEDIA_ADDRESS = "import_media or media_urls with a public https address, or create_upload for a file";

const ENOUGH_SAID: Hint = () => "";

/**
 * The next step for each problem, by code, for a caller who has only these tools. The API's sentences name API calls
 * instead.
 */
const HINTS: Partial<Record<DetailCode, Hint>> = {
  required: timeHint,
  wrong_type: (problem, facts) =>
    typeof facts.given === "string" && /^\s*[[{]/.test(facts.given)
      ? "send the value itself, not as a text of JSON"
      : timeHint(problem, facts),
  invalid_value: valueHint,
  invalid_format: (_problem, { given }) =>
    typeof given === "string" && given.startsWith("@") ? "that is a name: list_accounts tells the ids" : "",
  out_of_range: ENOUGH_SAID,
  exclusive_fields: ENOUGH_SAID,
  local_time_does_not_exist: ENOUGH_SAID,
  offset_disagrees: ENOUGH_SAID,
  account_needs_reconnect: reconnectHint,
  account_not_found: accountsHint,
  account_not_on_post: () => "get_post tells the accounts of the post; add one with targets or account_ids",
  board_not_found: boardsHint,
  media_not_found: () => MEDIA_ADDRESS,
  media_not_ready: () => "send the file to the address that create_upload gave, then preview again",
  media_required: () => MEDIA_ADDRESS,
  no_changes: () => "send what is to be different",
  nothing_to_retry: () => "get_post with with_attempts tells what happened",
  option_conflict: rulesHint,
  option_invalid: rulesHint,
  option_not_allowed: rulesHint,
  option_unknown: rulesHint,
  option_required: (problem, facts) =>
    [problem.param?.includes("board") === true ? boardsHint(problem, facts) : "", rulesHint(problem, facts)]
      .filter((hint) => hint !== "")
      .join("; "),
  platform_not_configured: () => "leave it out; only the operator of this service can change that",
  post_not_found: () => "list_posts tells the ids",
  scheduled_at_in_past: clockHint,
  scheduled_at_required: clockHint,
  no_free_slot: () => "get_slots tells the slots, and set_slots sets them",
  scheduled_at_too_far: clockHint,
  targets_required: accountsHint,
};

const NEED_ACCOUNTS: ReadonlySet<DetailCode> = new Set([
  "account_needs_reconnect",
  "account_not_found",
  "targets_required",
]);

export function needsAccounts(problems: readonly RefusalDetail[]): boolean {
  return problems.some(({ code }) => NEED_ACCOUNTS.has(code));
}

/** Says on one line what to do about a problem. Empty if the problem's own sentence says it. */
export function adviceFor(problem: RefusalDetail, facts: HintFacts): string {
  const general = DETAILS[problem.code];
  // Leave out a general sentence that only points to the message.
  const fallback = general.includes("`message`") ? "" : general.charAt(0).toLowerCase() + general.slice(1, -1);
  const hint = HINTS[problem.code]?.(problem, facts) ?? fallback;
  return [limitHint(problem, facts), placeHint(problem), slotHint(problem), hint]
    .filter((text) => text !== "")
    .join("; ");
}

/** Next steps for callers of tools, where they differ from those for callers of the API. */
const NEXT_STEPS: Partial<Record<RefusalCode, string>> = {
  invalid_request: "Correct the arguments.",
  validation_failed: "Correct all of it in one new call; nothing was written.",
  confirmation_required: "Ask the person, then call again with confirm: true.",
  post_changed: "get_post shows them as they are now: preview the edit again.",
  invalid_state: "get_post or list_accounts shows the state now.",
  approval_required:
    "Give the person this address and stop. When they say that they decided, call confirm_preview again with the same token.",
  draft_changed: "read_drafts with its draft_id shows it as it is now: make your change again with that version.",
  approval_declined: "Ask the person what should be different, then preview again.",
  approval_stale: "Correct this and preview again.",
  too_many_approvals: "Ask the person to decide what is waiting; get_overview lists it.",
  insufficient_scope: "Ask the person to connect this app again with the scope, or for a key that has it.",
  quota_exceeded: "Ask the person: something has to be removed, or the plan enlarged.",
  not_found: "list_posts, read_drafts, list_accounts and get_overview tell the ids.",
  rate_limited: "Wait, then send the same call again.",
};

export function nextStepFor({ code }: Pick<Refusal, "code">): string {
  return NEXT_STEPS[code] ?? REFUSALS[code];
}
