import type { TargetAccount } from "#accounts/index.ts";
import type { Services } from "#context.ts";
import { type JsonObject, type JsonValue, isJsonObject } from "#core/json.ts";
import { isTimeZone } from "#core/time-zone.ts";
import type { Draft } from "#drafts/index.ts";
import { annotationFormOf } from "./annotation-form.ts";
import { writeFieldlessOptions } from "./account-extras.ts";
import { EMPTY_FORM, type PostForm } from "./post-form.ts";
import { mediaTypesOf, storedOption } from "./read-options.ts";
import { optionTexts } from "./read-post-form.ts";
import { type TimeFields, timeFields } from "./read-time.ts";
import type { Display } from "#dashboard/wording/display.ts";
import { specsOf } from "#dashboard/wording/field-words.ts";
import type { OptionSpec } from "#platforms/option-specs.ts";
import { annotationFields, toAnnotations } from "#wire/schemas/annotations.ts";
import { parseInstant } from "#wire/instant.ts";
import { readLocalTime } from "#wire/local-time.ts";
import { objectsIn } from "./draft-content.ts";

/* Converts a draft into the composer's form. A draft may contain anything, so values that no field can show are left
   out. */

const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

const textsOf = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

const urlsOf = (of: JsonObject): readonly string[] => [
  ...objectsIn(of["media_items"]).map(({ url }) => textOf(url)),
  ...textsOf(of["media_urls"]),
];

/** The form's time fields for a draft, empty where it has none. The draft may have an instant, or only a day or only a time. */
export function timeOfDraft(content: JsonObject, { timeZone }: Display): TimeFields {
  const [text, zone] = [textOf(content["scheduled_at"]), textOf(content["time_zone"])];
  // A time that a clock change skips has no instant, so it stays as the draft has it.
  const reading = isTimeZone(zone) ? readLocalTime(text, zone) : null;
  const instant = reading && "instant" in reading ? reading.instant : parseInstant(text);
  if (instant !== undefined) {
    return timeFields(instant, timeZone);
  }
  const [, date = "", time = ""] = /^(\d{4}-\d{2}-\d{2})?(?:T(\d{2}:\d{2}))?/.exec(text) ?? [];
  return { date, time, fold: "" };
}

/** The draft's target for each account, from `targets`, or else from `account_ids` and `platforms`. */
function targetsOf(content: JsonObject, accounts: readonly TargetAccount[]): ReadonlyMap<string, JsonObject> {
  if (Array.isArray(content["targets"])) {
    return new Map(objectsIn(content["targets"]).map((target) => [textOf(target["account_id"]), target]));
  }
  const platforms = new Set<string>(textsOf(content["platforms"]));
  const named = accounts.filter(({ platform, status }) => status === "active" && platforms.has(platform));
  return new Map([...textsOf(content["account_ids"]), ...named.map(({ id }) => id)].map((id) => [id, {}]));
}

/** A target's own media as the form sends them. Undefined if the account publishes the post's media. */
function ownMediaOfTarget(target: JsonObject): string | undefined {
  if (!Array.isArray(target["media_items"]) && !Array.isArray(target["media_urls"])) {
    return undefined;
  }
  return JSON.stringify([
    ...objectsIn(target["media_items"]),
    ...textsOf(target["media_urls"]).map((url) => ({ url, type: mediaTypesOf([url])?.[0] ?? "image" })),
  ]);
}

function annotationsOf(content: JsonObject) {
  const read = Object.entries(annotationFields).map(([name, schema]) => {
    const { data } = schema.safeParse(content[name]);
    return [name, data] as const;
  });
  return annotationFormOf(toAnnotations(Object.fromEntries(read)));
}

/** The URLs of all media in a draft. The caller looks up which of them are stored. */
export function mediaUrlsOfDraft({ content }: Pick<Draft, "content">): readonly string[] {
  return urlsOf(content);
}

/** The composer's form for a draft, and how many of its accounts are no longer connected. */
export function formOfDraft(
  services: Pick<Services, "adapterFor">,
  { id, version, content }: Pick<Draft, "id" | "version" | "content">,
  {
    accounts,
    isStored,
    display,
  }: {
    readonly accounts: readonly TargetAccount[];
    readonly isStored: (url: string) => boolean;
    readonly display: Display;
  },
): { readonly form: PostForm; readonly missingAccounts: number } {
  const storedTargets = targetsOf(content, accounts);
  const targets = accounts.flatMap((account) => {
    const target = account.status === "active" ? storedTargets.get(account.id) : undefined;
    return target ? [{ account, target }] : [];
  });
  const urls = urlsOf(content);
  const items = objectsIn(content["media_items"]);
  const covers = items.flatMap(({ url, cover }) =>
    isJsonObject(cover)
      ? [
          [
            textOf(url),
            {
              url: textOf(cover["url"]),
              at: typeof cover["at_ms"] === "number" ? String(cover["at_ms"] / 1000) : "",
            },
          ] as const,
        ]
      : [],
  );
  const optionsOf = ({ target }: (typeof targets)[number]): JsonObject =>
    isJsonObject(target["platform_options"]) ? target["platform_options"] : {};
  const byAccount = <T>(read: (target: (typeof targets)[number]) => T | undefined): ReadonlyMap<string, T> =>
    new Map(
      targets.flatMap((target) => {
        const value = read(target);
        return value === undefined ? [] : [[target.account.id, value] as const];
      }),
    );
  return {
    form: {
      ...EMPTY_FORM,
      caption: textOf(content["caption"]),
      ...timeOfDraft(content, display),
      slot: content["slot"] === "next" ? "next" : "",
      accountIds: targets.map(({ account }) => account.id),
      captions: byAccount((target) => textOf(target.target["caption"] ?? optionsOf(target)["caption"]) || undefined),
      options: byAccount((target) => {
        const own = ownMediaOfTarget(target.target);
        const types = mediaTypesOf(own === undefined ? urls : urlsOf(target.target));
        const options = optionsOf(target);
        // Some options need a choice by a person. If the draft has none, the form does not preselect one.
        const isShown = (spec: OptionSpec) =>
          spec.mustChoose === undefined || storedOption(options, spec) !== undefined;
        return optionTexts(services, target.account.platform, options, types, isShown);
      }),
      ownMedia: byAccount(({ target }) => ownMediaOfTarget(target)),
      fieldlessOptions: byAccount((target) =>
        writeFieldlessOptions({ platformOptions: optionsOf(target) }, specsOf(services, target.account.platform)),
      ),
      media: urls.filter(isStored),
      mediaUrls: urls.filter((url) => !isStored(url)).join("\n"),
      altTexts: new Map(
        items.map((item) => [textOf(item["url"]), textOf(item["alt_text"])] as const).filter(([, text]) => text !== ""),
      ),
      covers: new Map(covers),
      annotations: annotationsOf(content),
      draft: { id, version },
    },
    missingAccounts: storedTargets.size - targets.length,
  };
}
