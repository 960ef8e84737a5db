import { Hono } from "hono";
import { requireSubscription } from "#core/actor.ts";
import { RefusalError } from "#core/errors.ts";
import { deleteMedia, importMedia, isMediaId, type LibraryPosition, listMedia } from "#media/index.ts";
import type { PageContext, PageEnv } from "#dashboard/request/env.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import { readForm, runUseCase } from "#dashboard/request/form.ts";
import { isOnTrial } from "#dashboard/wording/plan-labels.ts";
import { renderPage, wantsFragment } from "#dashboard/layout/render-page.tsx";
import { MediaGrid, MediaPage, type MediaPageMessages } from "./page.tsx";
import { type MediaProblem, receiveForm } from "./receive-form.ts";
import { doCancelUpload, doStartUpload } from "./uploads.ts";
import { contextOf } from "#dashboard/request/context-of.ts";

/** The position in the query parameter `before`. Null on the first page and for an invalid position. */
function readPosition(c: PageContext): LibraryPosition | null {
  const match = /^(\d{1,15})-(.+)$/.exec(c.req.query("before") ?? "");
  const [, createdAt = "", id = ""] = match ?? [];
  return isMediaId(id) ? { createdAt: Number(createdAt), id } : null;
}

async function renderLibrary(
  c: PageContext,
  messages: MediaPageMessages,
  status: 200 | 400 | 403 | 409 | 413 = 200,
): Promise<Response> {
  const before = readPosition(c);
  const library = await listMedia(contextOf(c), { before });
  const { services, signedIn } = c.var;
  const props = {
    library,
    isFirstPage: before === null,
    isTrial: isOnTrial(signedIn, services.config),
    display: displayOf(c),
    now: services.clock.now(),
  };
  return wantsFragment(c)
    ? c.html(<MediaGrid {...props} />, status)
    : renderPage(
        c,
        <MediaPage {...props} signedIn={signedIn} canConvert={services.images !== null} messages={messages} />,
        status,
      );
}

/** Handles `GET /dashboard/media`. With the header `x-fragment: 1`, only the library without the forms. */
function showMedia(c: PageContext): Promise<Response> {
  return renderLibrary(c, { done: c.req.query("done") });
}

async function doDeleteMedia(c: PageContext): Promise<Response> {
  const result = await deleteMedia(contextOf(c), { id: c.req.param("id") ?? "" });
  return result.state === "deleted"
    ? c.redirect("/dashboard/media?done=deleted", 303)
    : renderLibrary(c, { inUse: result }, 409);
}

/** Converts the problems of a refused import. `urls[2]` becomes the third address, so that the person recognizes it. */
function importProblems({ refusal }: RefusalError, urls: readonly string[]): readonly MediaProblem[] {
  const problems = (refusal.details ?? []).map(({ message, param }) => ({
    name: urls[Number(/^urls\[(\d+)\]/.exec(param ?? "")?.[1] ?? Number.NaN)] ?? "",
    message,
  }));
  return problems.length > 0 && refusal.code === "validation_failed"
    ? problems
    : [{ name: "", message: refusal.message }];
}

async function doImportMedia(c: PageContext): Promise<Response> {
  const text = (await readForm(c)).text("urls");
  const urls = text.split(/\s+/).filter((url) => url !== "");
  try {
    requireSubscription(c.var.signedIn.actor);
    await importMedia(contextOf(c), { urls });
  } catch (error) {
    if (error instanceof RefusalError) {
      return renderLibrary(c, { problems: importProblems(error, urls), urls: text }, 400);
    }
    throw error;
  }
  return c.redirect("/dashboard/media?done=imported", 303);
}

/** Handles `POST /dashboard/media/uploads/form`: stores the files of a form while they arrive. */
async function doUploadForm(c: PageContext): Promise<Response> {
  const allowed = await runUseCase(async () => requireSubscription(c.var.signedIn.actor));
  if (!allowed.ok) {
    return renderLibrary(c, { problems: [{ name: "", message: allowed.error.message }] }, 403);
  }
  const received = await receiveForm(c);
  const { files, problems, isTooLarge } = received ?? { files: [], problems: [], isTooLarge: false };
  if (problems.length > 0) {
    return renderLibrary(c, { saved: files.length, problems }, isTooLarge ? 413 : 400);
  }
  return files.length === 0
    ? renderLibrary(c, { problems: [{ name: "", message: "choose the files to upload" }] }, 400)
    : c.redirect("/dashboard/media?done=uploaded", 303);
}

/**
 * Serves the upload of files with a form. It is mounted before the size limit for forms, because it has its own limit.
 */
export const mediaUploadForm = new Hono<PageEnv>().post("/", doUploadForm);

export const mediaPages = new Hono<PageEnv>()
  .get("/", showMedia)
  .post("/import", doImportMedia)
  .post("/uploads", doStartUpload)
  .post("/uploads/:id/cancel", doCancelUpload)
  .post("/:id/delete", doDeleteMedia);
