import type { Services } from "#context.ts";
import { canonicalJson, type JsonObject, type JsonValue } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import { parseDate, startOfDate } from "#core/wall-time.ts";
import type { Display } from "#dashboard/wording/display.ts";
import { annotationFormOf, parseAnnotationForm } from "./annotation-form.ts";
import { specsOf } from "#dashboard/wording/field-words.ts";
import type { OptionSwitch } from "#platforms/contract.ts";
import type { OptionSpec } from "#platforms/option-specs.ts";
import {
  type EditInput,
  ownMediaItems,
  type PlannedTime,
  type ScheduleInput,
  type TargetInput,
} from "#planning/index.ts";
import { type Post, type Target } from "#posts/index.ts";
import {
  changesOwnMedia,
  fieldlessOptions,
  mediaTypesOfAccount,
  ownMediaOf,
  writeFieldlessOptions,
  writeOwnMedia,
} from "./account-extras.ts";
import type { FormProblem } from "./form-problems.ts";
import {
  coverAtField,
  coverAtMs,
  EMPTY_FORM,
  mediaInputOf,
  mediaUrlsOf,
  optionField,
  type PostForm,
} from "./post-form.ts";
import {
  effectiveOption,
  isAskedFor,
  type KnownMediaTypes,
  partMediaKey,
  partsWithMedia,
  readOption,
  storedOption,
  toOptions,
  writeOption,
  writePartMedia,
} from "./read-options.ts";
import { tagProblems } from "./read-tags.ts";
import { readTime, timeFields } from "./read-time.ts";

/**
 * The platforms of the accounts that a form can name. Options of other accounts are not read, and a preview refuses
 * these accounts.
 */
export type AccountPlatforms = ReadonlyMap<string, Platform>;

type FormServices = Pick<Services, "adapterFor">;

interface ReadForm<Input> {
  readonly input: Input;
  readonly problems: readonly FormProblem[];
}

/**
 * Converts the form into the input of a preview. If the form has no usable time, the time is null and a problem says
 * why.
 */
export function toScheduleInput(
  services: FormServices,
  form: PostForm,
  platforms: AccountPlatforms,
  display: Display,
): ReadForm<Omit<ScheduleInput, "scheduledAt"> & { readonly scheduledAt: PlannedTime | null }> {
  const { slot, time } = readSlotOrTime(form, display);
  const targets = form.accountIds.map((id) => readTarget(services, form, platforms, id));
  const noted = parseAnnotationForm(form.annotations);
  return {
    input: {
      caption: form.caption,
      annotations: noted.annotations,
      scheduledAt: time.instant,
      slot,
      targets: targets.map(({ target }) => target),
      ...mediaInputOf(form),
      ...(form.draft && { draft: form.draft }),
    },
    problems: [
      ...time.problems,
      ...coverFormProblems(form),
      ...targets.flatMap(({ problems }) => problems),
      ...noted.problems,
    ],
  };
}

/** The texts of an option's form field. A field that the form has not shown yet has its initial text. */
export function textsOfField(form: PostForm, accountId: string, { key, initial }: OptionSpec): readonly string[] {
  return form.options.get(accountId)?.get(key) ?? (initial === undefined ? [] : [initial]);
}

/**
 * Whether a checkbox that reveals options is on. If the form does not send it, it is on if a revealed option is set.
 */
export function isSwitchOn(form: PostForm, accountId: string, { key }: OptionSwitch, specs: readonly OptionSpec[]) {
  const answer = form.options.get(accountId)?.get(key)?.at(-1);
  return answer === undefined
    ? specs.some((spec) => spec.behind?.key === key && isChosen(spec, textsOfField(form, accountId, spec)))
    : answer === "true";
}

export function partMediaOf(form: PostForm, accountId: string, spec: OptionSpec): readonly string[] {
  return form.options.get(accountId)?.get(partMediaKey(spec)) ?? [];
}

function isChosen(spec: OptionSpec, texts: readonly string[]): boolean {
  return readOption(spec, texts) !== undefined;
}

/** The texts of an option's form field. Empty while the checkbox that reveals the option is off. */
function answersOf(form: PostForm, accountId: string, specs: readonly OptionSpec[]) {
  return (spec: OptionSpec): readonly string[] =>
    spec.behind && !isSwitchOn(form, accountId, spec.behind, specs) ? [] : textsOfField(form, accountId, spec);
}

