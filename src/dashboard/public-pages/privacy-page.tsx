import type { FC } from "hono/jsx";
import { PLATFORM_NAMES } from "#core/platform.ts";
import type { Adapter } from "#platforms/contract.ts";
import type { Operator } from "./operator.ts";
import { Contact, PublicLayout } from "./public-layout.tsx";

/** A sentence in which web addresses become links. A full stop behind an address stays outside the link. */
const Linked: FC<{ text: string }> = ({ text }) => (
  <>
    {text
      .split(/(https:\/\/\S*[^\s.])/)
      .map((part) => (part.startsWith("https://") ? <a href={part}>{part}</a> : part))}
  </>
);

const PlatformSection: FC<{ adapter: Pick<Adapter, "platform" | "dataPolicy"> }> = ({ adapter }) => {
  const { use, revoke, statements, links } = adapter.dataPolicy;
  return (
    <section>
      <h3>{PLATFORM_NAMES[adapter.platform]}</h3>
      <p>{use}</p>
      <p>
        <Linked text={revoke} />
      </p>
      {statements.map((statement) => (
        <p>{statement}</p>
      ))}
      {links.length > 0 && (
        <ul>
          {links.map(({ title, url }) => (
            <li>
              <a href={url}>{title}</a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};

/** The privacy page: what this installation stores, why, how long, and how a person ends it. */
export const PrivacyPage: FC<{
  operator: Operator;
  adapters: readonly Pick<Adapter, "platform" | "dataPolicy">[];
  /** Whether people can pay on this installation. */
  hasPayment: boolean;
}> = ({ operator, adapters, hasPayment }) => (
  <PublicLayout title="Privacy" operator={operator}>
    <p>
      {operator.name} runs this installation of Almanac and is responsible for the data in it
      {operator.jurisdiction !== null && `, under the law of ${operator.jurisdiction}`}. Contact:{" "}
      <Contact operator={operator} />.
    </p>
    <h2>What is stored, and why</h2>
    <ul>
      <li>Your e-mail address and a hash of your password, or your passkeys: to sign you in.</li>
      <li>Posts, their pictures and videos, and what became of them: to publish what you confirmed, and to show it.</li>
      <li>
        The accounts that you connect, and the platforms' access tokens, encrypted: to publish in your name. Tokens are
        never shown and never given to anybody but the platform that issued them.
      </li>
      <li>Log entries without the contents of posts: to find errors.</li>
      <li>
        Cookies: one that keeps you signed in, one that lets this browser sign in while others try wrong passwords, and
        while you connect an account one that binds the login to this browser and one that leads back to the post you
        came from. No others are set here, and none follows you to other sites.
      </li>
    </ul>
    <p>Data are not sold, not used for advertising, and not used to train models.</p>
    <h2>How long</h2>
    <p>
      Tokens are erased and withdrawn at the platform when you disconnect the last account of a login. Cancelled posts
      and media that no post uses are deleted after some weeks. Everything else stays until you delete it or your
      account: <a href="/data-deletion">how</a>.
    </p>
    <p>
      When you delete your account, posts, logins, keys and webhooks end at once; seven days later everything that
      belongs to you and your workspaces is erased, media and archived posts too. What remains is a hash of a random
      number, so that data which come back with a backup are erased again.{" "}
      {hasPayment && "Stripe keeps invoices for as long as the law requires."}
    </p>
    <p>On your profile page you can download everything that belongs to you at any time.</p>
    <h2>Who else receives data</h2>
    <p>
      The platforms to which you publish, and Cloudflare, on whose computers the service runs.
      {hasPayment && " Stripe handles payments: card numbers are entered there and never reach this service."} The data
      of each platform:
    </p>
    {adapters.map((adapter) => (
      <PlatformSection adapter={adapter} />
    ))}
  </PublicLayout>
);
