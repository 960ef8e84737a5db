import type { Child } from "hono/jsx";
import { contextOf } from "#dashboard/request/context-of.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { renderPage, wantsFragment } from "#dashboard/layout/render-page.tsx";
import type { ComposerData } from "#planning/index.ts";
import { ComposerDialog, ComposerPage } from "./composer-page.tsx";
import { type ComposerView, readAccountSettings } from "./composer-view.ts";
import type { FormProblem } from "#dashboard/post-form/form-problems.ts";
import type { PostForm } from "#dashboard/post-form/post-form.ts";

/** What the composer needs to know about the request: the time, the workspace, and which files can be uploaded. */
export const momentOf = (c: PageContext) => ({
  now: c.var.services.clock.now(),
  workspaceId: c.var.signedIn.actor.workspaceId,
  canConvert: c.var.services.images !== null,
});

/** Completes the composer's data with what the platforms answer about the chosen accounts. */
async function viewOf(
  c: PageContext,
  data: ComposerData,
  form: PostForm,
  problems: readonly FormProblem[] = [],
): Promise<ComposerView> {
  const ctx = contextOf(c);
  const chosen = data.accounts.filter(({ id }) => form.accountIds.includes(id));
  const settings = await readAccountSettings(ctx, chosen);
  return {
    ...settings,
    services: ctx,
    data,
    form,
    problems,
    display: displayOf(c),
    ...momentOf(c),
  };
}

/** The page around the composer's form. */
interface ComposerFrame {
  readonly title?: string | undefined;
  /** What the page says about the form that was sent before. */
  readonly notice?: Child;
  readonly refusedStatus?: 400 | 413;
}

/** Renders the composer as a whole page, or the form alone for a dialog. */
export async function renderComposer(
  c: PageContext,
  data: ComposerData,
  form: PostForm,
  problems: readonly FormProblem[] = [],
  { title, notice, refusedStatus = 400 }: ComposerFrame = {},
): Promise<Response> {
  const view = await viewOf(c, data, form, problems);
  const status = problems.length > 0 ? refusedStatus : 200;
  if (wantsFragment(c)) {
    return c.html(<ComposerDialog view={view} />, status);
  }
  return renderPage(c, <ComposerPage view={view} title={title} notice={notice} signedIn={c.var.signedIn} />, status);
}

/** The ids of accounts that still exist in the workspace. A copied post may name accounts that were disconnected. */
export function knownAccounts({ accounts }: ComposerData, ids: readonly string[]): readonly string[] {
  return accounts.filter(({ id, status }) => status === "active" && ids.includes(id)).map(({ id }) => id);
}
