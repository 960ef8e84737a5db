import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { countOf } from "#dashboard/wording/counts-and-limits.ts";
import { DateTime, Field, FormErrorNotice } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { ReauthenticationFields } from "#dashboard/layout/reauthentication.tsx";
import type { DeletionConsequences } from "#personal-data/index.ts";

export interface DeletionPageProps {
  readonly signedIn: SignedInUser;
  readonly consequences: DeletionConsequences;
  /** Whether the installation can send mails. */
  readonly canMail: boolean;
  readonly hasPayment: boolean;
  readonly error?: FormError | undefined;
}

const Consequences: FC<Pick<DeletionPageProps, "consequences" | "canMail" | "hasPayment">> = ({
  consequences: { waitingPosts },
  canMail,
  hasPayment,
}) => (
  <>
    <h3>At once</h3>
    <ul class="consequences">
      <li>
        {waitingPosts === 0
          ? "No post waits for its time. "
          : `${countOf(waitingPosts, "post")} that ${waitingPosts === 1 ? "waits" : "wait"} for ${waitingPosts === 1 ? "its" : "their"} time ${waitingPosts === 1 ? "is" : "are"} cancelled. `}
        What is being published at that moment is finished.
      </li>
      <li>All accounts are disconnected, and the logins are withdrawn at the platforms that allow it.</li>
      <li>API keys, connected apps, calendar addresses and webhooks end. You are signed out in all other browsers.</li>
      {hasPayment && <li>Your plan is not renewed.</li>}
    </ul>
    <h3>After 7 days</h3>
    <ul class="consequences">
      <li>
        Your workspaces with all posts, media, approvals, events and settings are erased, and so is your address. Nobody
        can bring them back.
      </li>
      <li>What was published stays at the platforms: delete it there if you want.</li>
      {hasPayment && <li>A paid plan ends. The payment provider keeps invoices for as long as the law requires.</li>}
    </ul>
    <p>
      Until then you can sign in and keep your account with one button. What has ended stays ended: you would connect
      your accounts, make keys and plan your posts again.
      {canMail && " We send you a mail now, a day before the end, and at the end."}
    </p>
  </>
);

/** What the deletion of its last user or last operator means for the installation. */
const LAST_OF = {
  users:
    "I am the only user of this service. After the deletion nobody can sign in, and whoever signs up next is its first user and operator. To end the service itself, I would delete it at Cloudflare.",
  operators:
    "I am the only operator of this service. After the deletion nobody sees how it runs and nobody is told when it fails, until an operator is named with npm run user.",
} as const;

const RequestForm: FC<DeletionPageProps> = (props) => {
  const { signedIn, consequences, error } = props;
  return (
    <section class="card" aria-labelledby="delete">
      <h2 id="delete">Delete your account and everything in it</h2>
      <Consequences {...props} />
      <p>
        <a href="/dashboard/profile/data">Download your data first</a>
      </p>
      <form method="post" action="/dashboard/profile/deletion">
        {consequences.lastOf !== null && (
          <label class="checkbox">
            <input type="checkbox" name="accepts_last" value="yes" required />
            <span>{LAST_OF[consequences.lastOf]}</span>
          </label>
        )}
        <ReauthenticationFields signedIn={signedIn} id="deletion-password" error={error} />
        <Field
          name="typed_email"
          label={`Type ${signedIn.email} to confirm`}
          type="email"
          autocomplete="off"
          required
          error={error}
        />
        <button class="danger">Delete my account</button>
      </form>
    </section>
  );
};

const Requested: FC<{ signedIn: SignedInUser; dueAt: number }> = ({ signedIn, dueAt }) => (
  <section class="card" aria-labelledby="requested">
    <h2 id="requested">Your account will be deleted</h2>
    <p>
      Everything is erased on{" "}
      <b>
        <DateTime value={dueAt} timeZone={signedIn.timeZone} />
      </b>
      . Scheduled posts are cancelled, and logins, keys, apps and webhooks have ended.
    </p>
    <p>
      If you keep the account, connect your accounts, make keys and plan your posts again, and enable your webhooks.
    </p>
    <form method="post" action="/dashboard/profile/deletion/withdraw">
      <button>Keep my account</button>
    </form>
    <p>
      <a href="/dashboard/profile/data">Download your data</a>
    </p>
  </section>
);

/** The page on which a user requests the deletion of the account, or withdraws the request. */
export const DeletionPage: FC<DeletionPageProps> = (props) => (
  <DashboardLayout
    title="Delete your account"
    section="profile"
    hasLists={false}
    assets={{ styles: ["settings"] }}
    signedIn={props.signedIn}
    lead={<a href="/dashboard/profile">Back to your profile</a>}
  >
    <FormErrorNotice error={props.error} fields={["current_password", "typed_email"]} />
    {props.signedIn.deletionDueAt === null ? (
      <RequestForm {...props} />
    ) : (
      <Requested signedIn={props.signedIn} dueAt={props.signedIn.deletionDueAt} />
    )}
  </DashboardLayout>
);
