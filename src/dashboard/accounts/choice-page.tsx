import type { FC } from "hono/jsx";
import type { AccountOffer } from "#accounts/index.ts";
import type { SignedInUser } from "#auth/index.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import { ChoiceForm } from "#dashboard/layout/choice-form.tsx";
import { FormErrorNotice } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";

interface ChoicePageProps {
  readonly signedIn: SignedInUser;
  readonly platform: Platform;
  readonly loginName: string;
  /** The accounts to choose from. Null if the platform did not list them. */
  readonly offer: AccountOffer | null;
  readonly ticked: readonly string[];
  readonly error: FormError | undefined;
  readonly action: string;
}

export const ChoicePage: FC<ChoicePageProps> = ({ signedIn, offer, ...form }) => (
  <DashboardLayout
    title={`Choose accounts at ${PLATFORM_NAMES[form.platform]}`}
    section="accounts"
    signedIn={signedIn}
    assets={{ styles: ["choice"] }}
  >
    {offer === null ? <FormErrorNotice error={form.error} /> : <ChoiceForm offer={offer} {...form} />}
    <p>
      <a href="/dashboard/accounts">Back to all accounts</a>
    </p>
  </DashboardLayout>
);
