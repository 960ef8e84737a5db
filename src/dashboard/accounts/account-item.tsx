import type { FC } from "hono/jsx";
import { ENDS_SOON_MS } from "#accounts/index.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { wallTimeAt } from "#core/wall-time.ts";
import { Avatar, handleOf } from "#dashboard/layout/avatar.tsx";
import { ConfirmForm } from "#dashboard/layout/components.tsx";
import { type Display, formatDate, formatDateTime } from "#dashboard/wording/display.ts";
import type { AccountWithPosts } from "#posts/index.ts";
import { countOf, describeDisconnect } from "#dashboard/wording/counts-and-limits.ts";

/** An account, with what the accounts page also shows about it. */
export interface AccountView {
  readonly account: AccountWithPosts;
  /** In words, the limits of this account that differ from the platform's usual ones. */
  readonly ownLimits: readonly string[];
  readonly hasBoards: boolean;
}

type AccountState = "active" | "ending" | "blocked";

export function accountState(account: AccountWithPosts, now: number): AccountState {
  if (account.status === "needs_reconnect") {
    return "blocked";
  }
  return account.loginEndsAt !== null && account.loginEndsAt - now <= ENDS_SOON_MS ? "ending" : "active";
}

const STATE_LABELS = {
  active: "Active",
  ending: "Login ends soon",
  blocked: "Needs a new login",
} as const satisfies Record<AccountState, string>;

const Handle: FC<{ account: AccountWithPosts }> = ({ account }) => {
  const handle = handleOf(account);
  return account.profileUrl === null ? (
    <span>{handle}</span>
  ) : (
    <a href={account.profileUrl} rel="noreferrer">
      {handle}
    </a>
  );
};

const MissingScopes: FC<{ account: AccountWithPosts }> = ({ account }) => (
  <>
    <p>
      {PLATFORM_NAMES[account.platform]} says that you did not allow everything that posting needs. Connect the account
      again and allow all that {PLATFORM_NAMES[account.platform]} asks for.
    </p>
    <details>
      <summary>What is missing</summary>
      <ul class="scopes" aria-label="Missing permissions">
        {account.missingScopes.map((scope) => (
          <li>
            <code>{scope}</code>
          </li>
        ))}
      </ul>
    </details>
  </>
);

/** A notice that the account needs a new login now or soon, and which posts depend on it. */
const LoginNotice: FC<{ account: AccountWithPosts; state: AccountState; display: Display }> = ({
  account,
  state,
  display,
}) => {
  const { posts, loginEndsAt } = account;
  if (state === "blocked") {
    return (
      <div class="account-notice error">
        {account.missingScopes.length > 0 ? (
          <MissingScopes account={account} />
        ) : (
          <p>{account.statusReason ?? "This account needs a new login."}</p>
        )}
        {posts.ahead > 0 && (
          <p>
            {countOf(posts.ahead, "post")} ahead {posts.ahead === 1 ? "needs" : "need"} this account.
          </p>
        )}
      </div>
    );
  }
  if (loginEndsAt === null) {
    return null;
  }
  const end = formatDate(wallTimeAt(display.timeZone, loginEndsAt).date, "medium");
  const after = posts.afterLoginEnd;
  return (
    <p class={state === "ending" || after > 0 ? "account-notice info" : "item-meta"}>
      {`This login stops on ${end} and does not renew itself`}
      {after > 0
        ? `; ${countOf(after, "post")} after that ${after === 1 ? "needs" : "need"} it.`
        : state === "ending"
          ? "; no post after that needs it yet."
          : "."}
      {" Reconnect before then, and nothing is missed."}
    </p>
  );
};

/** Names an account together with its platform, because people use the same name on several platforms. */
const nameWithPlatform = ({ displayName, platform }: AccountWithPosts): string =>
  `${displayName} (${PLATFORM_NAMES[platform]})`;

/**
 * A button that starts a new login of the account. The next page names the workspace, then the browser goes to the
 * platform.
 */
const ReconnectForm: FC<{ account: AccountWithPosts; state: AccountState }> = ({ account, state }) => (
  <form method="post" action="/dashboard/accounts/connect">
    <input type="hidden" name="platform" value={account.platform} />
    <input type="hidden" name="account" value={account.id} />
    <button class={state === "active" ? "secondary" : undefined} aria-label={`Reconnect ${nameWithPlatform(account)}`}>
      Reconnect
    </button>
  </form>
);

export const AccountItem: FC<{ view: AccountView; display: Display; now: number; isConnectable: boolean }> = ({
  view: { account, ownLimits, hasBoards },
  display,
  now,
  isConnectable,
}) => {
  const state = accountState(account, now);
  return (
    <li class="item account" id={`account-${account.id}`}>
      <div class="account-header">
        <Avatar account={account} />
        <div class="account-name">
          <h3>
            <bdi>{account.displayName}</bdi>
          </h3>
          <p class="item-meta">
            <Handle account={account} />
          </p>
        </div>
        <span class={`tag ${state}`}>{STATE_LABELS[state]}</span>
      </div>
      <LoginNotice account={account} state={state} display={display} />
      <div class="account-footer">
        <p class="item-meta">
          <span>
            {account.lastSyncedAt === null
              ? "Not checked yet"
              : `Last checked ${formatDateTime(display, account.lastSyncedAt)}`}
          </span>
          {account.posts.ahead > 0 && (
            <a href={`/dashboard?account=${account.id}`}>{`${countOf(account.posts.ahead, "post")} ahead`}</a>
          )}
          <a
            href={`/dashboard?account=${account.id}&view=all`}
            aria-label={`All posts of ${nameWithPlatform(account)}`}
          >
            All posts
          </a>
          {ownLimits.map((sentence) => (
            <span>{sentence}</span>
          ))}
        </p>
        <div class="item-actions">
          {isConnectable && <ReconnectForm account={account} state={state} />}
          {hasBoards && (
            <a
              class="button secondary"
              href={`/dashboard/accounts/${account.id}/boards`}
              aria-label={`Boards of ${nameWithPlatform(account)}`}
            >
              Boards
            </a>
          )}
          <ConfirmForm
            action={`/dashboard/accounts/${account.id}/disconnect`}
            verb="Disconnect"
            target={`${PLATFORM_NAMES[account.platform]}: ${account.displayName}`}
            description={`${describeDisconnect(account.posts)} Almanac deletes its access to the account; what is published stays.`}
            keepHref="/dashboard/accounts"
          />
        </div>
      </div>
    </li>
  );
};
