import type { FC } from "hono/jsx";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { problemCount } from "./caption-count.ts";
import { PlatformBadge } from "#dashboard/layout/components.tsx";
import { LikenessHint } from "#dashboard/likeness/post-likeness.tsx";
import type { TargetInput } from "#planning/index.ts";
import { describeAccount, targetsOf } from "./account-likeness.tsx";
import { accountName, type ComposerView, findAccount } from "./composer-view.ts";
import { FieldProblems, problemsOf, TextArea } from "./fields.tsx";
import { HiddenTexts, OptionInputs, ThreadInputs } from "./option-inputs.tsx";
import { OwnMediaFields } from "./own-media-fields.tsx";
import {
  captionField,
  fieldlessOptionsField,
  optionField,
  ownMediaField,
  type PostForm,
  sharedMediaField,
} from "#dashboard/post-form/post-form.ts";
import { isEditableTarget, isRetry } from "#dashboard/post-form/read-post-form.ts";

interface AccountChoice {
  readonly id: string;
  readonly name: string;
  readonly platform: Parameters<typeof accountName>[0]["platform"] | null;
  /** Why the person cannot choose the account. Null if nothing prevents it. */
  readonly obstacle: string | null;
}

/**
 * The accounts that the form lists: those of the workspace, and unknown ones in the form, so that the person can remove
 * them.
 */
function accountChoices({ data: { accounts, post }, form }: ComposerView): readonly AccountChoice[] {
  const listed = accounts
    .filter(({ id }) => post === null || !isRetry(post) || form.accountIds.includes(id))
    .map(({ id, platform, username, status, statusReason }) => ({
      id,
      platform,
      name: username,
      obstacle: status === "active" ? null : (statusReason ?? "This account needs a new login."),
    }));
  const missing = form.accountIds.filter((id) => !accounts.some((account) => account.id === id));
  return [
    ...listed,
    ...missing.map((id) => {
      const target = post?.targets.find(({ accountId }) => accountId === id);
      return {
        id,
        platform: target?.platform ?? null,
        name: target?.username ?? "An account that is not connected",
        obstacle: "This account is disconnected: nothing is posted there unless it is connected again in time.",
      };
    }),
  ];
}

/** The choice of accounts. An account that needs a new login can be removed from the post, but not added. */
export const AccountChoices: FC<{ view: ComposerView }> = ({ view }) => {
  const choices = accountChoices(view);
  const locked = (view.data.post?.targets ?? []).filter(
    (target) => view.form.postId !== "" && view.data.post && !isEditableTarget(view.data.post, target),
  );
  return (
    <fieldset id="account" class="card">
      <legend>Accounts</legend>
      {choices.length === 0 && (
        <p class="empty-state">
          No account is connected yet. <a href="/dashboard/accounts">Connect your first account</a>, then write the
          post.
        </p>
      )}
      <div class="choices">
        {choices.map(({ id, platform, name, obstacle }) => {
          const isChosen = view.form.accountIds.includes(id);
          return (
            <div>
              <label class="checkbox">
                <input
                  type="checkbox"
                  name="account"
                  value={id}
                  checked={isChosen}
                  disabled={obstacle !== null && !isChosen}
                  data-refresh="#accounts-chosen"
                />
                <span>
                  {platform && <PlatformBadge platform={platform} />} {name}
                </span>
              </label>
              {obstacle !== null && (
                <p class="hint">
                  {obstacle} <a href="/dashboard/accounts">Connect again</a>
                </p>
              )}
            </div>
          );
        })}
      </div>
      {locked.length > 0 && (
        <p class="hint">{`Already done, and not changed: ${locked.map(accountName).join(", ")}.`}</p>
      )}
      <FieldProblems view={view} field="account" />
      <button class="secondary" name="intent" value="update" formaction="/dashboard/posts/preview#accounts-chosen">
        Update form
      </button>
      <p class="hint">After choosing accounts, update the form to see what each of them can be told.</p>
    </fieldset>
  );
};

/** Keeps a chosen account's values that have no visible field, in hidden fields. */
const HiddenExtras: FC<{ form: PostForm; accountId: string }> = ({ form, accountId }) => {
  const [ownMedia, options] = [form.ownMedia.get(accountId), form.fieldlessOptions.get(accountId)];
  return (
    <>
      {ownMedia !== undefined && <HiddenTexts name={ownMediaField(accountId)} texts={[ownMedia]} />}
      {options !== undefined && <HiddenTexts name={fieldlessOptionsField(accountId)} texts={[options]} />}
    </>
  );
};

interface PanelProps {
  readonly view: ComposerView;
  readonly accountId: string;
  readonly target: TargetInput | undefined;
}

