import { Hono } from "hono";
import type { Context } from "#context.ts";
import { requireSubscription } from "#core/actor.ts";
import type { RefusalCode } from "#core/codes.ts";
import { RefusalError } from "#core/errors.ts";
import { wallTimeAt } from "#core/wall-time.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";
import { displayOf, formatDateTime } from "#dashboard/wording/display.ts";
import { saveDraft } from "./save-draft.tsx";
import type { PageContext, PageEnv } from "#dashboard/request/env.ts";
import { runUseCase } from "#dashboard/request/form.ts";
import { wordsFor } from "#dashboard/wording/field-words.ts";
import { refusalInWords } from "#dashboard/wording/problem-sentences.ts";
import { isFileInput, receiveForm } from "#dashboard/media/receive-form.ts";
import { readBodyText } from "#dashboard/request/read-body.ts";
import { firstWords } from "#dashboard/wording/post-state.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { readTakenSlot } from "#dashboard/wording/taken-slot.ts";
import { readSubscriptionEnd } from "#dashboard/wording/subscription-end.ts";
import { MAX_POST_MEDIA } from "#media/limits.ts";
import { type ComposerData, loadComposer } from "#planning/index.ts";
import { confirmSchedule, repeatUntilVisible } from "#confirming/index.ts";
import { type Post } from "#posts/index.ts";
import { applyIntent } from "./apply-intent.ts";
import { NotEditablePage } from "./composer-page.tsx";
import { optionSpecsOf, readAccountSettings } from "./composer-view.ts";
import { EditPreviewPage } from "./edit-preview-page.tsx";
import type { FormProblem } from "#dashboard/post-form/form-problems.ts";
import { EMPTY_FORM, fileToCome, mediaUrlsOf, parsePostForm, type PostForm } from "#dashboard/post-form/post-form.ts";
import { PreviewPage, RefusedConfirmPage } from "./preview-page.tsx";
import { previewForm, previewFormChanges } from "./preview-form.ts";
import { formOfPost, isEditablePost } from "#dashboard/post-form/read-post-form.ts";
import { knownAccounts, momentOf, renderComposer } from "./render-composer.tsx";
import { contextOf } from "#dashboard/request/context-of.ts";

async function showNewPost(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  const display = displayOf(c);
  const duplicate = c.req.query("duplicate");
  const mediaUrls = (c.req.queries("media") ?? []).slice(0, MAX_POST_MEDIA);
  const data = await loadComposer(ctx, { postId: duplicate ?? null, mediaUrls });
  const named = knownAccounts(data, c.req.queries("account") ?? []);
  const copy = data.post === null ? EMPTY_FORM : formOfPost(ctx, data.post, "duplicate", display);
  // A copy of a post for named accounts goes only to them, because the post's other accounts may already have it.
  const content = data.post === null || named.length > 0 ? { ...copy, accountIds: named } : copy;
  const [, date, time] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}))?$/.exec(c.req.query("at") ?? "") ?? [];
  const start = data.post === null ? wallTimeAt(display.timeZone, ctx.clock.now()).date : "";
  return renderComposer(
    c,
    { ...data, post: null },
    {
      ...content,
      // An address in the URL is used only if the workspace's library has the file.
      media: [...new Set([...content.media, ...mediaUrls.filter((url) => data.media.has(url))])],
      accountIds: knownAccounts(data, content.accountIds),
      date: date ?? start,
      time: time ?? content.time,
    },
    [],
    { title: data.post === null ? undefined : `Copy of “${firstWords(data.post.caption)}”` },
  );
}

async function showEditPost(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  const data = await loadComposer(ctx, { postId: c.req.param("id") ?? "", mediaUrls: [] });
  if (data.post === null) {
    return c.notFound();
  }
  return !isEditablePost(data.post)
    ? renderPage(c, <NotEditablePage post={data.post} signedIn={c.var.signedIn} />, 409)
    : renderComposer(c, data, formOfPost(ctx, data.post, "edit", displayOf(c)));
}

