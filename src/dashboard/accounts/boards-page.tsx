import type { FC } from "hono/jsx";
import type { Account, listBoards } from "#accounts/index.ts";
import type { SignedInUser } from "#auth/index.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { FormErrorNotice } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { countOf } from "#dashboard/wording/counts-and-limits.ts";

type Board = Awaited<ReturnType<typeof listBoards>>[number];

export const BoardsPage: FC<{
  signedIn: SignedInUser;
  account: Account;
  boards: readonly Board[];
  error: FormError | undefined;
}> = ({ signedIn, account, boards, error }) => (
  <DashboardLayout
    title={`Boards of ${account.displayName}`}
    section="accounts"
    signedIn={signedIn}
    lead={`As ${PLATFORM_NAMES[account.platform]} lists them now. You choose one when you plan a post.`}
    assets={{ styles: ["accounts"] }}
  >
    <FormErrorNotice error={error} />
    {error === undefined && boards.length === 0 && (
      <p class="empty-state">{`This account has no boards yet. Make one at ${PLATFORM_NAMES[account.platform]}, then reload this page.`}</p>
    )}
    <ul class="items boards">
      {boards.map((board) => (
        <li class="item">
          <h2>
            <bdi>{board.name}</bdi>
          </h2>
          {board.description !== null && <p>{board.description}</p>}
          <p class="item-meta">
            <span>{privacyLabel(board.privacy)}</span>
            {board.pinCount !== null && <span>{countOf(board.pinCount, "post")}</span>}
          </p>
        </li>
      ))}
    </ul>
    <p>
      <a href="/dashboard/accounts">Back to all accounts</a>
    </p>
  </DashboardLayout>
);

/** Makes the platform's own word for a board's privacy readable: `PUBLIC` becomes `Public`. */
function privacyLabel(word: string): string {
  const text = word.replaceAll("_", " ").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
