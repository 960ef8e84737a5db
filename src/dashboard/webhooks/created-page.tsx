import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import type { Webhook } from "#webhooks/index.ts";
import { SecretCard } from "./secret-card.tsx";
import { typesInWords } from "./wording.ts";

/** The page after a webhook was created. It shows the secret, which no page shows again, and the next step. */
export const CreatedPage: FC<{ signedIn: SignedInUser; webhook: Webhook; secret: string }> = (props) => {
  const { signedIn, webhook, secret } = props;
  const path = `/webhooks/${webhook.id}`;
  return (
    <DashboardLayout
      title="Your webhook is ready"
      section="access"
      assets={{ styles: ["settings", "webhooks"] }}
      signedIn={signedIn}
      lead={
        <>
          {typesInWords(webhook.types)} of this workspace, from now on, go to <code>{webhook.url}</code>
        </>
      }
    >
      <SecretCard secret={secret} rotated={false} />
      <section class="item-actions" aria-label="Next">
        <form method="post" action={`${path}/test`}>
          <button>Send a test</button>
        </form>
        <a class="button secondary" href={path}>
          Open the webhook
        </a>
      </section>
    </DashboardLayout>
  );
};