/** Reads everything that a sent form refers to. If the post is another user's, the page is missing (404). */
function loadFor(c: PageContext, form: PostForm): Promise<ComposerData> {
  const postId = form.postId === "" ? null : form.postId;
  return loadComposer(contextOf(c), { postId, mediaUrls: mediaUrlsOf(form) });
}

/** Handles `POST /dashboard/posts/files`: stores the chosen files and shows the form again with them. */
async function doAddFiles(c: PageContext): Promise<Response> {
  const allowed = await runUseCase(async () => requireSubscription(c.var.signedIn.actor));
  const received = await receiveForm(c, { storesFiles: allowed.ok });
  const { files, fields, problems, isTooLarge } = received ?? {
    files: [],
    fields: new URLSearchParams(),
    problems: [],
    isTooLarge: false,
  };
  for (const { url, into } of files) {
    fields.append(into === "" ? "media" : into, url);
  }
  const form = parsePostForm(fields);
  const sentences = allowed.ok
    ? problems.map(({ name, message }) => (name === "" ? toSentence(message) : `${name}: ${toSentence(message)}`))
    : [toSentence(allowed.error.message)];
  if (files.length === 0 && sentences.length === 0) {
    sentences.push("Choose the files first, then upload them.");
  }
  const inForm = sentences.map((message) => ({ field: "media", message }));
  return renderComposer(c, await loadFor(c, form), form, inForm, { refusedStatus: isTooLarge ? 413 : 400 });
}

/**
 * Serves the upload of files from the composer. It is mounted before the size limit for forms, because it has its own
 * limit.
 */
export const composerFilesForm = new Hono<PageEnv>().post("/", doAddFiles);

/**
 * Problems for files that were chosen but not uploaded. Without a script, this form sends only the name of such a file.
 */
function filesNotUploaded(params: URLSearchParams, { media }: PostForm): readonly FormProblem[] {
  const chosen = [...params].flatMap(([input, name]) => (isFileInput(input) && name !== "" ? [name] : []));
  const toCome = media.map(fileToCome).filter((name) => name !== null);
  return [
    ...chosen.map((name) => `${name} is not uploaded yet: choose it again and press “Upload these files”.`),
    ...toCome.map((name) => `${name} is not uploaded: choose it again, or remove it.`),
  ].map((message) => ({ field: "media", message }));
}

/** Handles `POST /dashboard/posts/preview`, to which every button of the composer sends the form. */
async function doPreview(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  const params = new URLSearchParams(await readBodyText(c));
  const form = parsePostForm(params);
  const data = await loadFor(c, form);
  const intent = params.get("intent") ?? "preview";
  if (intent === "save_draft" && data.post === null) {
    return saveDraft(c, data, form, filesNotUploaded(params, form));
  }
  if (intent !== "preview") {
    return renderComposer(
      c,
      data,
      applyIntent(form, intent, (accountId) => optionSpecsOf({ services: ctx, data }, accountId)),
    );
  }
  const missing = filesNotUploaded(params, form);
  if (missing.length > 0) {
    return renderComposer(c, data, form, missing);
  }
  return data.post === null
    ? previewNewPost(c, data, form, params.has("renewed"))
    : previewChanges(c, data, data.post, form);
}

async function previewNewPost(
  c: PageContext,
  data: ComposerData,
  form: PostForm,
  isRenewed: boolean,
): Promise<Response> {
  const ctx = contextOf(c);
  const display = displayOf(c);
  const previewed = await previewForm(ctx, data, form, display);
  if (!previewed.ok) {
    return renderComposer(c, data, form, previewed.problems);
  }
  const settings = await readAccountSettings(ctx, accountsWithBoards(ctx, data, form));
  return renderPage(
    c,
    <PreviewPage
      signedIn={c.var.signedIn}
      services={ctx}
      settings={settings}
      previewed={previewed.value}
      form={form}
      display={display}
      accounts={data.accounts}
      subscriptionEnd={readSubscriptionEnd(c.var.signedIn, ctx.config)}
      renewedAt={isRenewed ? ctx.clock.now() : null}
    />,
  );
}