/** Problems of a checkbox that reveals options: if it is on, one of these options must be chosen. */
function switchProblems(form: PostForm, accountId: string, specs: readonly OptionSpec[]): FormProblem[] {
  const switches = new Map(specs.flatMap(({ behind }) => (behind ? [[behind.key, behind] as const] : [])));
  return [...switches.values()]
    .filter((one) => isSwitchOn(form, accountId, one, specs))
    .filter(
      ({ key }) =>
        !specs.some((spec) => spec.behind?.key === key && isChosen(spec, textsOfField(form, accountId, spec))),
    )
    .map(({ key, unanswered }) => ({ field: optionField(accountId, key), message: unanswered }));
}

function readTarget(
  services: FormServices,
  form: PostForm,
  platforms: AccountPlatforms,
  accountId: string,
): { readonly target: TargetInput; readonly problems: readonly FormProblem[] } {
  const platform = platforms.get(accountId);
  const mediaTypes = mediaTypesOfAccount(form, accountId);
  const specs = specsOf(services, platform).filter((spec) => isAskedFor(spec, mediaTypes));
  const textsOf = answersOf(form, accountId, specs);
  const options = {
    ...fieldlessOptions(form, accountId),
    ...(platform === undefined && partsWithMedia(form.options.get(accountId) ?? new Map())),
    ...toOptions(specs, (spec) => readOption(spec, textsOf(spec), partMediaOf(form, accountId, spec))),
  };
  const caption = form.captions.get(accountId) ?? "";
  const ownMedia = ownMediaOf(form, accountId);
  return {
    target: {
      accountId,
      ...(caption !== "" && { caption }),
      ...(Object.keys(options).length > 0 && { platformOptions: options }),
      ...(ownMedia && { mediaItems: ownMedia }),
    },
    problems: [
      ...specs.flatMap((spec) => choiceProblem(spec, textsOf(spec), options, accountId)),
      ...specs
        .filter(({ input }) => input === "tags")
        .flatMap((spec) =>
          tagProblems(textsOf(spec).at(-1) ?? "").map((message) => ({
            field: optionField(accountId, spec.key),
            message,
          })),
        ),
      ...switchProblems(form, accountId, specs),
    ],
  };
}

/** The problem of an option that a person must choose, although the API has a default for it. */
function choiceProblem(
  spec: OptionSpec,
  texts: readonly string[] | undefined,
  options: JsonObject,
  accountId: string,
): FormProblem[] {
  return spec.mustChoose?.(options) === true && (texts?.at(-1) ?? "") === ""
    ? [{ field: optionField(accountId, spec.key), message: `${spec.label}: choose one.` }]
    : [];
}

export function isEditablePost(post: Pick<Post, "status" | "archived">): boolean {
  return post.archived !== true && (post.status === "scheduled" || post.status === "paused" || isRetry(post));
}

/** Whether an edit of this post would retry its failed targets at a new time. */
export function isRetry({ status }: Pick<Post, "status">): boolean {
  return status === "failed" || status === "partially_failed";
}

/**
 * Whether an edit can change a target. The edit of a failed post retries the failed targets and does not touch the
 * others.
 */
export function isEditableTarget(post: Pick<Post, "status">, { status }: Pick<Target, "status">): boolean {
  return isRetry(post) ? status === "failed" : status === "pending" || status === "skipped" || status === "processing";
}

const NOW = { slot: undefined, time: { instant: "now", problems: [] } } as const;

/**
 * Reads the time of the form. With `slot`, it is where the search for a free slot begins; otherwise it is the post's
 * time.
 */
function readSlotOrTime(form: PostForm, display: Display) {
  if (form.when === "now") {
    return NOW;
  }
  const slot = form.slot === "next" ? ("next" as const) : undefined;
  return { slot, time: slot !== undefined && form.time === "" ? fromDay(form, display) : readTime(form, display) };
}

/** Where the search for a free slot begins: at the start of the chosen day. Without a day it is 0, which means now. */
function fromDay({ date }: PostForm, { timeZone }: Display) {
  const day = parseDate(date);
  return { instant: day === null ? 0 : startOfDate(timeZone, day), problems: [] };
}

