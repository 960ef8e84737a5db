import { oneLine, quoted } from "./quoted.ts";
import type { TimeWarning } from "#wire/local-time.ts";
import type { EditPreview, SchedulePreview } from "#wire/schemas/preview.ts";
import { mediaLine } from "./media-line.ts";
import { annotationLines, jsonText, ownMediaLines, when } from "./post.ts";
import { threadLines, withoutThread } from "./thread.ts";

const CAPTION_MAX = 2500;

interface Confirmation {
  readonly confirmation_token: string;
  readonly expires_at: string;
}

/** The last lines of a preview's description: the token, and what it is for. */
function tokenLines(timeZone: string, { confirmation_token: token, expires_at: expiresAt }: Confirmation): string[] {
  return [
    `confirmation_token: ${token}`,
    `Nothing is written yet. Show this to the person; when they agree, call confirm_preview with the token before ${when(timeZone, expiresAt).replace(/^.*, /, "")}.`,
  ];
}

function warningLines(warnings: readonly { readonly code: string; readonly message: string }[], of = ""): string[] {
  return warnings.map(({ code, message }) => `- warning${of}: ${oneLine(message, 400)} [${code}]`);
}

function partLines({ platform_options: options, ...target }: SchedulePreview["targets"][number]): string[] {
  return threadLines(options, (index) => [`${target.part_lengths?.[index] ?? 0} of ${target.caption_limit}`]);
}

function targetLines(preview: SchedulePreview): string[] {
  return preview.targets.flatMap((target) => {
    const options = jsonText(withoutThread(target.platform_options));
    const cost = target.cost === null ? "" : `; costs the operator ${target.cost.amount_usd} USD`;
    return [
      `- ${target.platform} ${quoted(target.username)} (account ${target.account_id}): ${target.effective_caption === preview.caption ? "the caption" : quoted(target.effective_caption, CAPTION_MAX)}, ${target.caption_length} of ${target.caption_limit} ${target.caption_unit}${options === "{}" ? "" : `; options ${options}`}${cost}`,
      ...ownMediaLines(target.media_items),
      ...partLines(target),
      ...warningLines(target.warnings, ` for ${target.platform} ${quoted(target.username)}`),
    ];
  });
}

function contentLines(preview: SchedulePreview, warnings: readonly TimeWarning[]): string[] {
  return [
    `Caption: ${quoted(preview.caption, CAPTION_MAX)}`,
    "On:",
    ...targetLines(preview),
    ...(preview.media_items.length === 0 ? [] : ["Media:", ...preview.media_items.map(mediaLine)]),
    ...annotationLines(preview),
    ...warningLines([...preview.warnings, ...warnings]),
  ];
}

/** The time of a previewed post, in words and as the API writes it. */
function plannedTime(timeZone: string, time: string): string {
  return time === "now" ? "now, which is the time of the confirm" : `${when(timeZone, time)}, ${time}`;
}

export function describeSchedulePreview(
  timeZone: string,
  preview: SchedulePreview,
  confirmation: Confirmation,
  warnings: readonly TimeWarning[],
): string {
  return [
    `Preview of a new ${preview.post_type} post for ${plannedTime(timeZone, preview.scheduled_at)}.`,
    ...contentLines(preview, warnings),
    ...tokenLines(timeZone, confirmation),
  ].join("\n");
}

/** Writes a changed value as the API does. A time is also written in the person's zone. */
function valueText(timeZone: string, field: string, value: unknown): string {
  if (field === "scheduled_at" && typeof value === "string") {
    return value === "now" ? value : when(timeZone, value);
  }
  return typeof value === "string" ? quoted(value, CAPTION_MAX) : jsonText(value);
}

export function describeEditPreview(
  timeZone: string,
  preview: EditPreview,
  confirmation: Confirmation,
  warnings: readonly TimeWarning[],
): string {
  const posts = preview.posts.flatMap(({ id, changes, after }) => [
    `Post ${id}, ${changes.length === 0 ? "nothing changes" : `${changes.length} changes`}; afterwards ${plannedTime(timeZone, after.scheduled_at)}:`,
    ...changes.map(
      ({ field, account_id: accountId, from, to }) =>
        `- ${field}${accountId === undefined ? "" : ` of account ${accountId}`}: from ${valueText(timeZone, field, from)} to ${valueText(timeZone, field, to)}`,
    ),
    ...contentLines(after, []),
  ]);
  return [
    `Preview of an edit of ${preview.posts.length === 1 ? "one post" : `${preview.posts.length} posts`}.`,
    ...posts,
    ...warningLines(warnings),
    ...tokenLines(timeZone, confirmation),
  ].join("\n");
}
