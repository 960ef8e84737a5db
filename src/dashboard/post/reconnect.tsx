import type { FC } from "hono/jsx";
import type { Target } from "#posts/index.ts";

/** Starts a new login of a target's account, after which the person returns to `next`. Else links to the account. */
export const Reconnect: FC<{
  target: Pick<Target, "accountId" | "platform" | "username">;
  status: string | undefined;
  next: string;
}> = ({ target: { accountId, platform, username }, status, next }) =>
  status === "needs_reconnect" ? (
    <form method="post" action="/dashboard/accounts/connect">
      <input type="hidden" name="platform" value={platform} />
      <input type="hidden" name="account" value={accountId} />
      <input type="hidden" name="next" value={next} />
      <button class="secondary" aria-label={`Reconnect ${username}`}>
        Reconnect
      </button>
    </form>
  ) : (
    <p>
      <a href={`/dashboard/accounts${status === "active" ? `#account-${accountId}` : ""}`}>Connect the account again</a>
    </p>
  );
