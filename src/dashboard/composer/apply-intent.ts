import type { OptionSpec } from "#platforms/option-specs.ts";
import { changeOwnMedia, ownMediaOf } from "#dashboard/post-form/account-extras.ts";
import type { PostForm } from "#dashboard/post-form/post-form.ts";
import { partMediaKey, readPartMedia } from "#dashboard/post-form/read-options.ts";

/**
 * Applies a form button that changes a list: media of the post, media of an account, or parts of a thread. Any other
 * button changes nothing.
 */
export function applyIntent(
  form: PostForm,
  intent: string,
  specsOfAccount: (accountId: string) => readonly OptionSpec[],
): PostForm {
  const [, changeOfPart, place, part, ofAccount = ""] =
    /^part_media_(up|down|remove)\.(\d+)\.(\d+)\.([^.]+)$/.exec(intent) ?? [];
  if (changeOfPart !== undefined) {
    const ofMedia = { action: changeOfPart, from: Number(place) };
    return changePartMedia(form, ofAccount, specsOfAccount(ofAccount), Number(part), ofMedia);
  }
  const [, list, action = "", index, accountId = ""] =
    /^(media|part|own)_(up|down|remove|add)\.(\d+)(?:\.([^.]+))?$/.exec(intent) ?? [];
  const change: ListChange = { action, from: Number(index) };
  if (list === "part") {
    return changeParts(form, accountId, specsOfAccount(accountId), change);
  }
  if (list === "own") {
    return changeOwnMedia(form, accountId, (items) => (change.from < items.length ? changed(items, change) : items));
  }
  return list === "media" && action !== "add" && change.from < form.media.length
    ? changeMedia(form, specsOfAccount, change)
    : form;
}

interface ListChange {
  readonly action: string;
  readonly from: number;
}

function changed<T>(items: readonly T[], { action, from }: ListChange): readonly T[] {
  const rest = items.toSpliced(from, 1);
  return action === "remove"
    ? rest
    : rest.toSpliced(Math.max(0, from + (action === "up" ? -1 : 1)), 0, items[from] as T);
}

/** Applies a button to the parts of an account's thread. A new part goes to the end. */
function changeParts(form: PostForm, accountId: string, specs: readonly OptionSpec[], change: ListChange): PostForm {
  const key = specs.find(({ input }) => input === "parts")?.key;
  const values = form.options.get(accountId) ?? new Map<string, readonly string[]>();
  const parts = values.get(key ?? "") ?? [];
  if (key === undefined || (change.action !== "add" && change.from >= parts.length)) {
    return form;
  }
  const changeList = (list: readonly string[]) => (change.action === "add" ? [...list, ""] : changed(list, change));
  const mediaKey = partMediaKey({ key });
  const media = values.get(mediaKey);
  const next = new Map([...values, [key, changeList(parts)]]);
  // Move or remove the media of a thread part together with its text.
  if (media) {
    next.set(mediaKey, changeList(parts.map((_, index) => media[index] ?? "")));
  }
  return { ...form, options: new Map([...form.options, [accountId, next]]) };
}

function changePartMedia(
  form: PostForm,
  accountId: string,
  specs: readonly OptionSpec[],
  part: number,
  change: ListChange,
): PostForm {
  const key = specs.find(({ input }) => input === "parts")?.key ?? "";
  const values = form.options.get(accountId) ?? new Map<string, readonly string[]>();
  const media = values.get(partMediaKey({ key })) ?? [];
  const items = readPartMedia(media[part]);
  if (change.from >= items.length) {
    return form;
  }
  const left = changed(items, change);
  const next = media.with(part, left.length === 0 ? "" : JSON.stringify(left));
  return {
    ...form,
    options: new Map([...form.options, [accountId, new Map([...values, [partMediaKey({ key }), next]])]]),
  };
}

function changeMedia(
  form: PostForm,
  specsOfAccount: (accountId: string) => readonly OptionSpec[],
  change: ListChange,
): PostForm {
  const move = <T>(items: readonly T[]): readonly T[] => changed(items, change);
  // Move or remove each medium's own options, such as its description, together with the medium.
  const options = new Map(
    Array.from(form.options, ([accountId, values]) => {
      if (ownMediaOf(form, accountId)) {
        return [accountId, values];
      }
      const ofMedia = new Set(
        specsOfAccount(accountId)
          .filter(({ input }) => input === "per_media")
          .map(({ key }) => key),
      );
      const moved = Array.from(values, ([key, texts]) => {
        const padded = [...texts, ...Array.from({ length: form.media.length - texts.length }, () => "")];
        return [key, ofMedia.has(key) ? move(padded) : texts] as const;
      });
      return [accountId, new Map(moved)] as const;
    }),
  );
  return { ...form, media: move(form.media), options };
}
