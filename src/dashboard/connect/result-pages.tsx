import type { Child, FC } from "hono/jsx";
import type { Account, ConnectResult, SkippedAccount } from "#accounts/index.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import { AuthLayout } from "#dashboard/layout/layout.tsx";
import { Notice } from "#dashboard/layout/components.tsx";

/* The last page of a login at a platform. It needs no script and no session: the user may have started from an agent
   and may never have signed in here with this browser. */

/**
 * Links to where the user continues, at the top of the page. Without a session, the linked page asks the user to sign
 * in.
 */
const NextSteps: FC<{ children: Child }> = ({ children }) => <div class="actions">{children}</div>;

const BackToAccounts: FC<{ isSecondary?: boolean }> = ({ isSecondary = false }) => (
  <a class={isSecondary ? "button secondary" : "button"} href="/dashboard/accounts">
    Back to your accounts
  </a>
);

const CloseHint: FC = () => <p class="hint">You can close this window.</p>;

const AccountList: FC<{ heading: string; children: Child[] }> = ({ heading, children }) =>
  children.length === 0 ? null : (
    <section>
      <h2>{heading}</h2>
      <ul>{children}</ul>
    </section>
  );

const accountLines = (accounts: readonly Account[]) =>
  accounts.map((account) => (
    <li>
      <strong>{account.displayName}</strong> ({account.username})
      {account.status === "needs_reconnect" && `: ${account.statusReason ?? "needs a new login."}`}
    </li>
  ));

const skippedLines = (skipped: readonly SkippedAccount[]) =>
  skipped.map((account) => (
    <li>
      <strong>{account.displayName}</strong>: {account.reason}
    </li>
  ));

const ConnectedPage: FC<{ end: Extract<ConnectResult, { ok: true }>; back: string | null }> = ({ end, back }) => {
  const name = PLATFORM_NAMES[end.platform];
  const title = end.pending ? `Signed in to ${name}` : `${name} is connected`;
  return (
    <AuthLayout title={title} script={false}>
      <h1>{title}</h1>
      <NextSteps>
        {back !== null && (
          <a class="button" href={back}>
            Back to the post
          </a>
        )}
        <BackToAccounts isSecondary={back !== null} />
        {!end.pending && back === null && (
          <a class="button secondary" href="/dashboard/posts/new">
            Write a post
          </a>
        )}
      </NextSteps>
      {end.pending && (
        <Notice kind="info">
          {name} has not returned its accounts yet. Almanac tries again within minutes, or immediately when you check
          your accounts.
        </Notice>
      )}
      <AccountList heading="Connected now">{accountLines(end.added)}</AccountList>
      <AccountList heading="Reconnected">{accountLines(end.updated)}</AccountList>
      <AccountList heading="Not connected">{skippedLines(end.skipped)}</AccountList>
      <CloseHint />
    </AuthLayout>
  );
};

/**
 * Shows the result of a login: the connected accounts and the next step, or the error and what to do. `back` is the
 * page of the post from which the login began.
 */
export const ConnectResultPage: FC<{ end: ConnectResult; back: string | null }> = ({ end, back }) =>
  end.ok ? <ConnectedPage end={end} back={back} /> : <ConnectFailedPage platform={end.platform} reason={end.reason} />;

export const ConnectFailedPage: FC<{ platform: Platform; reason: string }> = ({ platform, reason }) => {
  const title = `${PLATFORM_NAMES[platform]} was not connected`;
  return (
    <AuthLayout title={title} script={false}>
      <h1>{title}</h1>
      <Notice kind="error">{reason}</Notice>
      <NextSteps>
        <BackToAccounts />
      </NextSteps>
      <p>Accounts that were already connected are not affected.</p>
      <CloseHint />
    </AuthLayout>
  );
};

export const UnknownPlatformPage: FC = () => (
  <AuthLayout title="Page not found" script={false}>
    <h1>Page not found</h1>
    <p>The address contains a platform that Almanac does not support.</p>
  </AuthLayout>
);
