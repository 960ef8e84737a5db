import type { DetailCode } from "#core/codes.ts";
import type { Refusal, RefusalDetail } from "#core/errors.ts";
import { fieldInWords, messageInWords, type Words } from "./field-words.ts";
import { formatBytes } from "./media-labels.ts";
import { toSentence } from "./sentence.ts";

interface ProblemWords extends RefusalDetail {
  /** The problem's own message. It names form fields and times as the person sees them. */
  readonly said: string;
  readonly field: string;
}

type Sentence = (problem: ProblemWords) => string;

/** Uses the problem's own message, because the module that found the problem knows the details. */
const said: Sentence = (problem) => problem.said;

/** A sentence that compares two sizes. If rounding would make them look equal, both are written in bytes. */
function sizeSentence(bound: "at least" | "at most"): Sentence {
  return ({ said: text, field, limit, actual }) => {
    if (typeof limit !== "number" || typeof actual !== "number") {
      return text;
    }
    const isClose = formatBytes(limit) === formatBytes(actual);
    const [allowed, found] = [limit, actual].map((bytes) => (isClose ? `${bytes} bytes` : formatBytes(bytes)));
    return `${field} has ${found}; ${bound} ${allowed} are accepted`;
  };
}

/** The sentence that a person reads for each problem. The compiler requires an entry for every code. */
const SENTENCES = {
  required: said,
  wrong_type: said,
  invalid_value: said,
  invalid_format: said,
  out_of_range: said,
  repeated: said,
  unknown_argument: said,
  invalid_characters: said,
  too_deep: said,
  csv_header_invalid: said,
  csv_row_invalid: said,
  exclusive_fields: ({ param, said }) =>
    param?.endsWith(".cover") ? "a cover is a moment of the video or a picture: choose one of the two" : said,
  no_changes: said,
  account_ambiguous: said,
  account_limit_reached: said,
  account_needs_reconnect: said,
  account_not_eligible: said,
  account_not_found: said,
  account_not_on_post: said,
  duplicate_account: said,
  duplicate_post: said,
  platform_not_configured: said,
  targets_required: () => "choose at least one account",
  targets_fixed: said,
  target_closed: said,
  already_published: said,
  nothing_to_retry: said,
  post_not_found: said,
  invalid_state: said,
  plan_too_large: said,
  post_changed: () => "the post was changed after the preview",
  scheduled_at_required: () => "choose a new time: what failed can only be tried again then",
  slot_taken: () => "another post took this slot after the preview",
  no_free_slot: said,
  scheduled_at_in_past: said,
  scheduled_at_too_far: said,
  local_time_does_not_exist: said,
  offset_disagrees: said,
  daily_cap_reached: said,
  post_type_mismatch: said,
  caption_required: said,
  caption_too_long: said,
  caption_invalid: said,
  too_many_cashtags: said,
  too_many_hashtags: said,
  too_many_links: said,
  too_many_mentions: said,
  option_required: ({ field }) => `${field} is missing: fill it in`,
  option_invalid: said,
  option_conflict: said,
  option_not_allowed: said,
  option_unknown: said,
  option_not_available: said,
  missing_scope: said,
  board_not_found: () => "the account no longer has the chosen board: choose another one",
  thread_equal_parts: said,
  part_already_published: said,
  cover_invalid: said,
  alt_text_too_long: ({ field, limit, actual }) => `${field} has ${actual} characters; at most ${limit} are accepted`,
  media_required: said,
  media_mixed: said,
  media_too_many: said,
  import_first: said,
  media_not_found: said,
  media_not_ready: said,
  media_type_mismatch: said,
  media_type_unsupported: said,
  media_malformed: said,
  media_truncated: said,
  media_suspicious: said,
  media_empty: said,
  media_too_large: sizeSentence("at most"),
  media_too_small: sizeSentence("at least"),
  media_dimensions: said,
  media_aspect_ratio: said,
  fit_unavailable: said,
  media_duration: said,
  media_frame_rate: said,
  media_frames: said,
  media_codec: said,
  filename_invalid: said,
  size_mismatch: said,
  part_missing: said,
  storage_limit_reached: said,
  quota_exceeded: said,
  url_invalid: said,
  url_too_long: said,
  url_not_https: said,
  url_has_port: said,
  url_has_credentials: said,
  url_not_public: said,
  name_not_found: said,
  source_unreachable: said,
  source_refused: said,
  source_broke_off: said,
  too_many_redirects: said,
} as const satisfies Record<DetailCode, Sentence>;

export function problemInWords(problem: RefusalDetail, words: Words): string {
  const sentence: Sentence = SENTENCES[problem.code];
  const field = fieldInWords(problem.param ?? "", words.specs);
  return toSentence(sentence({ ...problem, field, said: messageInWords(problem, words) }));
}

/** Every problem of a refusal as a sentence. A refusal without problems has only its own message. */
export function refusalInWords({ message, details = [] }: Refusal, words: Words): readonly string[] {
  return details.length === 0 ? [toSentence(message)] : details.map((detail) => problemInWords(detail, words));
}
