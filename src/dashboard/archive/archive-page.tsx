import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import type { ListedStatus } from "#core/status.ts";
import { PlatformBadge } from "#dashboard/layout/components.tsx";
import { STATUS_LABELS } from "#dashboard/wording/status-labels.ts";
import { type Display, formatDateTime, formatZone } from "#dashboard/wording/display.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { firstWords } from "#dashboard/wording/post-state.ts";
import type { Page, PostSummary } from "#posts/index.ts";

const PATH = "/dashboard/archive";

/** The statuses that posts of the archive have. */
export const ARCHIVE_FILTERS = ["published", "partially_failed", "failed"] as const satisfies readonly ListedStatus[];

export interface ArchiveAddress {
  readonly status: (typeof ARCHIVE_FILTERS)[number] | undefined;
  /** The page number, counted from 1. */
  readonly page: number;
}

function archiveHref({ status, page }: ArchiveAddress): string {
  const query = new URLSearchParams({
    ...(status !== undefined && { status }),
    ...(page > 1 && { page: String(page) }),
  });
  return query.size === 0 ? PATH : `${PATH}?${query.toString()}`;
}

const ArchivedPost: FC<{ post: PostSummary; display: Display }> = ({ post, display }) => (
  <li class="item">
    <div class="item-header">
      <h2>
        <a href={`/dashboard/posts/${post.id}`}>
          <bdi>{firstWords(post.caption)}</bdi>
        </a>
      </h2>
      <span class={post.status === "published" ? "tag active" : "tag expiring"}>{STATUS_LABELS[post.status]}</span>
    </div>
    <p class="item-meta">
      <time datetime={new Date(post.scheduledAt).toISOString()}>{formatDateTime(display, post.scheduledAt)}</time>
      <span>
        {post.platforms.map((platform) => (
          <PlatformBadge platform={platform} />
        ))}
      </span>
    </p>
  </li>
);

const Filter: FC<{ address: ArchiveAddress }> = ({ address }) => (
  <nav class="item-actions" aria-label="Filter">
    {[undefined, ...ARCHIVE_FILTERS].map((status) => (
      <a
        class={status === address.status ? "button" : "button secondary"}
        href={archiveHref({ status, page: 1 })}
        aria-current={status === address.status ? "page" : undefined}
      >
        {status === undefined ? "All" : STATUS_LABELS[status]}
      </a>
    ))}
  </nav>
);

const Pages: FC<{ address: ArchiveAddress; hasMore: boolean }> = ({ address, hasMore }) => (
  <nav class="item-actions" aria-label="Pages of the archive">
    {address.page > 1 && (
      <a class="button secondary" href={archiveHref({ ...address, page: address.page - 1 })} rel="prev">
        Newer
      </a>
    )}
    {hasMore && (
      <a class="button secondary" href={archiveHref({ ...address, page: address.page + 1 })} rel="next">
        Older
      </a>
    )}
  </nav>
);

/** Lists the archived posts, newest first. */
export const ArchivePage: FC<{
  signedIn: SignedInUser;
  display: Display;
  now: number;
  address: ArchiveAddress;
  list: Page<PostSummary>;
  afterDays: number;
}> = ({ signedIn, display, now, address, list: { posts, pagination }, afterDays }) => (
  <DashboardLayout
    title="Archive"
    section="calendar"
    signedIn={signedIn}
    lead={
      <>
        {`Posts move here ${afterDays} days after they ended, a month at a time. They can be read and no longer tried again. `}
        <a href="/dashboard?view=list">Back to the calendar</a>
      </>
    }
  >
    <Filter address={address} />
    {posts.length === 0 ? (
      <p class="empty-state">
        {address.page > 1 || address.status !== undefined ? "Nothing is here." : "No post has moved here yet."}
      </p>
    ) : (
      <>
        <p class="hint">
          {`${pagination.total === 1 ? "1 post" : `${pagination.total} posts`}. Times in ${formatZone(display.timeZone, now)}.`}
        </p>
        <ul class="items">
          {posts.map((post) => (
            <ArchivedPost post={post} display={display} />
          ))}
        </ul>
      </>
    )}
    {(address.page > 1 || pagination.hasMore) && <Pages address={address} hasMore={pagination.hasMore} />}
  </DashboardLayout>
);
