import { ALERT_KINDS } from "#core/alert.ts";
import { contextOf } from "#dashboard/request/context-of.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { readForm } from "#dashboard/request/form.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { dismissNotice, listNotices } from "#notices/index.ts";
import { NoticesPage } from "./notices-page.tsx";

/** Handles `GET /notices`. */
export async function showNotices(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  const list = await listNotices(ctx);
  return renderPage(
    c,
    <NoticesPage
      signedIn={c.var.signedIn}
      display={displayOf(c)}
      now={ctx.clock.now()}
      list={list}
      done={c.req.query("done")}
    />,
  );
}

/** Handles `POST /notices/dismiss`. It dismisses only what the person saw; a newer notice of the same subject stays. */
export async function doDismissNotice(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const kind = ALERT_KINDS.find((known) => known === form.text("kind"));
  if (kind !== undefined) {
    await dismissNotice(contextOf(c), { kind, subjectId: form.text("subject"), at: Number(form.text("at")) || 0 });
  }
  return c.redirect("/notices?done=dismissed", 303);
}
