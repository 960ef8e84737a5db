import type { FC } from "hono/jsx";
import { type JsonObject, isJsonObject } from "#core/json.ts";
import { formatDateTime } from "#dashboard/wording/display.ts";
import { POST_STATUS_LABELS } from "#dashboard/wording/post-wording.ts";
import type { EditChange } from "#posts/index.ts";
import { accountName, type ComposerView, findAccount, type KnownAccounts, optionSpecsOf } from "./composer-view.ts";
import { describeOptions } from "#dashboard/post-form/describe-options.ts";
import { fileNameOf } from "./media-fields.tsx";

/** The data from which the words for a change are made. */
type ChangesView = Pick<ComposerView, "boards" | "display" | "services"> & { readonly data: KnownAccounts };

interface ChangeInWords {
  readonly what: string;
  readonly from: string;
  readonly to: string;
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  ...POST_STATUS_LABELS,
  pending: "Will be published",
  skipped: "Left out while the account is disconnected",
};

const NOTHING = "—";

/** Describes one change for a person. A change of options is described option by option. */
function describeChange(view: ChangesView, change: EditChange): readonly ChangeInWords[] {
  const { field, accountId, from, to } = change;
  const account = accountId === undefined ? undefined : findAccount(view.data, accountId);
  const prefix = account ? `${accountName(account)}: ` : "";
  const one = (what: string, inWords: (value: unknown) => string): readonly ChangeInWords[] => [
    { what: `${prefix}${what}`, from: inWords(from), to: inWords(to) },
  ];
  switch (field) {
    case "scheduled_at":
      return one("Time", (value) =>
        value === "now" ? "At once" : formatDateTime(view.display, Date.parse(String(value))),
      );
    case "caption":
      return one(account ? "own text" : "Text", (value) => textOrNothing(value));
    case "media_items":
      return one(account ? "own media" : "Media", (value) =>
        Array.isArray(value) && value.length > 0
          ? value.map(mediumInWords).join(", ")
          : account && value === null
            ? "Those of the post"
            : "None",
      );
    case "status":
      return one(account ? "state" : "Status", (value) => STATUS_WORDS[String(value)] ?? String(value));
    case "targets":
      return account
        ? one("account", (value) => (value === null ? "Not on the post" : "On the post"))
        : one("Order of the accounts", (value) => accountNames(view, value));
    case "platform_options":
      return accountId === undefined ? [] : optionChanges(view, accountId, prefix, change);
    default:
      return one(field, textOrNothing);
  }
}

interface DescribedMedium {
  readonly url: string;
  readonly alt_text?: string;
  readonly cover?: { readonly url?: string; readonly at_ms?: number };
}

function mediumInWords({ url, alt_text: altText, cover }: DescribedMedium): string {
  const uses = [
    ...(altText === undefined ? [] : [`“${altText}”`]),
    ...(cover
      ? [`cover ${cover.url === undefined ? `at ${(cover.at_ms ?? 0) / 1000} s` : fileNameOf(cover.url)}`]
      : []),
  ];
  return uses.length === 0 ? fileNameOf(url) : `${fileNameOf(url)} (${uses.join(", ")})`;
}

function textOrNothing(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : NOTHING;
}

function accountNames({ data }: ChangesView, ids: unknown): string {
  return (Array.isArray(ids) ? ids : [])
    .map((id) => findAccount(data, String(id)))
    .flatMap((account) => (account ? [accountName(account)] : []))
    .join(", ");
}

function optionChanges(
  view: ChangesView,
  accountId: string,
  prefix: string,
  { from, to }: EditChange,
): readonly ChangeInWords[] {
  const boards = view.boards.get(accountId);
  const inWords = (options: unknown) =>
    new Map(
      describeOptions(optionSpecsOf(view, accountId), isJsonObject(options) ? options : ({} satisfies JsonObject), {
        mediaTypes: null,
        boards: boards?.ok ? boards.boards : [],
        isChange: true,
      }).map(({ label, value }) => [label, value]),
    );
  const [before, after] = [inWords(from), inWords(to)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((label) => ({
      what: `${prefix}${label}`,
      from: before.get(label) ?? NOTHING,
      to: after.get(label) ?? NOTHING,
    }))
    .filter((change) => change.from !== change.to);
}

/** Lists the changes of an edit: each field, its old and its new value. */
export const EditChanges: FC<{ view: ChangesView; changes: readonly EditChange[] }> = ({ view, changes }) => (
  <section class="card" aria-label="Changes">
    <dl class="changes">
      {changes
        .flatMap((change) => describeChange(view, change))
        .map(({ what, from, to }) => (
          <div>
            <dt>{what}</dt>
            <dd>
              <del>{from}</del>
              <span class="visually-hidden"> becomes </span>
              <ins>{to}</ins>
            </dd>
          </div>
        ))}
    </dl>
  </section>
);
