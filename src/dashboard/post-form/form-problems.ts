import type { RefusalDetail } from "#core/errors.ts";
import {
  altTextField,
  captionField,
  coverAtField,
  coverUrlField,
  mediaUrlsOf,
  optionField,
  partField,
  partMediaField,
  type PostForm,
  storedMediaOf,
} from "./post-form.ts";

/** A problem with the form field that shows it. */
export interface FormProblem {
  /**
   * The name of the form field: `caption`, `date`, `caption.<account>`, `option.<account>.<option>` (with `.<index>`
   * for a thread part), `part_media.<account>.<option>.<part>.<index>`, `alt_text.<file>` or `media.<index>`.
   * `account.<account>` means a whole account, `media` all files, and `account` or an empty text the whole form.
   */
  readonly field: string;
  readonly message: string;
}

/** Form fields for what a post says about a file (description, cover), by the name of the API member. */
const FIELDS_OF_USE: Readonly<Record<string, (url: string) => string>> = {
  alt_text: altTextField,
  cover: coverUrlField,
  "cover.at_ms": coverAtField,
};

/**
 * The form field to which a problem of a preview belongs. `accountIds` are the accounts in the order of the request.
 */
export function fieldOf(
  { param = "", accountId }: Pick<RefusalDetail, "param" | "accountId">,
  form: PostForm,
  accountIds: readonly string[] = form.accountIds,
): string {
  const [, index, rest] = /^(?:targets|target_options|account_ids)\[(\d*)\]\.?(.*)$/.exec(param) ?? [];
  const account = accountId ?? (index === undefined || index === "" ? undefined : accountIds[Number(index)]);
  if (index !== undefined && account !== undefined) {
    return targetField(account, rest ?? "");
  }
  const [, list, place, ofUse] = /^media_(items|urls)\[(\d+)\](?:\.(alt_text|cover\.at_ms|cover)\b)?/.exec(param) ?? [];
  // The position in the preview differs from the position in the form, because a preview leaves out files that are
  // still uploading.
  const mediaIndex =
    list === "urls" ? form.media.length + Number(place) : form.media.indexOf(storedMediaOf(form)[Number(place)] ?? "");
  const url = mediaUrlsOf(form)[mediaIndex];
  if (url !== undefined) {
    return FIELDS_OF_USE[ofUse ?? ""]?.(url) ?? `media.${mediaIndex}`;
  }
  if (param.startsWith("media")) {
    return "media";
  }
  switch (param) {
    case "caption":
      return "caption";
    case "scheduled_at":
      return "date";
    case "slot":
      return "slot";
    case "targets":
    case "platforms":
      return "account";
    default:
      return account === undefined ? "" : `account.${account}`;
  }
}

function targetField(accountId: string, rest: string): string {
  const [, list, index, item] =
    /^platform_options\.(\w+)\[(\d+)\]\.(?:caption|media_items(?:\[(\d+)\])?)/.exec(rest) ?? [];
  if (list !== undefined) {
    return item === undefined
      ? partField(accountId, list, Number(index))
      : `${partMediaField(accountId, list, Number(index))}.${item}`;
  }
  const [, option] = /^platform_options\.([\w.]+)/.exec(rest) ?? [];
  if (option !== undefined) {
    return option === "caption" ? captionField(accountId) : optionField(accountId, option);
  }
  return rest === "caption" ? captionField(accountId) : `account.${accountId}`;
}
