import type { FC } from "hono/jsx";
import type { ActiveLoginSummary, SkippedAccount } from "#accounts/index.ts";
import type { SignedInUser } from "#auth/index.ts";
import { ACCOUNTS_BEFORE_EMAIL_PROOF } from "#core/plan.ts";
import { type Platform, PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { FormErrorNotice, Notice, PlatformBadge } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import { type Display, formatTime, formatZone } from "#dashboard/wording/display.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { AccountItem, accountState, type AccountView } from "./account-item.tsx";
import { countOf, formatNumber } from "#dashboard/wording/counts-and-limits.ts";

/** What a sync has changed. Accounts are given by name. */
export interface SyncReport {
  readonly checked: number;
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly needsReconnect: number;
  readonly skipped: readonly SkippedAccount[];
  /** Platforms that did not respond to the sync. Their accounts are unchanged. */
  readonly unanswered: readonly Platform[];
}

export interface AccountsPageProps {
  readonly signedIn: SignedInUser;
  readonly isTrial: boolean;
  readonly display: Display;
  readonly now: number;
  readonly accounts: readonly AccountView[];
  readonly connectedCount: number;
  /** Logins at platforms where one login can have several accounts, so that a person chooses. */
  readonly logins: readonly ActiveLoginSummary[];
  readonly connectable: readonly Platform[];
  readonly error?: FormError | undefined;
  readonly synced?: SyncReport | undefined;
  /** How many posts a disconnect has just paused. Undefined if the page does not follow a disconnect. */
  readonly disconnected?: number | undefined;
  /** How many accounts the person has just connected by a choice. Undefined if the page does not follow one. */
  readonly chosen?: number | undefined;
}

const joinNames = (names: readonly string[]) => names.join(", ");

const SyncNotice: FC<{ report: SyncReport }> = ({ report }) => {
  const isUnchanged = report.added.length + report.updated.length + report.skipped.length + report.needsReconnect === 0;
  return (
    <div class="notice success" role="status">
      <p>
        {report.checked === 0
          ? "There is no account to check yet."
          : `${countOf(report.checked, "account")} checked.${isUnchanged && report.unanswered.length === 0 ? " Nothing has changed." : ""}`}
        {report.added.length > 0 && ` New: ${joinNames(report.added)}.`}
        {report.updated.length > 0 && ` Updated: ${joinNames(report.updated)}.`}
        {report.needsReconnect > 0 &&
          ` ${countOf(report.needsReconnect, "account needs", "accounts need")} a new login.`}
        {report.unanswered.length > 0 &&
          ` ${joinNames(report.unanswered.map((platform) => PLATFORM_NAMES[platform]))} did not answer; Almanac tries again by itself.`}
      </p>
      {report.skipped.length > 0 && (
        <>
          <p>Not connected:</p>
          <ul class="plain-list">
            {report.skipped.map((account) => (
              <li>
                <b>
                  {account.displayName} ({PLATFORM_NAMES[account.platform]})
                </b>
                : {account.reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
};

const DisconnectedNotice: FC<{ paused: number }> = ({ paused }) => (
  <Notice kind="success">
    The account is disconnected.
    {paused > 0 && (
      <>
        {` ${countOf(paused, "post")} that had no other account ${paused === 1 ? "is" : "are"} paused. `}
        <a href="/dashboard?view=list&amp;status=paused">Show paused posts</a>
      </>
    )}
  </Notice>
);

const ChosenNotice: FC<{ added: number }> = ({ added }) => (
  <Notice kind="success">
    {added === 0 ? "No further account is connected." : `${countOf(added, "account is", "accounts are")} connected.`}
  </Notice>
);

/** Notices for logins whose person left before choosing accounts. */
const WaitingNotices: FC<Pick<AccountsPageProps, "logins" | "display" | "now">> = ({ logins, display, now }) => (
  <>
    {logins.map(
      ({ id, platform, displayName, chooseUntil }) =>
        chooseUntil !== null &&
        chooseUntil > now && (
          <div class="notice info">
            <p>
              {`You logged in to ${PLATFORM_NAMES[platform]} as `}
              <bdi>{displayName}</bdi>
              {" and have not chosen what to connect. "}
              <a href={`/dashboard/accounts/logins/${id}`}>{`Choose accounts at ${PLATFORM_NAMES[platform]}`}</a>
              {` before ${formatTime(display, chooseUntil)}; then Almanac deletes the login.`}
            </p>
          </div>
        ),
    )}
  </>
);

/** Links to the pages on which a person chooses further accounts of a platform's logins. */
const ChooseLinks: FC<{ logins: readonly ActiveLoginSummary[] }> = ({ logins }) =>
  logins.length === 0 ? null : (
    <p class="item-meta">
      {logins.map(({ id, displayName }) => (
        <a href={`/dashboard/accounts/logins/${id}`}>
          {logins.length === 1 ? "Choose accounts" : `Choose accounts of ${displayName}`}
        </a>
      ))}
    </p>
  );

const ConnectButton: FC<{ platform: Platform }> = ({ platform }) => (
  <li>
    <form method="post" action="/dashboard/accounts/connect">
      <input type="hidden" name="platform" value={platform} />
      <button class="secondary">
        <PlatformBadge platform={platform} isDecorative />
        <span>
          <span class="visually-hidden">Connect </span>
          {PLATFORM_NAMES[platform]}
        </span>
      </button>
    </form>
  </li>
);

/** Says how many more accounts the plan allows, and where the user can change the plan. */
const AccountLimit: FC<{ signedIn: SignedInUser; count: number; isTrial: boolean }> = ({
  signedIn,
  count,
  isTrial,
}) => {
  const limit = signedIn.actor.limits.accounts;
  const isFull = count >= limit;
  const mustProveEmail = isFull && !signedIn.emailVerified && limit === ACCOUNTS_BEFORE_EMAIL_PROOF;
  return (
    <p class="hint">
      {`${formatNumber(count)} of ${formatNumber(limit)} accounts`}
      {signedIn.workspaces.length > 1 && " in all workspaces"}
      {isTrial && " during your free trial"}.
      {mustProveEmail && (
        <>
          {" "}
          <a href="/dashboard/profile">Confirm your e-mail address</a> to connect more.
        </>
      )}
      {isFull && !mustProveEmail && (
        <>
          {" "}
          To connect more, disconnect one or{" "}
          <a href="/dashboard/plan">{isTrial ? "choose a plan" : "choose a larger plan"}</a>.
        </>
      )}
    </p>
  );
};

const ConnectSection: FC<Pick<AccountsPageProps, "signedIn" | "isTrial" | "connectedCount" | "connectable">> = (
  props,
) => {
  const unavailable = PLATFORMS.filter((platform) => !props.connectable.includes(platform));
  return (
    <section class="card" aria-labelledby="connect">
      <h2 id="connect">Connect an account</h2>
      <p>You log in at the platform itself. Almanac never sees the password, and publishes only what you schedule.</p>
      <ul class="connect-platforms">
        {props.connectable.map((platform) => (
          <ConnectButton platform={platform} />
        ))}
      </ul>
      {unavailable.length > 0 && (
        <p class="hint">
          {`Not available here: ${joinNames(unavailable.map((platform) => PLATFORM_NAMES[platform]))}. The operator of this service has not set ${unavailable.length === 1 ? "it" : "them"} up.`}
        </p>
      )}
      <AccountLimit signedIn={props.signedIn} count={props.connectedCount} isTrial={props.isTrial} />
    </section>
  );
};

const AccountGroups: FC<AccountsPageProps> = ({ accounts, display, now, connectable, logins }) => (
  <>
    {PLATFORMS.map((platform) => {
      const ofPlatform = accounts.filter(({ account }) => account.platform === platform);
      return (
        ofPlatform.length > 0 && (
          <section aria-labelledby={`platform-${platform}`}>
            <h2 id={`platform-${platform}`} class="platform-heading">
              <PlatformBadge platform={platform} isDecorative /> {PLATFORM_NAMES[platform]}
            </h2>
            <ChooseLinks logins={logins.filter((login) => login.platform === platform && login.chooseUntil === null)} />
            <ul class="items">
              {ofPlatform.map((view) => (
                <AccountItem view={view} display={display} now={now} isConnectable={connectable.includes(platform)} />
              ))}
            </ul>
          </section>
        )
      );
    })}
  </>
);

/** Names the accounts that cannot publish. The notice is above the list, because the list may be long. */
const BlockedNotice: FC<{ accounts: readonly AccountView[]; now: number }> = ({ accounts, now }) => {
  const blocked = accounts.filter(({ account }) => accountState(account, now) === "blocked");
  return blocked.length === 0 ? null : (
    <div class="notice error">
      <p>
        {`${countOf(blocked.length, "account needs", "accounts need")} a new login before anything can be published to ${blocked.length === 1 ? "it" : "them"}: `}
        {blocked.map(({ account }, index) => (
          <>
            {index > 0 && ", "}
            <a href={`#account-${account.id}`}>
              {account.displayName} ({PLATFORM_NAMES[account.platform]})
            </a>
          </>
        ))}
        .
      </p>
    </div>
  );
};

export const AccountsPage: FC<AccountsPageProps> = (props) => (
  <DashboardLayout
    title="Accounts"
    section="accounts"
    signedIn={props.signedIn}
    lead="The profiles, pages and channels that Almanac publishes to."
    assets={{ styles: ["accounts", "choice"] }}
  >
    <FormErrorNotice error={props.error} />
    {props.synced && <SyncNotice report={props.synced} />}
    {props.disconnected !== undefined && <DisconnectedNotice paused={props.disconnected} />}
    {props.chosen !== undefined && <ChosenNotice added={props.chosen} />}
    <WaitingNotices {...props} />
    <BlockedNotice accounts={props.accounts} now={props.now} />
    <div class="two-columns">
      <div class="account-groups">
        {props.accounts.length > 0 && (
          <p class="narrow-only">
            <a href="#connect">Connect another account</a>
          </p>
        )}
        {props.accounts.length === 0 ? (
          <p class="empty-state">
            No account is connected yet. Choose a platform, log in there, and plan the first post for it.
          </p>
        ) : (
          <>
            <AccountGroups {...props} />
            <p class="hint">{`Times are those of ${formatZone(props.display.timeZone, props.now)}.`}</p>
          </>
        )}
      </div>
      <div class="account-side">
        <ConnectSection
          signedIn={props.signedIn}
          isTrial={props.isTrial}
          connectedCount={props.connectedCount}
          connectable={props.connectable}
        />
        <section class="card" aria-labelledby="sync">
          <h2 id="sync">Check all accounts</h2>
          <p>
            Almanac asks every platform twice a day for names, pictures and permissions. Ask now after you have changed
            something there.
          </p>
          <form method="post" action="/dashboard/accounts/sync">
            <button class="secondary">Check now</button>
          </form>
        </section>
      </div>
    </div>
  </DashboardLayout>
);
