import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { listAccounts } from "#accounts/index.ts";
import { requireSubscription } from "#core/actor.ts";
import { type Refusal, type RefusalDetail, RefusalError } from "#core/errors.ts";
import { getPosts } from "#posts/index.ts";
import { confirmEdit, previewEdit, repeatUntilVisible } from "#confirming/index.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { contextOf } from "#dashboard/request/context-of.ts";
import type { PageContext, PageEnv } from "#dashboard/request/env.ts";
import { readForm, withDone } from "#dashboard/request/form.ts";
import { countOf } from "#dashboard/wording/counts-and-limits.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import { wordsFor } from "#dashboard/wording/field-words.ts";
import { problemInWords } from "#dashboard/wording/problem-sentences.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";
import { readSubscriptionEnd } from "#dashboard/wording/subscription-end.ts";
import {
  type Action,
  editOfSelection,
  readSelectionForm,
  SELECTION_MAX,
  type SelectionForm,
} from "./selection-form.ts";
import { ActionForm, SelectionPage, SelectionPreview, SelectionRefused, VERBS } from "./selection-pages.tsx";

/** The `done` value with which the calendar says what was changed. */
const DONE = {
  move: "posts-moved",
  label: "posts-labelled",
  pause: "posts-paused",
  resume: "posts-resumed",
  cancel: "posts-cancelled",
} as const satisfies Record<Action, string>;

function render(c: PageContext, title: string, content: Child, status: 200 | 400 = 200): Promise<Response> {
  const page = (
    <SelectionPage title={title} signedIn={c.var.signedIn}>
      {content}
    </SelectionPage>
  );
  return renderPage(c, page, status);
}

/** Handles `POST /dashboard/selection`: asks for the action's details, then previews the change. */
async function doSelect(c: PageContext): Promise<Response> {
  const form = readSelectionForm(await readForm(c));
  const { ids, action } = form;
  if (ids.length === 0 || ids.length > SELECTION_MAX) {
    const problem =
      ids.length === 0
        ? "no post was selected: tick the posts first"
        : `${ids.length} posts are selected, and one change takes ${SELECTION_MAX}: select fewer`;
    return refused(c, { ...form, ids: [] }, { code: "invalid_request", message: problem });
  }
  const [display, now] = [displayOf(c), c.var.services.clock.now()];
  const title = `${VERBS[action]} ${countOf(ids.length, "post")}`;
  const asks = (action === "move" || action === "label") && !form.isFilled;
  const input = asks ? { problem: undefined } : editOfSelection(form, display);
  if ("problem" in input) {
    const { problem } = input;
    const content = <ActionForm form={form} display={display} now={now} problem={problem} />;
    return render(c, title, content, problem === undefined ? 200 : 400);
  }
  try {
    const ctx = contextOf(c);
    if (action === "move" || action === "resume") {
      requireSubscription(ctx.actor);
    }
    const [result, accounts] = await Promise.all([
      previewEdit(ctx, input),
      action === "move" || action === "resume" ? listAccounts(ctx) : [],
    ]);
    const subscriptionEnd = accounts.length === 0 ? null : readSubscriptionEnd(c.var.signedIn, c.var.services.config);
    const preview = (
      <SelectionPreview
        form={form}
        display={display}
        now={now}
        services={c.var.services}
        accounts={accounts}
        subscriptionEnd={subscriptionEnd}
        result={result}
      />
    );
    return await render(c, `${title}?`, preview);
  } catch (error) {
    if (error instanceof RefusalError) {
      return refused(c, form, error.refusal);
    }
    throw error;
  }
}

/** Handles `POST /dashboard/selection/confirm`: changes all selected posts or none. */
async function doConfirm(c: PageContext): Promise<Response> {
  const fields = await readForm(c);
  const form = readSelectionForm(fields);
  try {
    const confirmationToken = fields.text("confirmation_token");
    await repeatUntilVisible(() => confirmEdit(contextOf(c), { confirmationToken }));
  } catch (error) {
    if (error instanceof RefusalError) {
      return refused(c, form, error.refusal);
    }
    throw error;
  }
  return c.redirect(withDone(form.next, DONE[form.action]), 303);
}

const OF_POST = /^post ([0-9a-f-]{36}): /;

/** The post to which a problem belongs; undefined if the problem concerns the whole selection. */
function postIdOf({ param = "", message }: RefusalDetail, ids: readonly string[]): string | undefined {
  const [, index] = /^post_ids\[(\d+)\]$/.exec(param) ?? [];
  return index === undefined
    ? (OF_POST.exec(message)?.[1] ?? (ids.length === 1 ? ids[0] : undefined))
    : ids[Number(index)];
}

const CHANGED = "It was changed, or began to be published, after the preview.";

/** Lists the posts that prevent the change of the selection, with the reasons. */
async function refused(c: PageContext, form: SelectionForm, refusal: Refusal): Promise<Response> {
  const { services } = c.var;
  const display = displayOf(c);
  const { code, message, details = [], postIds = [] } = refusal;
  if (code === "token_already_used") {
    return c.redirect(withDone(form.next, DONE[form.action]), 303);
  }
  const words = wordsFor(services, display);
  const sentences = new Map<string, string[]>(code === "post_changed" ? postIds.map((id) => [id, [CHANGED]]) : []);
  const general: string[] = [];
  for (const detail of details) {
    const id = postIdOf(detail, form.ids);
    const sentence = problemInWords({ ...detail, message: detail.message.replace(OF_POST, "") }, words);
    if (id === undefined) {
      general.push(sentence);
    } else {
      sentences.set(id, [...(sentences.get(id) ?? []), sentence]);
    }
  }
  const ids = [...sentences.keys()];
  const { actor } = contextOf(c);
  const posts = ids.length === 0 ? [] : await getPosts(contextOf(c), { workspaceId: actor.workspaceId, ids });
  return render(
    c,
    "Nothing was changed",
    <SelectionRefused
      form={form}
      display={display}
      general={general.length + ids.length === 0 ? [toSentence(message)] : general}
      refused={ids.map((id) => ({
        id,
        post: posts.find((post) => post.id === id),
        sentences: sentences.get(id) ?? [],
      }))}
    />,
    400,
  );
}

/** Serves the change of many selected posts with one preview and one confirm. */
export const selectionPages = new Hono<PageEnv>().post("/", doSelect).post("/confirm", doConfirm);
