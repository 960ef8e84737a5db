import type { FC } from "hono/jsx";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { type Display, formatDateTime } from "#dashboard/wording/display.ts";
import type { PostChange, PostRecord } from "#posts/index.ts";
import {
  CHANGE_LABELS,
  describeAuthor,
  describeReason,
  POST_STATUS_LABELS,
  TARGET_STATUS_LABELS,
} from "#dashboard/wording/post-wording.ts";

type FieldChange = NonNullable<PostChange["fields"]>[number];
type NameOf = (accountId: string | undefined) => string;

function valueInWords({ field, accountId }: FieldChange, value: string | number | null, display: Display): string {
  if (value === null || value === "") {
    return "none";
  }
  const text = String(value);
  if (field === "scheduled_at") {
    return text === "now" ? "the time of the approval" : formatDateTime(display, Date.parse(text));
  }
  if (field === "status") {
    const labels: Readonly<Record<string, string>> =
      accountId === undefined ? POST_STATUS_LABELS : TARGET_STATUS_LABELS;
    return labels[text]?.toLowerCase() ?? text;
  }
  return field === "caption" ? `“${text}”` : text;
}

const FIELD_LABELS: Readonly<Record<string, (account: string | null) => string>> = {
  status: (account) => account ?? "Status",
  scheduled_at: () => "Time",
  caption: (account) => (account === null ? "Text" : `Own text for ${account}`),
  platform_options: (account) => `Options for ${account ?? "all"}`,
};

/** Describes a changed field: `Time: Mon, 3 Dec 2026, 09:00 → Tue, 4 Dec 2026, 09:00`. */
export function describeField(change: FieldChange, nameOf: NameOf, display: Display): string {
  const { field, accountId, from, to } = change;
  if (field === "targets") {
    return accountId === undefined
      ? "Order of the accounts"
      : `${from === null ? "Added" : "Removed"} ${nameOf(accountId)}`;
  }
  if (field === "media_items") {
    const whose = accountId === undefined ? "" : `${nameOf(accountId)}: `;
    if (from === to) {
      return `${whose}Other media, another order, other descriptions or another cover`;
    }
    const count = (value: string | number | null) => value ?? "those of the post";
    return accountId === undefined
      ? `Media: ${from} → ${to}`
      : `Own media of ${nameOf(accountId)}: ${count(from)} → ${count(to)}`;
  }
  const label = FIELD_LABELS[field]?.(accountId === undefined ? null : nameOf(accountId)) ?? field.replaceAll("_", " ");
  return `${label}: ${valueInWords(change, from, display)} → ${valueInWords(change, to, display)}`;
}

/** Lists the changes of a post, newest first: what changed, when, and who changed it. */
export const ChangeList: FC<{ record: PostRecord; display: Display }> = ({ record, display }) => {
  const nameOf: NameOf = (accountId) => {
    const target = record.post.targets.find((candidate) => candidate.accountId === accountId);
    const name = record.accounts.get(accountId ?? "")?.username ?? target?.username ?? "an account";
    return target ? `${name} (${PLATFORM_NAMES[target.platform]})` : name;
  };
  if (record.changes.length === 0) {
    return <p class="hint">Nothing was changed since it was made.</p>;
  }
  return (
    <ol class="timeline">
      {record.changes.toReversed().map((change) => (
        <li>
          <time datetime={new Date(change.at).toISOString()}>{formatDateTime(display, change.at)}</time>{" "}
          <b>
            {change.what === "account_disconnected" && change.accountId !== undefined
              ? `${nameOf(change.accountId)} was disconnected and is left out`
              : CHANGE_LABELS[change.what]}
          </b>{" "}
          {[describeAuthor(change), describeReason(change)].filter(Boolean).join(", ")}
          {change.fields !== undefined && (
            <ul>
              {change.fields.map((field) => (
                <li>{describeField(field, nameOf, display)}</li>
              ))}
              {change.moreFields !== undefined && <li>{`and ${change.moreFields} more`}</li>}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
};
