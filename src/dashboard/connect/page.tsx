import type { Child, FC } from "hono/jsx";
import type { Account, ConnectEnd, SkippedAccount } from "#accounts/index.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import { Door } from "#dashboard/layout.tsx";
import { Notice } from "#dashboard/parts.tsx";

/*
 * The last page of a browser login. It stands alone: no script, and nothing on it needs a session, because the person may
 * have come from an agent and never have been here before.
 */

const CLOSE = "You can close this window.";

const List: FC<{ heading: string; children: Child[] }> = ({ heading, children }) =>
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

const Connected: FC<{ end: Extract<ConnectEnd, { ok: true }> }> = ({ end }) => {
  const name = PLATFORM_NAMES[end.platform];
  const title = end.pending ? `Logged in at ${name}` : `${name} is connected`;
  return (
    <Door title={title} script={false}>
      <h1>{title}</h1>
      {end.pending ? (
        <Notice kind="note">
          {name} has not told its accounts yet. Almanac asks again within minutes, or at once when you sync your
          accounts. {CLOSE}
        </Notice>
      ) : (
        <Notice kind="good">{CLOSE}</Notice>
      )}
      <List heading="Connected now">{accountLines(end.added)}</List>
      <List heading="Renewed">{accountLines(end.updated)}</List>
      <List heading="Left out">{skippedLines(end.skipped)}</List>
    </Door>
  );
};

/** It worked and the window can be closed, or what went wrong and what to do. */
export const ConnectEndPage: FC<{ end: ConnectEnd }> = ({ end }) =>
  end.ok ? <Connected end={end} /> : <ConnectFailedPage platform={end.platform} reason={end.reason} />;

export const ConnectFailedPage: FC<{ platform: Platform; reason: string }> = ({ platform, reason }) => {
  const title = `${PLATFORM_NAMES[platform]} was not connected`;
  return (
    <Door title={title} script={false}>
      <h1>{title}</h1>
      <Notice kind="bad">{reason}</Notice>
      <p>What was connected before stays as it is. {CLOSE}</p>
    </Door>
  );
};

export const UnknownPlatformPage: FC = () => (
  <Door title="There is no such page" script={false}>
    <h1>There is no such page</h1>
    <p>The address names a platform that Almanac does not know.</p>
  </Door>
);
