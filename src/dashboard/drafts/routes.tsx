import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { ForgetSentText, Notice } from "#dashboard/layout/components.tsx";
import { renderComposer } from "#dashboard/composer/render-composer.tsx";
import { contextOf } from "#dashboard/request/context-of.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import type { PageContext, PageEnv } from "#dashboard/request/env.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { deleteDraft, getDraft, listDrafts } from "#drafts/index.ts";
import { loadComposer } from "#planning/index.ts";
import { DraftListPage, PlannedNotice } from "./draft-list-page.tsx";
import { formOfDraft, mediaUrlsOfDraft, timeOfDraft } from "#dashboard/post-form/form-of-draft.ts";

const DRAFTS_PER_PAGE = 50;
const MAX_PAGE = 20;

const idOf = (c: PageContext) => c.req.param("id") ?? "";

/** Handles `GET /dashboard/drafts`. An invalid page number shows the first page. */
async function showDrafts(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  const page = Math.min(MAX_PAGE, Math.max(1, Math.trunc(Number(c.req.query("page"))) || 1));
  const { drafts, hasMore } = await listDrafts(ctx, { limit: DRAFTS_PER_PAGE, offset: (page - 1) * DRAFTS_PER_PAGE });
  return renderPage(
    c,
    <DraftListPage
      signedIn={c.var.signedIn}
      display={displayOf(c)}
      now={ctx.clock.now()}
      drafts={drafts}
      hasMore={hasMore}
      page={page}
      isDeleted={c.req.query("done") === "deleted"}
    />,
  );
}

const DONE: Readonly<Record<string, string>> = {
  saved: "The draft is saved. Nothing is scheduled yet.",
  reopened: "What was asked for is a draft now: change it and preview it again.",
};

/** Notices about the form that was sent before, and about accounts of the draft that can no longer be chosen. */
function noticesOf(done: string, missingAccounts: number, planned: Child): Child {
  const sentence = DONE[done];
  const accounts =
    missingAccounts === 1 ? "An account of this draft is" : `${missingAccounts} accounts of this draft are`;
  return (
    <>
      {done !== "" && <ForgetSentText />}
      {sentence !== undefined && <Notice kind="success">{sentence}</Notice>}
      {missingAccounts > 0 && (
        <Notice kind="info">{`${accounts} not connected now. What was written for them is gone once you save.`}</Notice>
      )}
      {planned}
    </>
  );
}

/** Handles `GET /dashboard/drafts/:id`: shows the draft in the composer. */
async function showDraft(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  const draft = await getDraft(ctx, { id: idOf(c) });
  const data = await loadComposer(ctx, { postId: null, mediaUrls: mediaUrlsOfDraft(draft) });
  const { form, missingAccounts } = formOfDraft(ctx, draft, {
    accounts: data.accounts,
    isStored: (url) => data.media.has(url),
    display: displayOf(c),
  });
  const planned = <PlannedNotice time={timeOfDraft(draft.content, displayOf(c))} display={displayOf(c)} />;
  return renderComposer(c, data, form, [], { notice: noticesOf(c.req.query("done") ?? "", missingAccounts, planned) });
}

async function doDeleteDraft(c: PageContext): Promise<Response> {
  await deleteDraft(contextOf(c), { id: idOf(c) });
  return c.redirect("/dashboard/drafts?done=deleted", 303);
}

/** Serves the drafts of the active workspace. The composer saves them. */
export const draftPages = new Hono<PageEnv>()
  .get("/", showDrafts)
  .get("/:id", showDraft)
  .post("/:id/delete", doDeleteDraft);
