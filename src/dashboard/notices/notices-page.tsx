import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { Notice as Message } from "#dashboard/layout/components.tsx";
import { type Display, formatDateTime, formatZone } from "#dashboard/wording/display.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { describeNotice, type Notice, type NoticeList } from "#notices/index.ts";

const NoticeItem: FC<{ notice: Notice; display: Display }> = ({ notice, display }) => {
  const { kind, subjectId, at, path } = notice;
  const { title, lines, action } = describeNotice(notice, (instant) => formatDateTime(display, instant));
  return (
    <li class="item">
      <h2>
        <bdi>{title}</bdi>
      </h2>
      <p class="item-meta">
        <time datetime={new Date(at).toISOString()}>{formatDateTime(display, at)}</time>
      </p>
      {lines.map((line) => (
        <p>
          <bdi>{line}</bdi>
        </p>
      ))}
      <div class="item-actions">
        <a class="button" href={path}>
          {action}
        </a>
        <form method="post" action="/notices/dismiss">
          <input type="hidden" name="kind" value={kind} />
          <input type="hidden" name="subject" value={subjectId} />
          <input type="hidden" name="at" value={String(at)} />
          <button class="secondary" aria-label={`Dismiss: ${title}`}>
            Dismiss
          </button>
        </form>
      </div>
    </li>
  );
};

/** Lists the notices of the active workspace, on which somebody should act, newest first. */
export const NoticesPage: FC<{
  signedIn: SignedInUser;
  display: Display;
  now: number;
  list: NoticeList;
  done?: string | undefined;
}> = ({ signedIn, display, now, list: { notices, hasMore }, done }) => (
  <DashboardLayout
    title="Notices"
    section="notices"
    signedIn={signedIn}
    lead={
      <>
        What went wrong in this workspace, or soon will, until it is settled or you dismiss it.{" "}
        <a href="/dashboard/profile#alerts">Which ones you get by mail</a>
      </>
    }
  >
    {done === "dismissed" && <Message kind="success">The notice is dismissed.</Message>}
    {notices.length === 0 ? (
      <p class="empty-state">Nothing needs you at the moment.</p>
    ) : (
      <>
        <ul class="items">
          {notices.map((notice) => (
            <NoticeItem notice={notice} display={display} />
          ))}
        </ul>
        <p class="hint">
          {hasMore && "Older ones appear here when some of these are settled or dismissed. "}
          {`Times in ${formatZone(display.timeZone, now)}.`}
        </p>
      </>
    )}
  </DashboardLayout>
);
