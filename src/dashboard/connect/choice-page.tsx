import type { FC } from "hono/jsx";
import type { AccountOffer, OpenChoice } from "#accounts/index.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { ChoiceForm } from "#dashboard/layout/choice-form.tsx";
import { PlatformBadge } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import { AuthLayout } from "#dashboard/layout/layout.tsx";
import { shortenEmail } from "#dashboard/wording/shorten-email.ts";

/**
 * The page on which a person chooses accounts after a login. It needs no script and no session, because the person may
 * have no session in this browser.
 */
export const ChoicePage: FC<{
  choice: OpenChoice;
  offer: AccountOffer;
  ticked: readonly string[];
  error: FormError | undefined;
  action: string;
}> = ({ choice: { connection, workspaceName, ownerEmail }, ...form }) => {
  const name = PLATFORM_NAMES[connection.platform];
  return (
    <AuthLayout
      title={`Choose what to connect at ${name}`}
      script={false}
      styles={["choice"]}
      footer="You can choose others later, and disconnect an account at any time."
    >
      <h1>
        <PlatformBadge platform={connection.platform} isDecorative /> Choose what to connect
      </h1>
      <p>
        What you choose joins the workspace{" "}
        <em>
          <bdi>{workspaceName}</bdi>
        </em>{" "}
        of {shortenEmail(ownerEmail)}.
      </p>
      <ChoiceForm platform={connection.platform} loginName={connection.displayName} {...form} />
    </AuthLayout>
  );
};