/** The edit that makes a stored post equal to the form. It contains only what differs. */
export function toEditInput(
  services: FormServices,
  form: PostForm,
  post: Post,
  platforms: AccountPlatforms,
  display: Display,
): ReadForm<EditInput> {
  const editable = new Map(
    post.targets.filter((target) => isEditableTarget(post, target)).map((target) => [target.accountId, target]),
  );
  const { slot, time } = readSlotOrTime(form, display);
  const isSameTime = form.when !== "now" && slot === undefined && sameMinute(form, post.scheduledAt, display);
  const hasMedia = mediaUrlsOf(form).length > 0;
  const isSameMedia =
    canonicalJson(
      mediaUrlsOf(form).map((url) => [url, form.altTexts.get(url) ?? "", coverTexts(form.covers.get(url))]),
    ) ===
    canonicalJson(
      post.mediaItems.map(({ url, altText = "", cover }) => [url, altText, coverTexts(coverFields(cover))]),
    );
  // Compare the accounts as sets, because the form lists them in another order.
  const isSameAccounts =
    form.accountIds.length === editable.size && form.accountIds.every((accountId) => editable.has(accountId));
  const changes = form.accountIds.map((accountId) => {
    const stored = editable.get(accountId);
    const read = readTarget(services, form, platforms, accountId);
    const target = stored ? targetChanges(services, form, post, stored) : read.target;
    return { target, problems: read.problems };
  });
  const targetOptions = changes
    .map(({ target }) => target)
    .filter(
      ({ caption, platformOptions, mediaItems }) =>
        caption !== undefined || platformOptions !== undefined || mediaItems !== undefined,
    );
  return {
    input: {
      postIds: [post.id],
      ...(form.caption !== post.caption && { caption: form.caption }),
      ...(!isSameTime && time.instant !== null && { scheduledAt: time.instant, slot }),
      ...(!isSameMedia && (hasMedia ? mediaInputOf(form) : { removeMedia: true })),
      ...(!isSameAccounts && { accountIds: form.accountIds }),
      ...(targetOptions.length > 0 && { targetOptions }),
    },
    problems: [
      ...(isSameTime ? [] : time.problems),
      ...coverFormProblems(form),
      ...changes.flatMap(({ problems }) => problems),
    ],
  };
}

function coverFormProblems(form: PostForm): FormProblem[] {
  return Array.from(form.covers)
    .filter(([, { at }]) => at !== "" && coverAtMs(at) === null)
    .map(([url]) => ({ field: coverAtField(url), message: "Give the moment in seconds, such as 1.5." }));
}

function coverFields(cover: Post["mediaItems"][number]["cover"]) {
  return cover && { url: cover.image?.url ?? "", at: cover.atMs === undefined ? "" : String(cover.atMs / 1000) };
}

function coverTexts(cover: { readonly url: string; readonly at: string } | undefined): readonly string[] {
  return [cover?.url ?? "", String(coverAtMs(cover?.at ?? "") ?? "")];
}

/**
 * Whether a form's time means the stored instant. The form shows minutes, so an unchanged minute keeps the seconds that
 * a program set.
 */
function sameMinute(form: PostForm, instant: number, { timeZone }: Display): boolean {
  const { date, time, fold } = timeFields(instant, timeZone);
  return form.date === date && form.time === time && form.fold === fold;
}

/** The caption, options and media of an account that differ from the stored ones. Null removes a value. */
function targetChanges(services: FormServices, form: PostForm, post: Post, stored: Target): TargetInput {
  const { accountId } = stored;
  const caption = form.captions.get(accountId) ?? "";
  const mediaTypes = mediaTypesOfAccount(form, accountId);
  const allSpecs = specsOf(services, stored.platform);
  const textsOf = answersOf(form, accountId, allSpecs);
  const specs = allSpecs.filter((spec) => isAskedFor(spec, mediaTypes));
  const partMedia = (spec: OptionSpec) => partMediaOf(form, accountId, spec);
  const changed = specs.filter((spec) => !isSameValue(spec, textsOf(spec), stored.platformOptions, partMedia(spec)));
  // Other media can remove an option's field from the form. Remove its value too, because the user no longer sees it.
  const typesBefore = storedTypes(post, stored);
  const dropped = allSpecs.filter(
    (spec) => isAskedFor(spec, typesBefore) && !specs.includes(spec) && !isSameValue(spec, [], stored.platformOptions),
  );
  const changedNames = new Set([...changed, ...dropped].map(nameOf));
  // The API replaces an option that is an object as a whole. If one member changes, send all of them.
  const ofChanged = specs.filter((spec) => changedNames.has(nameOf(spec)));
  const set = toOptions(ofChanged, (spec) => effectiveOption(spec, textsOf(spec), partMedia(spec)));
  const removed = [...changedNames].filter((name) => set[name] === undefined);
  const platformOptions = { ...set, ...Object.fromEntries(removed.map((name) => [name, null])) };
  return {
    accountId,
    ...(caption !== ownCaption(stored) && { caption: caption === "" ? null : caption }),
    ...(changedNames.size > 0 && { platformOptions }),
    ...(form.sharedMedia.has(accountId)
      ? ownMediaItems(stored) && { mediaItems: null }
      : changesOwnMedia(form, stored) && { mediaItems: ownMediaOf(form, accountId) }),
  };
}

