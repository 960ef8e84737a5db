import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { ConfirmForm, CopyableText, DateTime } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import { ReauthenticationFields } from "#dashboard/layout/reauthentication.tsx";
import type { CalendarFeed } from "#feeds/index.ts";

/** Lists the calendar feeds of the active workspace, with a button for a new one. */
export const FeedSettings: FC<{
  signedIn: SignedInUser;
  feeds: readonly CalendarFeed[];
  error?: FormError | undefined;
}> = ({ signedIn, feeds, error }) => {
  const workspace = signedIn.workspaces.find(({ id }) => id === signedIn.actor.workspaceId)?.name ?? "this workspace";
  return (
    <section class="card" aria-labelledby="feeds">
      <h2 id="feeds">Posts in your own calendar</h2>
      <p>
        Google Calendar, Apple Calendar and Outlook show the posts of <b>{workspace}</b> if you give them a secret
        address. They can only read.
      </p>
      {feeds.length > 0 && (
        <ul class="items">
          {feeds.map(({ id, createdAt }, index) => (
            <li class="item">
              <div class="item-header">
                <h3>{`Address ${index + 1}`}</h3>
              </div>
              <p class="item-meta">
                <span>
                  Made <DateTime value={createdAt} timeZone={signedIn.timeZone} />
                </span>
              </p>
              <div class="item-actions">
                <ConfirmForm
                  action={`/dashboard/profile/feeds/${id}/revoke`}
                  verb="Revoke"
                  target={`address ${index + 1}`}
                  description="Calendars that use it show no posts any more. This cannot be undone."
                />
              </div>
            </li>
          ))}
        </ul>
      )}
      <form method="post" action="/dashboard/profile/feeds">
        <ReauthenticationFields signedIn={signedIn} id="feed-password" error={error} />
        <button>Make an address</button>
      </form>
    </section>
  );
};

/** Shows the address of a new calendar feed and how to use it. No other page shows the address. */
export const NewFeed: FC<{ url: string }> = ({ url }) => (
  <section class="card new-key" aria-labelledby="new-feed">
    <h2 id="new-feed">Your calendar address</h2>
    <p>
      Copy it now: <b>it will not be shown again.</b> Whoever has it can read your posts, so treat it like a password.
    </p>
    <CopyableText text={url} label="the calendar address" />
    <ul class="calendar-programs">
      <li>
        <b>Google Calendar</b>, in a browser: beside “Other calendars” choose + and “From URL”, and paste it.
      </li>
      <li>
        <b>Apple Calendar</b>, on a Mac: File, “New Calendar Subscription”. On an iPhone: add an account in the settings
        of the calendar, choose “Other” and “Add Subscribed Calendar”.
      </li>
      <li>
        <b>Outlook</b>: in the calendar choose “Add calendar” and “Subscribe from web”.
      </li>
    </ul>
    <p class="hint">
      Each program decides how often it looks: some take a day, whatever we say. It shows 30 days back and a year ahead.
    </p>
  </section>
);
