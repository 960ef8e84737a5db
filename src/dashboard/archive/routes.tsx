import { contextOf } from "#dashboard/request/context-of.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { listArchivedPosts } from "#posts/index.ts";
import { ARCHIVE_FILTERS, ArchivePage } from "./archive-page.tsx";

const POSTS_PER_PAGE = 50;
const MAX_PAGE = 1_000_000;

/** Handles `GET /dashboard/archive`. An invalid page number or filter shows the first page. */
export async function showArchive(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  const page = Math.min(MAX_PAGE, Math.max(1, Math.trunc(Number(c.req.query("page"))) || 1));
  const status = ARCHIVE_FILTERS.find((one) => one === c.req.query("status"));
  const list = await listArchivedPosts(ctx, {
    status,
    fields: "summary",
    order: "desc",
    limit: POSTS_PER_PAGE,
    offset: (page - 1) * POSTS_PER_PAGE,
  });
  return renderPage(
    c,
    <ArchivePage
      signedIn={c.var.signedIn}
      display={displayOf(c)}
      now={ctx.clock.now()}
      address={{ status, page }}
      list={list}
      afterDays={ctx.actor.limits.archiveAfterDays}
    />,
  );
}
