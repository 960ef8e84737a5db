import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { DateTime, FormErrorNotice } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { ReauthenticationFields } from "#dashboard/layout/reauthentication.tsx";
import type { DataExport } from "#personal-data/index.ts";

const Downloads: FC<{ ready: DataExport; signedIn: SignedInUser }> = ({ ready, signedIn }) => (
  <section class="card" aria-labelledby="downloads">
    <h2 id="downloads">{ready.files.length === 1 ? "Your download" : `Your download: ${ready.files.length} files`}</h2>
    <ul class="plain-list">
      {ready.files.map((_, index) => (
        <li>
          <a href={`/dashboard/profile/data/${ready.id}/${index + 1}`} download>
            {ready.files.length === 1 ? "Download the ZIP file" : `Download file ${index + 1} of ${ready.files.length}`}
          </a>
        </li>
      ))}
    </ul>
    <p class="hint">
      In this browser until <DateTime value={ready.expiresAt} timeZone={signedIn.timeZone} />, while you are signed in.
      The contents are as they are when you download them.
    </p>
  </section>
);

/** The page on which a person downloads all of their data. */
export const DataPage: FC<{
  signedIn: SignedInUser;
  ready: DataExport | null;
  error?: FormError | undefined;
}> = ({ signedIn, ready, error }) => (
  <DashboardLayout
    title="Your data"
    section="profile"
    hasLists={false}
    assets={{ styles: ["settings"] }}
    signedIn={signedIn}
    lead={<a href="/dashboard/profile">Back to your profile</a>}
  >
    <FormErrorNotice error={error} fields={["current_password"]} />
    <div class="columns">
      {ready !== null && <Downloads ready={ready} signedIn={signedIn} />}
      <section class="card" aria-labelledby="export">
        <h2 id="export">{ready === null ? "Download your data" : "Ask again"}</h2>
        <p>
          A ZIP file with everything that belongs to you and your workspaces: profile, accounts, posts with their
          results and changes, archived posts, approvals, events, webhooks, the list of your keys and apps, and your
          images and videos. Passwords, keys and tokens are not in it. README.txt in it explains the files.
        </p>
        <p class="hint">With more than 1 GB of media, or many thousands of posts, there are several files.</p>
        <form method="post" action="/dashboard/profile/data">
          <ReauthenticationFields signedIn={signedIn} id="data-password" error={error} />
          <button class={ready === null ? undefined : "secondary"}>Prepare the download</button>
        </form>
      </section>
    </div>
  </DashboardLayout>
);
