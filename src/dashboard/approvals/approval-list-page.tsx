import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { PlatformBadge } from "#dashboard/layout/components.tsx";
import { type Display, formatDateTime } from "#dashboard/wording/display.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { firstWords } from "#dashboard/wording/post-state.ts";
import type { Approval } from "#confirming/index.ts";
import { requesterInWords, requestInWords, STATE_LABELS } from "./wording.ts";

const ApprovalItem: FC<{ approval: Approval; display: Display; workspaceName: string | null }> = ({
  approval,
  display,
  workspaceName,
}) => {
  const { id, state, posts, expiresAt, decidedAt } = approval;
  const [post] = posts;
  const isPending = state === "pending";
  return (
    <li class="item">
      <div class="item-header">
        <h3>
          <a href={`/approvals/${id}`}>
            <bdi>{firstWords(post?.caption ?? "")}</bdi>
          </a>
        </h3>
        <span class={isPending ? "tag expiring" : state === "approved" ? "tag active" : "tag"}>
          {STATE_LABELS[state]}
        </span>
      </div>
      <p>
        <bdi>{requesterInWords(approval.requestedBy)}</bdi> {requestInWords(approval)}
      </p>
      <p class="item-meta">
        {post !== undefined && (
          <span>
            {post.platforms.map((platform) => (
              <>
                <PlatformBadge platform={platform} />{" "}
              </>
            ))}
            {post.scheduledAt === "now" ? "At the approval" : formatDateTime(display, post.scheduledAt)}
          </span>
        )}
        {isPending ? (
          <span>{`Decide by ${formatDateTime(display, expiresAt)}`}</span>
        ) : (
          decidedAt !== null && <span>{`Ended ${formatDateTime(display, decidedAt)}`}</span>
        )}
        {workspaceName !== null && <span>{workspaceName}</span>}
      </p>
    </li>
  );
};

/** Lists the requests of agents: pending ones first, then those decided in the last 30 days. */
export const ApprovalListPage: FC<{
  signedIn: SignedInUser;
  display: Display;
  approvals: readonly Approval[];
  hasMore: boolean;
}> = ({ signedIn, display, approvals, hasMore }) => {
  const pending = approvals.filter(({ state }) => state === "pending");
  const decided = approvals.filter(({ state }) => state !== "pending");
  const nameOf = (workspaceId: string) =>
    signedIn.workspaces.length > 1 ? (signedIn.workspaces.find(({ id }) => id === workspaceId)?.name ?? null) : null;
  const items = (list: readonly Approval[]) => (
    <ul class="items">
      {list.map((approval) => (
        <ApprovalItem approval={approval} display={display} workspaceName={nameOf(approval.workspaceId)} />
      ))}
    </ul>
  );
  return (
    <DashboardLayout
      title="Approvals"
      section="approvals"
      signedIn={signedIn}
      lead="What keys and apps want to schedule or change, where you chose to confirm it yourself."
    >
      <section aria-labelledby="pending">
        <h2 id="pending">Waiting for you</h2>
        {pending.length === 0 ? <p>Nothing waits for you.</p> : items(pending)}
      </section>
      {decided.length > 0 && (
        <section aria-labelledby="decided">
          <h2 id="decided">Last 30 days</h2>
          {items(decided)}
          {hasMore && <p class="hint">Older ones are not listed here; the API lists all of the last 30 days.</p>}
        </section>
      )}
    </DashboardLayout>
  );
};
