import type { FC } from "hono/jsx";
import type { DataPolicy } from "#platforms/contract.ts";
import type { Operator } from "./operator.ts";
import { Contact, PublicLayout } from "./public-layout.tsx";

/** The terms of use of this installation. */
export const TermsPage: FC<{
  operator: Operator;
  /** Conditions that the platforms require these terms to contain. */
  platformTerms: readonly NonNullable<DataPolicy["terms"]>[];
}> = ({ operator, platformTerms }) => (
  <PublicLayout title="Terms" operator={operator}>
    <p>
      {operator.name} offers this installation of Almanac, a service that publishes posts to social platforms at the
      time that you choose. Contact: <Contact operator={operator} />.
    </p>
    <ul>
      <li>You may connect only accounts that you may post to, and you keep all rights to what you post.</li>
      <li>
        What you confirm is published in your name. Each platform's own terms apply to it; what a platform forbids must
        not be scheduled here.
      </li>
      {platformTerms.map(({ statement, title, url }) => {
        const [before, after] = statement.split(title, 2);
        return (
          <li>
            {before}
            <a href={url}>{title}</a>
            {after}
          </li>
        );
      })}
      <li>
        The service publishes what the preview showed. A platform may refuse, delay or remove a post; the status of the
        post says so.
      </li>
      <li>You keep your password, keys and tokens secret, and answer for what is done with them.</li>
      <li>
        You can stop at any time: cancel posts, disconnect accounts, or ask for the{" "}
        <a href="/data-deletion">deletion</a> of your data. Use that harms others or the service can be ended by the
        operator.
      </li>
    </ul>
    {operator.jurisdiction !== null && <p>The law of {operator.jurisdiction} applies.</p>}
  </PublicLayout>
);
