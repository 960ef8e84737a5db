import type { Services } from "#context.ts";
import type { WarningCode } from "#core/codes.ts";
import type { Platform } from "#core/platform.ts";
import type { ValidationWarning } from "#platforms/contract.ts";
import type { PlannedTime } from "#planning/index.ts";
import { type Display, formatTime } from "./display.ts";
import { messageInWords, type Words, wordsFor } from "./field-words.ts";
import { toSentence } from "./sentence.ts";

interface WarningWords {
  /** The warning's own message. It names form fields and times as the person sees them. */
  readonly said: string;
  /** Until when the person must confirm. Undefined if the page has no button for it. */
  readonly deadline: string | undefined;
}

type Sentence = (warning: WarningWords) => string;

/** Uses the warning's own message, because the module that warns knows the details. */
const said: Sentence = (warning) => warning.said;

/** The sentence that a person reads for each warning. The compiler requires an entry for every code. */
const SENTENCES = {
  account_disconnected: said,
  account_needs_reconnect: said,
  account_not_eligible: said,
  missing_scope: said,
  platform_without_account: said,
  due_soon: (warning) => warning.deadline ?? warning.said,
  local_time_ambiguous: said,
  duplicate_text: said,
  caption_near_limit: said,
  caption_may_be_cut: said,
  caption_lost: said,
  caption_ignored: said,
  many_hashtags: said,
  many_mentions: said,
  one_topic: said,
  link_may_be_refused: said,
  url_costs_more: said,
  quote_becomes_link: said,
  quote_may_become_link: said,
  unknown_member: said,
  option_unknown: said,
  option_ignored: said,
  option_not_allowed: said,
  draft_unfinished: said,
  may_become_draft: said,
  short_over_a_minute: said,
  cover_ignored: said,
  cover_rounded: said,
  alt_text_ignored: said,
  alt_text_missing: said,
  media_aspect_ratio: said,
  media_cropped: said,
  media_duration: said,
  media_layout: said,
  media_near_limit: said,
  media_scaled: said,
  media_small: said,
  media_type_uncertain: said,
} as const satisfies Record<WarningCode, Sentence>;

/** Whether the warning names the time until which the person must confirm. */
export function isDueSoon({ code }: Pick<ValidationWarning, "code">): boolean {
  return code === "due_soon";
}

/** Says until when a post that is due within minutes must be confirmed. `button` is the label of the confirm button. */
export function deadlineInWords(button: string, scheduledAt: number, display: Display): string {
  return `Press ${button} before ${formatTime(display, scheduledAt)}.`;
}

export function warningInWords(warning: ValidationWarning, words: Words, deadline?: string): string {
  const sentence: Sentence = SENTENCES[warning.code];
  return toSentence(sentence({ said: messageInWords(warning, words), deadline }));
}

export function warningsInWords(
  services: Pick<Services, "adapterFor">,
  preview: {
    readonly scheduledAt: PlannedTime;
    readonly warnings: readonly ValidationWarning[];
    readonly targets: readonly { readonly platform: Platform; readonly warnings: readonly ValidationWarning[] }[];
  },
  { button, display }: { readonly button: string; readonly display: Display },
): readonly string[] {
  const words = wordsFor(services, display);
  const { scheduledAt } = preview;
  const deadline = scheduledAt === "now" ? undefined : deadlineInWords(button, scheduledAt, display);
  return [
    ...preview.warnings.map((warning) => warningInWords(warning, words, deadline)),
    ...preview.targets.flatMap(({ platform, warnings }) =>
      warnings.map((warning) => warningInWords(warning, wordsFor(services, display, platform))),
    ),
  ];
}
