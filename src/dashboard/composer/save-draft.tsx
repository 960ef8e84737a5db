import type { Child } from "hono/jsx";
import { requireSubscription } from "#core/actor.ts";
import { type Refusal, RefusalError } from "#core/errors.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";
import type { FormProblem } from "#dashboard/post-form/form-problems.ts";
import type { PostForm } from "#dashboard/post-form/post-form.ts";
import { renderComposer } from "./render-composer.tsx";
import { contextOf } from "#dashboard/request/context-of.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { createDraft, getDraft, updateDraft } from "#drafts/index.ts";
import type { ComposerData } from "#planning/index.ts";
import { contentOfForm } from "#dashboard/post-form/content-of-form.ts";

const CHANGED =
  "Somebody saved this draft after you opened it. Save it again to replace what they wrote by what you see here, or see theirs first.";
const GONE = "This draft was deleted or scheduled meanwhile. Save it again to keep what you see here as a new draft.";

/** Saves the composer's form as a draft, finished or not. If that is refused, the page shows the whole form again. */
export async function saveDraft(
  c: PageContext,
  data: ComposerData,
  form: PostForm,
  ownProblems: readonly FormProblem[],
): Promise<Response> {
  const ctx = contextOf(c);
  const refused = (message: string, shown: PostForm = form, notice?: Child) =>
    renderComposer(c, data, shown, [{ field: "", message }], { notice });
  try {
    requireSubscription(ctx.actor);
    const before = form.draft === null ? null : await getDraft(ctx, form.draft);
    const platforms = new Map(data.accounts.map(({ id, platform }) => [id, platform]));
    const { content, problems } = contentOfForm(
      ctx,
      form,
      { platforms, media: data.media, display: displayOf(c) },
      before?.content ?? {},
    );
    if (ownProblems.length + problems.length > 0) {
      return await renderComposer(c, data, form, [...ownProblems, ...problems]);
    }
    const { id } =
      form.draft === null
        ? await createDraft(ctx, { content })
        : await updateDraft(ctx, { ...form.draft, changes: content });
    return c.redirect(`/dashboard/drafts/${id}?done=saved`, 303);
  } catch (error) {
    if (!(error instanceof RefusalError)) {
      throw error;
    }
    const { code, message }: Refusal = error.refusal;
    if (form.draft !== null && code === "draft_changed") {
      const { version } = await getDraft(ctx, form.draft);
      const { id } = form.draft;
      return refused(
        CHANGED,
        { ...form, draft: { id, version } },
        <p class="actions">
          <a class="button secondary" href={`/dashboard/drafts/${id}`} target="_blank" rel="noopener">
            See theirs in a new tab
          </a>
        </p>,
      );
    }
    if (code === "not_found") {
      return refused(GONE, { ...form, draft: null });
    }
    return refused(toSentence(message));
  }
}
