import type { Services } from "#context.ts";
import type { JsonObject } from "#core/json.ts";
import { parseDate, parseTimeOfDay } from "#core/wall-time.ts";
import type { Display } from "#dashboard/wording/display.ts";
import { ownMediaOf, storedOwnMedia } from "./account-extras.ts";
import type { FormProblem } from "./form-problems.ts";
import { mediaInputOf, type PostForm } from "./post-form.ts";
import { type AccountPlatforms, toScheduleInput } from "./read-post-form.ts";
import type { ComposerData, PlannedTime } from "#planning/index.ts";
import { presentPlannedTime } from "#wire/schemas/scheduled-at.ts";
import { annotationMembers, objectsIn, orNull } from "./draft-content.ts";

/**
 * The time members of a draft. A day without a time, a time without a day, and a time that a clock change skips or
 * repeats stay as typed. A draft for `now` keeps it until the person chooses a time, because the form has no field for
 * it.
 */
function timeMembers(
  { date, time }: PostForm,
  instant: PlannedTime | null,
  { timeZone }: Display,
  before: JsonObject,
): JsonObject {
  if (instant !== null) {
    return { scheduled_at: presentPlannedTime(instant), time_zone: null };
  }
  if (date === "" && time === "" && before["scheduled_at"] === "now") {
    return {};
  }
  const parts = [...(parseDate(date) === null ? [] : [date]), ...(parseTimeOfDay(time) === null ? [] : [`T${time}`])];
  return parts.length === 0
    ? { scheduled_at: null, time_zone: null }
    : { scheduled_at: parts.join(""), time_zone: timeZone };
}

/** The media members of a draft. For an address, the form has no fields, so the draft keeps what it says about it. */
function mediaMembers(form: PostForm, media: ComposerData["media"], before: JsonObject): JsonObject {
  const { mediaItems = [], mediaUrls = [] } = mediaInputOf(form);
  const kept = new Map(objectsIn(before["media_items"]).map((item) => [item["url"], item]));
  const items = mediaItems.map(({ url, altText, cover }): JsonObject => {
    const type = media.get(url)?.type ?? kept.get(url)?.["type"];
    return {
      url,
      ...(type !== undefined && { type }),
      ...(altText !== undefined && { alt_text: altText }),
      ...(cover && {
        cover: {
          ...(cover.url !== undefined && { url: cover.url }),
          ...(cover.atMs !== undefined && { at_ms: cover.atMs }),
        },
      }),
    };
  });
  return {
    media_items: orNull([...items, ...mediaUrls.flatMap((url) => kept.get(url) ?? [])]),
    media_urls: orNull(mediaUrls.filter((url) => !kept.has(url))),
  };
}

/**
 * The changes that a form makes to a draft. `problems` concern fields whose typed value no draft member can hold; other
 * missing or invalid values are allowed in a draft.
 */
export function contentOfForm(
  services: Pick<Services, "adapterFor">,
  form: PostForm,
  { platforms, media, display }: { platforms: AccountPlatforms; media: ComposerData["media"]; display: Display },
  before: JsonObject,
): { readonly content: JsonObject; readonly problems: readonly FormProblem[] } {
  const { input, problems } = toScheduleInput(services, form, platforms, display);
  const targets = (input.targets ?? []).map(({ accountId, caption, platformOptions }): JsonObject => {
    const ownMedia = ownMediaOf(form, accountId) && storedOwnMedia(form, accountId);
    return {
      account_id: accountId,
      ...(caption && { caption }),
      ...(platformOptions && { platform_options: platformOptions }),
      ...(ownMedia && { media_items: ownMedia.map((item): JsonObject => ({ ...item })) }),
    };
  });
  return {
    content: {
      caption: form.caption === "" ? null : form.caption,
      ...timeMembers(form, input.scheduledAt || null, display, before),
      slot: input.slot ?? null,
      targets: orNull(targets),
      // Remove `account_ids`, because `targets` now names the accounts.
      account_ids: null,
      platforms: null,
      ...mediaMembers(form, media, before),
      ...(input.annotations && annotationMembers(input.annotations)),
    },
    problems: problems.filter(({ field }) => field in form.annotations || field.startsWith("cover_at.")),
  };
}