/** An account's part of the form: how the post will look there, and its own text, media and options. */
const AccountPanel: FC<PanelProps & { readonly look: ReturnType<typeof describeAccount> }> = ({
  view,
  accountId,
  look,
}) => {
  const account = findAccount(view.data, accountId);
  const creator = view.creators.get(accountId);
  const own = captionField(accountId);
  const caption = view.form.captions.get(accountId) ?? "";
  const name = account ? account.username : "An account that is not connected";
  return (
    <fieldset class="card account-fields" id={`account.${accountId}`} data-account={accountId}>
      <legend>
        {account && <PlatformBadge platform={account.platform} isDecorative />}{" "}
        {account && <span>{PLATFORM_NAMES[account.platform]}</span>} <span class="account-username">{name}</span>
      </legend>
      {creator && (
        <p class="creator">
          {creator.avatarUrl !== null && <img src={creator.avatarUrl} alt="" width="40" height="40" />}
          <span>
            Posts as <b>{creator.name ?? name}</b>
          </span>
        </p>
      )}
      <FieldProblems view={view} field={`account.${accountId}`} />
      <div data-likeness={accountId}>{look?.likeness}</div>
      {look && <LikenessHint />}
      <p class={`count ${look?.isTooLong ? "field-error" : "hint"}`}>{look?.count}</p>
      <ThreadInputs view={view} accountId={accountId} counts={look?.parts ?? []} />
      <details open={caption !== "" || problemsOf(view, own).length > 0}>
        <summary>Different text for this account</summary>
        <div class="field">
          <TextArea view={view} name={own} value={caption} rows={4} label={`Text for ${name}`} hasHint />
          <p class="hint" id={`${own}-hint`}>
            If it is empty, this account posts the text for all accounts.
          </p>
          <FieldProblems view={view} field={own} />
        </div>
      </details>
      <OwnMediaFields view={view} accountId={accountId} name={name} />
      <HiddenExtras form={view.form} accountId={accountId} />
      <OptionInputs view={view} accountId={accountId} />
      {/* The notice is at the end, so that its appearance moves no field of the account. */}
      <div data-check-result={accountId} role="status"></div>
    </fieldset>
  );
};

/**
 * The tab of an account. It is a radio button, so that it works by keyboard and without a script. It says how many
 * characters are left, or what is wrong.
 */
const AccountTab: FC<PanelProps & { readonly isShown: boolean }> = ({ isShown, ...props }) => {
  const { view, accountId, target } = props;
  const account = findAccount(view.data, accountId);
  const connected = view.data.accounts.find(({ id }) => id === accountId);
  const look = connected ? describeAccount(view, connected, target) : null;
  const problems = problemsOfAccount(view, accountId);
  return (
    <div class="account-tab">
      <label>
        <input class="visually-hidden" type="radio" name="shown" value={accountId} checked={isShown} />
        {account && <PlatformBadge platform={account.platform} />}
        <span>{account?.username ?? "Not connected"}</span>
        <span class={`tab-state ${problems > 0 || look?.isTooLong ? "field-error" : "hint"}`} data-tab-state="">
          {problems > 0 ? problemCount(problems) : look?.left}
        </span>
      </label>
      <AccountPanel {...props} look={look} />
    </div>
  );
};

function problemsOfAccount({ problems }: ComposerView, accountId: string): number {
  return problems.filter(({ field }) => field.split(".")[1] === accountId).length;
}

/** The fields of every chosen account. Values of accounts that are not chosen stay in hidden fields. */
export const ChosenAccounts: FC<{ view: ComposerView }> = ({ view }) => {
  const { accountIds, captions, options, ownMedia, sharedMedia, fieldlessOptions } = view.form;
  const targets = targetsOf(view);
  const isHidden = (id: string) => !accountIds.includes(id);
  const shown =
    accountIds.find((id) => problemsOfAccount(view, id) > 0) ??
    accountIds.find((id) => id === view.form.shown) ??
    accountIds[0];
  return (
    <div id="accounts-chosen" class="accounts-chosen" role="group" aria-label="How the post will look, by account">
      {accountIds.length === 0 && (
        <p class="empty-state">Choose accounts, and how the post will look on each appears here.</p>
      )}
      {accountIds.map((accountId) => (
        <AccountTab view={view} accountId={accountId} target={targets.get(accountId)} isShown={accountId === shown} />
      ))}
      {[...captions]
        .filter(([id]) => isHidden(id))
        .map(([id, caption]) => (
          <HiddenTexts name={captionField(id)} texts={[caption]} />
        ))}
      {[...options]
        .filter(([id]) => isHidden(id))
        .flatMap(([id, values]) =>
          Array.from(values, ([key, texts]) => <HiddenTexts name={optionField(id, key)} texts={texts} />),
        )}
      {[...new Set([...ownMedia.keys(), ...fieldlessOptions.keys()])].filter(isHidden).map((id) => (
        <HiddenExtras form={view.form} accountId={id} />
      ))}
      {[...sharedMedia].filter(isHidden).map((id) => (
        <HiddenTexts name={sharedMediaField(id)} texts={["true"]} />
      ))}
    </div>
  );
};
