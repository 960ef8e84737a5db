import { Hono } from "hono";
import { RefusalError } from "#core/errors.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import type { PageContext, PageEnv } from "#dashboard/request/env.ts";
import { parseAnnotationForm, readAnnotationForm } from "#dashboard/post-form/annotation-form.ts";
import { type FormError, readForm } from "#dashboard/request/form.ts";
import { renderPage, wantsFragment } from "#dashboard/layout/render-page.tsx";
import { annotatePost, cancelPost, pausePost, resumePost } from "#post-status/index.ts";
import { getPostRecord } from "#posts/index.ts";
import { doConfirmEdit } from "./confirm-edit.tsx";
import { LivePart, PostPage, type PostPageProps } from "./post-page.tsx";
import { doRetry, showRetry } from "./retry.tsx";
import { contextOf } from "#dashboard/request/context-of.ts";

function idOf(c: PageContext): string {
  return c.req.param("id") ?? "";
}

async function renderPost(
  c: PageContext,
  error?: FormError,
  refusedAnnotations?: PostPageProps["refusedAnnotations"],
): Promise<Response> {
  const { services, signedIn } = c.var;
  const record = await getPostRecord(contextOf(c), { id: idOf(c) });
  const props = {
    record,
    signedIn,
    display: displayOf(c),
    now: services.clock.now(),
    done: c.req.query("done"),
    error,
    refusedAnnotations,
  };
  return wantsFragment(c)
    ? c.html(<LivePart {...props} />)
    : renderPage(c, <PostPage {...props} />, error === undefined && refusedAnnotations === undefined ? 200 : 400);
}

/**
 * Runs a change of the post. A refusal becomes a sentence on the post's page; another user's post gets the 404 page.
 */
async function change(c: PageContext, useCase: () => Promise<string>): Promise<Response> {
  try {
    const done = await useCase();
    return c.redirect(`/dashboard/posts/${idOf(c)}?done=${done}`, 303);
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.code === "not_found") {
      throw error;
    }
    return renderPost(c, { message: error.refusal.message });
  }
}

/** Replaces the annotations of a post. If that is refused, the page shows the typed values again. */
async function doAnnotate(c: PageContext): Promise<Response> {
  const fields = await readForm(c);
  const form = readAnnotationForm((name) => fields.text(name));
  const { annotations, problems } = parseAnnotationForm(form);
  return problems.length > 0
    ? renderPost(c, undefined, { form, problems })
    : change(c, async () => {
        await annotatePost(contextOf(c), { id: idOf(c), annotations });
        return "annotated";
      });
}

/** Matches only ids, because other pages have paths such as `/new`. */
const POST = "/:id{[0-9a-f-]{36}}";

/** Serves the pages and forms of one post. */
export function createPostPages(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.post("/edit/confirm", doConfirmEdit);
  app.get(POST, (c) => renderPost(c));
  app.post(`${POST}/pause`, (c) =>
    change(c, async () => {
      await pausePost(contextOf(c), { id: idOf(c) });
      return "paused";
    }),
  );
  app.post(`${POST}/resume`, (c) =>
    change(c, async () => {
      await resumePost(contextOf(c), { id: idOf(c) });
      return "resumed";
    }),
  );
  app.post(`${POST}/cancel`, (c) =>
    change(c, async () => {
      const { status } = await cancelPost(contextOf(c), { id: idOf(c) });
      return status === "cancelled" ? "cancelled" : "retry-stopped";
    }),
  );
  app.post(`${POST}/annotations`, doAnnotate);
  app.get(`${POST}/retry`, showRetry).post(`${POST}/retry`, doRetry);
  return app;
}
