import type { RefusalDetail } from "#core/errors.ts";
import { captionField, mediaUrlsOf, optionField, type PostForm } from "./post-form.ts";

/** A problem and the field of the form that it stands beside. */
export interface FormProblem {
  /**
   * The name of a field: `caption`, `date`, `caption.<account>`, `option.<account>.<option>`; `account.<account>` for one that concerns
   * an account as a whole, `media.<index>` for the medium at that place, `media`, `account` or empty for the form as a whole.
   */
  readonly field: string;
  readonly message: string;
}

/** The field that a problem of a preview belongs to. `accountIds` are the accounts in the order of the request. */
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
  const [, mediaIndex] = /^media_(?:items|urls)\[(\d+)\]/.exec(param) ?? [];
  if (mediaIndex !== undefined && Number(mediaIndex) < mediaUrlsOf(form).length) {
    return `media.${mediaIndex}`;
  }
  if (param.startsWith("media")) {
    return "media";
  }
  switch (param) {
    case "caption":
      return "caption";
    case "scheduled_at":
      return "date";
    case "targets":
    case "platforms":
      return "account";
    default:
      return account === undefined ? "" : `account.${account}`;
  }
}

function targetField(accountId: string, rest: string): string {
  const [, option] = /^platform_options\.([\w.]+)/.exec(rest) ?? [];
  if (option !== undefined) {
    return option === "caption" ? captionField(accountId) : optionField(accountId, option);
  }
  return rest === "caption" ? captionField(accountId) : `account.${accountId}`;
}
