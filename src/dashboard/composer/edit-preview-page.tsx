import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { type JsonObject, isJsonObject } from "#core/json.ts";
import { formatDateTime } from "#dashboard/display.ts";
import { EndsBefore } from "#dashboard/ends-before.tsx";
import { DashboardLayout } from "#dashboard/layout.tsx";
import type { EditChange, EditPreview, PreviewResult } from "#posting/index.ts";
import { accountName, type ComposerView, findAccount, optionSpecsOf } from "./composer-view.ts";
import { PREVIEW_ASSETS } from "./composer-page.tsx";
import { describeOptions } from "./describe-options.ts";
import { RetryNotice } from "./fields.tsx";
import { fileNameOf } from "./media-fields.tsx";
import { ChangeButton, ExpiryHint, HiddenForm, PlanHash, When } from "./preview-page.tsx";
import { PreviewedPost, Statements } from "./target-preview.tsx";
import type { SubscriptionEnd } from "#dashboard/subscription-end.ts";
import { POST_STATUS_LABELS } from "#dashboard/post/wording.ts";
import { CONFIRM_EDIT_PATH, EditConfirmFields } from "#dashboard/post/edit-confirm-fields.tsx";

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

/** One change as a person reads it; options are one change each. */
function describeChange(view: ComposerView, change: EditChange): readonly ChangeInWords[] {
  const { field, accountId, from, to } = change;
  const account = accountId === undefined ? undefined : findAccount(view.data, accountId);
  const prefix = account ? `${accountName(account)}: ` : "";
  const one = (what: string, inWords: (value: unknown) => string): readonly ChangeInWords[] => [
    { what: `${prefix}${what}`, from: inWords(from), to: inWords(to) },
  ];
  switch (field) {
    case "scheduled_at":
      return one("Time", (value) => formatDateTime(view.display, Date.parse(String(value))));
    case "caption":
      return one(account ? "own text" : "Text", (value) => textOrNothing(value));
    case "media_items":
      return one("Media", (value) =>
        Array.isArray(value) && value.length > 0
          ? value.map((item: { url: string }) => fileNameOf(item.url)).join(", ")
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

function textOrNothing(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : NOTHING;
}

function accountNames({ data }: ComposerView, ids: unknown): string {
  return (Array.isArray(ids) ? ids : [])
    .map((id) => findAccount(data, String(id)))
    .flatMap((account) => (account ? [accountName(account)] : []))
    .join(", ");
}

function optionChanges(
  view: ComposerView,
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

/** What an edit changes and what the post is afterwards. */
export const EditPreviewPage: FC<{
  signedIn: SignedInUser;
  view: ComposerView;
  previewed: PreviewResult<EditPreview>;
  subscriptionEnd: SubscriptionEnd | null;
}> = ({ signedIn, view, previewed, subscriptionEnd }) => {
  const { display } = view;
  const [post] = previewed.preview.posts;
  if (!post) {
    throw new Error("a previewed edit has no post");
  }
  const changes = post.changes.flatMap((change) => describeChange(view, change));
  return (
    <DashboardLayout
      title="What changes"
      section="calendar"
      signedIn={signedIn}
      hasLists={false}
      assets={PREVIEW_ASSETS}
    >
      <RetryNotice view={view} />
      <section class="card" aria-label="Changes">
        <dl class="changes">
          {changes.map(({ what, from, to }) => (
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
      <h2>The post afterwards</h2>
      <When instant={post.after.scheduledAt} display={display} />
      <EndsBefore
        accounts={view.data.accounts}
        subscriptionEnd={subscriptionEnd}
        preview={post.after}
        display={display}
      />
      <PreviewedPost services={view.services} settings={view} preview={post.after} />
      <div class="composer-actions">
        <Statements services={view.services} preview={post.after} />
        <div class="actions">
          <form method="post" action={CONFIRM_EDIT_PATH}>
            <EditConfirmFields
              confirmationToken={previewed.confirmationToken}
              postId={post.id}
              next={`/dashboard/posts/${post.id}`}
            />
            <button>Save the changes</button>
          </form>
          <form method="post" action="/dashboard/posts/preview">
            <HiddenForm form={view.form} />
            <ChangeButton />
          </form>
        </div>
        <ExpiryHint
          expiresAt={previewed.expiresAt}
          scheduledAt={post.after.scheduledAt}
          display={display}
          verb="Save"
          button="Save the changes"
        />
        <PlanHash hash={post.after.planHash} />
      </div>
    </DashboardLayout>
  );
};
