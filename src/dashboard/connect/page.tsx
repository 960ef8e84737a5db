import type { Child } from "hono/jsx";
import { raw } from "hono/html";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import type { Account, ConnectEnd, SkippedAccount } from "#accounts/types.ts";

const DOCTYPE = raw("<!doctype html>");

function Page({ title, children }: { readonly title: string; readonly children: Child }) {
  return (
    <>
      {DOCTYPE}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          <title>{`${title} · Almanac`}</title>
        </head>
        <body>
          <main>
            <h1>{title}</h1>
            {children}
          </main>
        </body>
      </html>
    </>
  );
}

function Accounts({ heading, accounts }: { readonly heading: string; readonly accounts: readonly Account[] }) {
  if (accounts.length === 0) {
    return null;
  }
  return (
    <section>
      <h2>{heading}</h2>
      <ul>
        {accounts.map((account) => (
          <li>
            <strong>{account.displayName}</strong> ({account.username})
            {account.status === "needs_reconnect" && <>: {account.statusReason}</>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Skipped({ skipped }: { readonly skipped: readonly SkippedAccount[] }) {
  if (skipped.length === 0) {
    return null;
  }
  return (
    <section>
      <h2>Left out</h2>
      <ul>
        {skipped.map((account) => (
          <li>
            <strong>{account.displayName}</strong>: {account.reason}
          </li>
        ))}
      </ul>
    </section>
  );
}

const CLOSE = "You can close this window.";

function Connected({ end }: { readonly end: Extract<ConnectEnd, { ok: true }> }) {
  const name = PLATFORM_NAMES[end.platform];
  if (end.pending) {
    return (
      <Page title={`Logged in at ${name}`}>
        <p>
          {name} has not told its accounts yet. Almanac asks again within minutes, or at once when you sync your
          accounts.
        </p>
        <p>{CLOSE}</p>
      </Page>
    );
  }
  return (
    <Page title={`${name} is connected`}>
      <p>{CLOSE}</p>
      <Accounts heading="Connected now" accounts={end.added} />
      <Accounts heading="Renewed" accounts={end.updated} />
      <Skipped skipped={end.skipped} />
    </Page>
  );
}

/** The last page of a browser login: it worked and the window can be closed, or what went wrong and what to do. */
export function ConnectEndPage({ end }: { readonly end: ConnectEnd }) {
  return end.ok ? <Connected end={end} /> : <ConnectFailedPage platform={end.platform} reason={end.reason} />;
}

export function ConnectFailedPage({ platform, reason }: { readonly platform: Platform; readonly reason: string }) {
  return (
    <Page title={`${PLATFORM_NAMES[platform]} was not connected`}>
      <p role="alert">{reason}</p>
      <p>Nothing else has changed. {CLOSE}</p>
    </Page>
  );
}

export function UnknownPlatformPage() {
  return (
    <Page title="There is no such page">
      <p>The address names a platform that Almanac does not know.</p>
    </Page>
  );
}
