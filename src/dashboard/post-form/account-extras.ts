import type { z } from "@hono/zod-openapi";
import { canonicalJson, isJsonObject, type JsonObject } from "#core/json.ts";
import { ownMediaItems, type TargetInput } from "#planning/index.ts";
import { type Target } from "#posts/index.ts";
import { type MediaItemInput, toMediaInput } from "#wire/schemas/media.ts";
import type { OptionSpec } from "#platforms/option-specs.ts";
import { type OwnMedia, parseJson, readOwnMedia } from "./own-media.ts";
import { mediaUrlsOf, type PostForm } from "./post-form.ts";
import { type KnownMediaTypes, mediaTypesOf } from "./read-options.ts";

/* Own media of an account, and options without a form field. The form sends both as JSON, so that a copy or an edit
   does not lose them. */

/** An account's own media as JSON. Undefined if the account publishes the post's media. */
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

/** The own media that an account publishes. Null if it publishes the post's media. */
export function ownMediaOf(form: PostForm, accountId: string): NonNullable<TargetInput["mediaItems"]> | null {
  const items = form.sharedMedia.has(accountId) ? null : storedOwnMedia(form, accountId);
  return items && items.map(toMediaInput);
}

/**
 * The own media that the form contains for an account, even if it publishes the post's media. Null if there are none,
 * or if the JSON is invalid.
 */
export function storedOwnMedia(form: PostForm, accountId: string): OwnMedia | null {
  return readOwnMedia(form.ownMedia.get(accountId));
}

/** The form after a button that changed the order of an account's own media. */
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

/** The types of the media that an account publishes. Null if the type of one is unknown. */
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

/** The options of a target that have no form field, as JSON. Undefined if there are none. */
export function writeFieldlessOptions(
  { platformOptions }: Pick<Target, "platformOptions">,
  specs: readonly OptionSpec[],
): string | undefined {
  // Leave out the caption, which has its own field, and the placement, which follows from the media.
  const withField = new Set(["caption", "placement", ...specs.map(({ key }) => key.split(".")[0] ?? key)]);
  const fieldless = Object.entries(platformOptions).filter(([name, value]) => !withField.has(name) && value !== null);
  return fieldless.length === 0 ? undefined : JSON.stringify(Object.fromEntries(fieldless));
}

export function fieldlessOptions(form: PostForm, accountId: string): JsonObject {
  const options = parseJson(form.fieldlessOptions.get(accountId));
  return isJsonObject(options) ? options : {};
}
