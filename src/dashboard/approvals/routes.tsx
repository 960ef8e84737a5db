import { CURRENT_PASSWORD, requireRecentAuthentication } from "#auth/index.ts";
import { requireSubscription } from "#core/actor.ts";
import type { RefusalCode } from "#core/codes.ts";
import { RefusalError } from "#core/errors.ts";
import { readAccountSettings } from "#dashboard/composer/composer-view.ts";
import { contextOf } from "#dashboard/request/context-of.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import { contentOfPreview } from "#dashboard/post-form/content-of-preview.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { type FormError, readForm, runUseCase } from "#dashboard/request/form.ts";
import { csrfToken } from "#dashboard/oauth/csrf-token.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { createDraft } from "#drafts/index.ts";
import { readSession } from "#dashboard/request/session-cookie.ts";
import {
  approveRequest,
  declineRequest,
  getApprovalOfUser,
  listApprovalsOfUser,
  reviewApproval,
} from "#confirming/index.ts";
import { ApprovalListPage } from "./approval-list-page.tsx";
import { ApprovalPage, reopenable } from "./approval-page.tsx";

const LIST_LENGTH = 100;

const idOf = (c: PageContext) => c.req.param("id") ?? "";

/** Handles `GET /approvals`. */
export async function showApprovals(c: PageContext): Promise<Response> {
  const { approvals, hasMore } = await listApprovalsOfUser(contextOf(c), { limit: LIST_LENGTH, offset: 0 });
  const { signedIn } = c.var;
  return renderPage(
    c,
    <ApprovalListPage signedIn={signedIn} display={displayOf(c)} approvals={approvals} hasMore={hasMore} />,
  );
}

/** Binds the form to this session and this plan, so that a person approves only what the page showed. */
function formToken(c: PageContext, planHash: string): Promise<string> {
  return csrfToken(readSession(c) ?? "", `/approvals/${idOf(c)} ${planHash}`);
}

function asksIdentity({ var: { signedIn } }: PageContext, workspaceId: string): boolean {
  return signedIn.workspaces.find(({ id }) => id === workspaceId)?.approvalReauthentication ?? false;
}

/** Renders the approval in its current state. Another user's approval gets the 404 page, like an unknown one. */
async function renderApproval(c: PageContext, error?: FormError): Promise<Response> {
  const ctx = contextOf(c);
  const reviewed = await reviewApproval(ctx, { id: idOf(c) });
  const { workspaceId, planHash } = reviewed.approval;
  const withBoards = reviewed.accounts.filter(({ platform }) => ctx.adapterFor(platform)?.listBoards !== undefined);
  const settings = await readAccountSettings({ ...ctx, actor: { ...ctx.actor, workspaceId } }, withBoards);
  return renderPage(
    c,
    <ApprovalPage
      signedIn={c.var.signedIn}
      services={ctx}
      reviewed={reviewed}
      settings={settings}
      display={displayOf(c)}
      csrfToken={await formToken(c, planHash)}
      asksIdentity={asksIdentity(c, workspaceId)}
      error={error}
    />,
    error === undefined ? 200 : 400,
  );
}

/** Handles `GET /approvals/:id`. Opening the page decides nothing. */
export function showApproval(c: PageContext): Promise<Response> {
  return renderApproval(c);
}

/**
 * Sentences for people that replace refusal messages written for programs. Decided requests need none, because the page
 * shows the outcome.
 */
const MESSAGES: Partial<Record<RefusalCode, string>> = {
  token_already_used: "this was already approved",
  approval_declined: "this was already declined",
  approval_expired: "the time to decide has passed",
  approval_stale: "this can no longer be done",
  approval_withdrawn: "this request was withdrawn",
  invalid_confirmation_token: "something changed at this moment: look at it again, then decide",
};

/** Runs a decision about the plan that the form showed. A refusal becomes a sentence on the page. */
async function decide(
  c: PageContext,
  decision: (form: Awaited<ReturnType<typeof readForm>>, planHash: string) => Promise<unknown>,
): Promise<Response> {
  const form = await readForm(c);
  const planHash = form.text("plan_hash");
  if (form.text("csrf_token") !== (await formToken(c, planHash))) {
    return renderApproval(c, { message: "this page has expired: please decide again" });
  }
  try {
    await decision(form, planHash);
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.code === "not_found") {
      throw error;
    }
    const { code, message, param } = error.refusal;
    return renderApproval(c, { message: MESSAGES[code] ?? message, param });
  }
  return c.redirect(`/approvals/${idOf(c)}`, 303);
}

/** Handles `POST /approvals/:id/approve`. */
export function doApprove(c: PageContext): Promise<Response> {
  return decide(c, async (form, planHash) => {
    const ctx = contextOf(c);
    const { workspaceId } = await getApprovalOfUser(ctx, { id: idOf(c) });
    if (asksIdentity(c, workspaceId)) {
      await requireRecentAuthentication(c.var.services, c.var.signedIn, { password: form.text(CURRENT_PASSWORD) });
    }
    await approveRequest(ctx, { id: idOf(c), planHash });
  });
}

/** Handles `POST /approvals/:id/decline`. */
export function doDecline(c: PageContext): Promise<Response> {
  return decide(c, (form) => declineRequest(contextOf(c), { id: idOf(c), note: form.text("note") }));
}

/** Handles `POST /approvals/:id/draft`: makes a draft of the person from a request that was not approved. */
export async function doReopen(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  const newPost = reopenable(await reviewApproval(ctx, { id: idOf(c) }), ctx.actor.workspaceId);
  if (newPost === null) {
    return c.notFound();
  }
  const created = await runUseCase(async () => {
    requireSubscription(ctx.actor);
    return await createDraft(ctx, { content: contentOfPreview(newPost) });
  });
  return created.ok
    ? c.redirect(`/dashboard/drafts/${created.value.id}?done=reopened`, 303)
    : renderApproval(c, created.error);
}
