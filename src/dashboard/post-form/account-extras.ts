import type { z } from "@hono/zod-openapi";
import { canonicalJson, isJsonObject, type JsonObject } from "#core/json.ts";
import { ownMediaItems, type TargetInput } from "#planning/index.ts";
import { type Target } from "#posts/index.ts";
import { type MediaItemInput, toMediaInput } from "#wire/schemas/media.ts";
import type { OptionSpec } from "#platforms/option-specs.ts";
import { type OwnMedia, parseJson, readOwnMedia } from "./own-media.ts";
import { mediaUrlsOf, type PostForm } from "./post-form.ts";
import { type KnownMediaTypes, mediaTypesOf } from "./read-options.ts";

/* Own media of an account, and options without a field. The form sends them as JSON, so that a copy and an edit keep them. */

/** The JSON of the account's own media; undefined for those of the post. */
export function writeOwnMedia(target: Pick<Target, "mediaItems">): string | undefined {
  const items = ownMediaItems(target);
  return items === null
    ? undefined
    : JSON.stringify(
        items.map(({ url, type, altText, cover }): z.input<typeof MediaItemInput> => ({
          url,
          type,
          ...(altText !== undefined && { alt_text: altText }),
          ...(cover && { cover: cover.image ? { url: cover.image.url } : { at_ms: cover.atMs ?? 0 } }),
        })),
      );
}

/** The own media that the account publishes; null if it takes those of the post. */
export function ownMediaOf(form: PostForm, accountId: string): NonNullable<TargetInput["mediaItems"]> | null {
  const items = form.sharedMedia.has(accountId) ? null : storedOwnMedia(form, accountId);
  return items && items.map(toMediaInput);
}

/** The own media in the form, even if the account takes those of the post; null without any, or if the JSON is not ours. */
export function storedOwnMedia(form: PostForm, accountId: string): OwnMedia | null {
  return readOwnMedia(form.ownMedia.get(accountId));
}

/** The form after a button changed the order of the account's own media. */
export function changeOwnMedia(
  form: PostForm,
  accountId: string,
  change: <T>(items: readonly T[]) => readonly T[],
): PostForm {
  const items = storedOwnMedia(form, accountId);
  return items === null
    ? form
    : { ...form, ownMedia: new Map([...form.ownMedia, [accountId, JSON.stringify(change(items))]]) };
}

export function changesOwnMedia(form: PostForm, stored: Target): boolean {
  const comparable = (items: OwnMedia) =>
    canonicalJson(
      items.map(({ url, alt_text: altText, cover }) => [url, altText ?? "", cover?.at_ms ?? null, cover?.url ?? null]),
    );
  const [before, after] = [readOwnMedia(writeOwnMedia(stored)), storedOwnMedia(form, stored.accountId)];
  return after !== null && (before === null || comparable(before) !== comparable(after));
}

/** The media types that the account publishes; null if one is unknown. */
export function mediaTypesOfAccount(form: PostForm, accountId: string): KnownMediaTypes {
  const own = ownMediaOf(form, accountId);
  const types = own?.map(({ url, type }) => type ?? mediaTypesOf([url])?.[0] ?? null);
  return types
    ? types.includes(null)
      ? null
      : types.filter((type) => type !== null)
    : mediaTypesOf(mediaUrlsOf(form));
}

/** How many files the account publishes. */
export function mediaCountOfAccount(form: PostForm, accountId: string): number {
  return (ownMediaOf(form, accountId) ?? mediaUrlsOf(form)).length;
}

/** The JSON of the options that have no field; undefined where there are none. */
export function writeFieldlessOptions(
  { platformOptions }: Pick<Target, "platformOptions">,
  specs: readonly OptionSpec[],
): string | undefined {
  // The caption has a field of its own, and the media decide the placement.
  const withField = new Set(["caption", "placement", ...specs.map(({ key }) => key.split(".")[0] ?? key)]);
  const fieldless = Object.entries(platformOptions).filter(([name, value]) => !withField.has(name) && value !== null);
  return fieldless.length === 0 ? undefined : JSON.stringify(Object.fromEntries(fieldless));
}

export function fieldlessOptions(form: PostForm, accountId: string): JsonObject {
  const options = parseJson(form.fieldlessOptions.get(accountId));
  return isJsonObject(options) ? options : {};
}