/** The types of the media that an account publishes of a stored post. */
function storedTypes(post: Post, target: Target): KnownMediaTypes {
  return (ownMediaItems(target) ?? post.mediaItems).map(({ type }) => type);
}

function nameOf({ key }: OptionSpec): string {
  return key.split(".")[0] ?? key;
}

function isSameValue(
  spec: OptionSpec,
  texts: readonly string[] | undefined,
  stored: JsonObject,
  partMedia?: readonly string[],
): boolean {
  // Compare with the value as the form shows it, so that a value which the form cannot show does not count as changed.
  const value = storedOption(stored, spec);
  const before = effectiveOption(spec, writeOption(spec, value), writePartMedia(spec, value));
  return canonicalJson(orNull(effectiveOption(spec, texts, partMedia))) === canonicalJson(orNull(before));
}

function orNull(value: JsonValue | undefined): JsonValue {
  return value ?? null;
}

function ownCaption({ caption, platformOptions }: Target): string {
  const inOptions = platformOptions["caption"];
  return caption ?? (typeof inOptions === "string" ? inOptions : "");
}

/** The texts that form fields show for stored options. */
export function optionTexts(
  services: FormServices,
  platform: Platform,
  options: JsonObject,
  mediaTypes: KnownMediaTypes,
  isShown: (spec: OptionSpec) => boolean = () => true,
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    specsOf(services, platform)
      .filter((spec) => isAskedFor(spec, mediaTypes) && isShown(spec))
      .flatMap((spec) => {
        const value = storedOption(options, spec);
        return [
          [spec.key, writeOption(spec, value ?? spec.defaultValue)] as const,
          [partMediaKey(spec), writePartMedia(spec, value)] as const,
        ];
      })
      .filter(([, texts]) => texts.length > 0),
  );
}

/** The composer's form for a stored post: the whole post for an edit, without the time for a duplicate. */
export function formOfPost(services: FormServices, post: Post, use: "edit" | "duplicate", display: Display): PostForm {
  const targets = use === "edit" ? post.targets.filter((target) => isEditableTarget(post, target)) : post.targets;
  // Some options need a choice by a person. A duplicate does not copy it, because every new post needs its own choice.
  const isShown = (spec: OptionSpec) => use === "edit" || spec.mustChoose === undefined;
  const valuesOf = (target: Target) =>
    optionTexts(services, target.platform, target.platformOptions, storedTypes(post, target), isShown);
  return {
    ...EMPTY_FORM,
    caption: post.caption,
    ...(use === "duplicate"
      ? { time: timeFields(post.scheduledAt, display.timeZone).time }
      : !isRetry(post) && timeFields(post.scheduledAt, display.timeZone)),
    accountIds: targets.map(({ accountId }) => accountId),
    captions: new Map(
      targets.map((target) => [target.accountId, ownCaption(target)] as const).filter(([, caption]) => caption !== ""),
    ),
    options: new Map(targets.map((target) => [target.accountId, valuesOf(target)])),
    ownMedia: jsonByAccount(targets, writeOwnMedia),
    // An edit keeps every option that it does not name, so only a duplicate needs the options without fields.
    fieldlessOptions: jsonByAccount(use === "edit" ? [] : targets, (target) =>
      writeFieldlessOptions(target, specsOf(services, target.platform)),
    ),
    media: post.mediaItems.map(({ url }) => url),
    covers: new Map(
      post.mediaItems.flatMap(({ url, cover }) => {
        const fields = coverFields(cover);
        return fields ? [[url, fields] as const] : [];
      }),
    ),
    altTexts: new Map(post.mediaItems.flatMap(({ url, altText }) => (altText === undefined ? [] : [[url, altText]]))),
    // Do not copy the external id, because it belongs to one post.
    annotations: { ...annotationFormOf(post.annotations), external_id: "" },
    postId: use === "edit" ? post.id : "",
  };
}

function jsonByAccount(
  targets: readonly Target[],
  write: (target: Target) => string | undefined,
): ReadonlyMap<string, string> {
  return new Map(
    targets.flatMap((target) => {
      const json = write(target);
      return json === undefined ? [] : [[target.accountId, json] as const];
    }),
  );
}