async function previewChanges(c: PageContext, data: ComposerData, post: Post, form: PostForm): Promise<Response> {
  const ctx = contextOf(c);
  const display = displayOf(c);
  const previewed = await previewFormChanges(ctx, data, post, form, display);
  if (!previewed.ok) {
    return renderComposer(c, data, form, previewed.problems);
  }
  const settings = await readAccountSettings(ctx, accountsWithBoards(ctx, data, form));
  const view = { ...settings, services: ctx, data, form, problems: [], display, ...momentOf(c) };
  return renderPage(
    c,
    <EditPreviewPage
      signedIn={c.var.signedIn}
      view={view}
      previewed={previewed.value}
      subscriptionEnd={readSubscriptionEnd(c.var.signedIn, ctx.config)}
    />,
  );
}

/**
 * Reads the boards of the chosen accounts, because a preview names boards. It already contains everything else from the
 * platforms.
 */
function accountsWithBoards(ctx: Context, { accounts }: ComposerData, { accountIds }: PostForm) {
  return accounts.filter(
    ({ id, platform }) => accountIds.includes(id) && ctx.adapterFor(platform)?.listBoards !== undefined,
  );
}

/** Sentences for people that replace refusal messages written for programs. */
const CONFIRM_MESSAGES: Partial<Record<RefusalCode, string>> = {
  invalid_confirmation_token:
    "This preview can no longer be scheduled: it is valid for five minutes, and only as long as nothing else changes. Everything you wrote is still here.",
  token_not_visible_yet:
    "This preview cannot be read here yet. Nothing is scheduled, and everything you wrote is still here: preview it again.",
  scheduled_at_in_past: "The chosen time has passed. Everything you wrote is still here: choose a later time.",
};

async function doConfirm(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  const params = new URLSearchParams(await readBodyText(c));
  try {
    requireSubscription(ctx.actor);
    const confirmationToken = params.get("confirmation_token") ?? "";
    const { posts } = await repeatUntilVisible(() => confirmSchedule(ctx, { confirmationToken }));
    const done = params.get("when") === "now" ? "now" : "scheduled";
    return c.redirect(`/dashboard/posts/${posts[0]?.id ?? ""}?done=${done}`, 303);
  } catch (error) {
    if (!(error instanceof RefusalError)) {
      throw error;
    }
    const { code, details = [], postIds = [] } = error.refusal;
    const [postId] = postIds;
    if (code === "token_already_used" && postId !== undefined) {
      return c.redirect(`/dashboard/posts/${postId}`, 303);
    }
    const form = parsePostForm(params);
    const taken = await readTakenSlot(c, error.refusal);
    if (taken) {
      const again = taken.next === null ? undefined : `Preview for ${formatDateTime(displayOf(c), taken.next)}`;
      return renderPage(
        c,
        <RefusedConfirmPage signedIn={c.var.signedIn} form={form} again={again}>
          {`${taken.sentences} Nothing is scheduled yet, and everything you wrote is still here.`}
        </RefusedConfirmPage>,
        400,
      );
    }
    const own = details.length > 1 ? undefined : CONFIRM_MESSAGES[code];
    const sentences = own === undefined ? refusalInWords(error.refusal, wordsFor(ctx, displayOf(c))) : [own];
    return renderPage(
      c,
      <RefusedConfirmPage signedIn={c.var.signedIn} form={form}>
        {sentences.join(" ")}
      </RefusedConfirmPage>,
      400,
    );
  }
}

/**
 * Serves the composer, the preview and the confirm of new posts. If a browser opens the address of a form directly, a
 * new post begins.
 */
export const composer = new Hono<PageEnv>()
  .get("/dashboard/posts/new", showNewPost)
  .get("/dashboard/posts/preview", (c) => c.redirect("/dashboard/posts/new", 303))
  .get("/dashboard/posts/confirm", (c) => c.redirect("/dashboard/posts/new", 303))
  .post("/dashboard/posts/preview", doPreview)
  .post("/dashboard/posts/confirm", doConfirm)
  .get("/dashboard/posts/:id/edit", showEditPost);
