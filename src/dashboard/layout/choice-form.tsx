import type { FC } from "hono/jsx";
import type { AccountOffer, OfferedAccount } from "#accounts/index.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import type { FormError } from "#dashboard/request/form.ts";
import { countOf } from "#dashboard/wording/counts-and-limits.ts";
import { Avatar, handleOf } from "./avatar.tsx";
import { FormErrorNotice } from "./components.tsx";

/**
 * The form in which a person chooses accounts of one login. Connected accounts stay ticked, because they are
 * disconnected on the accounts page.
 */
interface ChoiceFormProps {
  readonly platform: Platform;
  readonly loginName: string;
  readonly offer: AccountOffer;
  readonly ticked: readonly string[];
  readonly error: FormError | undefined;
  readonly action: string;
}

const AccountChoice: FC<{ platform: Platform; account: OfferedAccount; isTicked: boolean }> = ({
  platform,
  account,
  isTicked,
}) => (
  <label class="choice account-choice">
    <input
      type="checkbox"
      name="account"
      value={account.platformAccountId}
      checked={account.isConnected || isTicked}
      disabled={account.isConnected}
    />
    <Avatar account={{ ...account, platform }} />
    <span>
      <b>
        <bdi>{account.displayName}</bdi>
      </b>
      <small>
        {handleOf(account)}
        {account.isConnected && ", connected"}
      </small>
    </span>
  </label>
);

function describePlaces({ connectedCount, accountLimit }: AccountOffer): string {
  const free = Math.max(0, accountLimit - connectedCount);
  const used = `${connectedCount} of ${accountLimit} places are taken`;
  return free === 0
    ? `${used}. Disconnect an account or choose a larger plan to connect more.`
    : `${used}: you can connect ${countOf(free, "more account")}.`;
}

export const ChoiceForm: FC<ChoiceFormProps> = ({ platform, loginName, offer, ticked, error, action }) => (
  <>
    <p>
      {`You logged in to ${PLATFORM_NAMES[platform]} as `}
      <bdi>{loginName}</bdi>. Almanac publishes only to the accounts that you tick here, and leaves the others alone.
    </p>
    <form method="post" action={action} class="account-choices">
      <FormErrorNotice error={error} />
      <fieldset class="checkbox-group">
        <legend>Accounts</legend>
        {offer.accounts.map((account) => (
          <AccountChoice platform={platform} account={account} isTicked={ticked.includes(account.platformAccountId)} />
        ))}
        <p class="hint">{describePlaces(offer)}</p>
      </fieldset>
      <div class="actions">
        <button>Connect what is ticked</button>
      </div>
    </form>
    {offer.skipped.length > 0 && (
      <section>
        <h2>Cannot be connected</h2>
        <ul>
          {offer.skipped.map((account) => (
            <li>
              <strong>
                <bdi>{account.displayName}</bdi>
              </strong>
              : {account.reason}
            </li>
          ))}
        </ul>
      </section>
    )}
  </>
);
