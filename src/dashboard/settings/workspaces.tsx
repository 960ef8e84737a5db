import type { FC } from "hono/jsx";
import { CURRENT_PASSWORD, requireRecentAuthentication, type SignedInUser } from "#auth/index.ts";
import {
  activateWorkspace,
  createWorkspace,
  listWorkspaces,
  renameWorkspace,
  setApprovalReauthentication,
  type Workspace,
} from "#workspaces/index.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { type FormError, localPath, readForm, runUseCase } from "#dashboard/request/form.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { Field, DateTime, Notice, FormErrorNotice } from "#dashboard/layout/components.tsx";
import { ReauthenticationFields } from "#dashboard/layout/reauthentication.tsx";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { contextOf } from "#dashboard/request/context-of.ts";

const DONE_MESSAGES: Readonly<Record<string, string>> = {
  created: "The workspace was created. Switch to it to work there.",
  renamed: "The workspace was renamed.",
  asks: "You are asked for your password or a passkey before you approve something in this workspace.",
  "asks-no-more": "You can approve in this workspace without identifying again.",
  switched: "You switched workspaces. Your API keys and apps now use this workspace too.",
};

/**
 * The switch for whether approvals ask for the password or a passkey. Switching it off asks for them too, because that
 * lowers the protection.
 */
const ApprovalSwitch: FC<{ workspace: Workspace; signedIn: SignedInUser; error: FormError | undefined }> = (props) => {
  const { workspace, signedIn, error } = props;
  const asks = signedIn.workspaces.find(({ id }) => id === workspace.id)?.approvalReauthentication ?? false;
  return (
    <details class="confirm" open={error !== undefined}>
      <summary aria-label={`Approvals in ${workspace.name}`}>Approvals…</summary>
      <form method="post" action={`/dashboard/workspaces/${workspace.id}/approvals`}>
        <p>
          {asks
            ? "Before you approve what an agent asks for, you enter your password or use a passkey, unless you did so in the last 10 minutes."
            : "You approve what an agent asks for with one press. You can be asked for your password or a passkey first."}
        </p>
        <input type="hidden" name="asks" value={asks ? "no" : "yes"} />
        {asks && <ReauthenticationFields signedIn={signedIn} id={`approvals-${workspace.id}`} error={error} />}
        <button class="secondary">{asks ? "Do not ask" : "Always ask me"}</button>
      </form>
    </details>
  );
};

const WorkspaceRow: FC<{
  workspace: Workspace;
  signedIn: SignedInUser;
  approvalError: FormError | undefined;
}> = ({ workspace, signedIn, approvalError }) => (
  <li class="item">
    <div class="item-header">
      <h3>{workspace.name}</h3>
      {workspace.isActive && <span class="tag active">Active</span>}
    </div>
    <p class="item-meta">
      <span>
        Created <DateTime value={workspace.createdAt} timeZone={signedIn.timeZone} showTime={false} />
      </span>
    </p>
    <div class="item-actions">
      {!workspace.isActive && (
        <form method="post" action={`/dashboard/workspaces/${workspace.id}/activate`}>
          <button class="secondary" aria-label={`Switch to ${workspace.name}`}>
            Switch
          </button>
        </form>
      )}
      <details class="confirm">
        <summary aria-label={`Rename ${workspace.name}`}>Rename…</summary>
        <form method="post" action={`/dashboard/workspaces/${workspace.id}/rename`}>
          <Field
            name="name"
            id={`name-${workspace.id}`}
            label="New name"
            value={workspace.name}
            required
            maxlength={100}
          />
          <button>Rename</button>
        </form>
      </details>
      <ApprovalSwitch workspace={workspace} signedIn={signedIn} error={approvalError} />
    </div>
  </li>
);

const WorkspacesPage: FC<{
  signedIn: SignedInUser;
  workspaces: readonly Workspace[];
  done: string | undefined;
  error?: FormError | undefined;
  /** The id of the workspace whose form shows the error, if the error belongs to one. */
  approvalsOf?: string | undefined;
}> = ({ signedIn, workspaces, done, error, approvalsOf }) => (
  <DashboardLayout
    title="Workspaces"
    section="workspaces"
    signedIn={signedIn}
    lead="Accounts and posts belong to a workspace. You, your API keys and your apps always use the active one."
  >
    {done !== undefined && DONE_MESSAGES[done] !== undefined && <Notice kind="success">{DONE_MESSAGES[done]}</Notice>}
    <FormErrorNotice error={error} fields={approvalsOf === undefined ? [] : [CURRENT_PASSWORD]} />
    <div class="two-columns">
      <section aria-labelledby="workspaces">
        <h2 id="workspaces">Your workspaces</h2>
        <ul class="items">
          {workspaces.map((workspace) => (
            <WorkspaceRow
              workspace={workspace}
              signedIn={signedIn}
              approvalError={workspace.id === approvalsOf ? error : undefined}
            />
          ))}
        </ul>
      </section>
      <section class="card" aria-labelledby="new-workspace">
        <h2 id="new-workspace">New workspace</h2>
        {signedIn.actor.limits.workspaces > 1 ? (
          <form method="post" action="/dashboard/workspaces">
            <Field name="name" label="Name" required maxlength={100} />
            <button>Create workspace</button>
          </form>
        ) : (
          <>
            <p>Additional workspaces require the Scale plan.</p>
            <p>
              <a class="button secondary" href="/dashboard/plan">
                View plans
              </a>
            </p>
          </>
        )}
      </section>
    </div>
  </DashboardLayout>
);

async function renderWorkspacesPage(c: PageContext, error?: FormError, approvalsOf?: string): Promise<Response> {
  const workspaces = await listWorkspaces(contextOf(c));
  const { signedIn } = c.var;
  return renderPage(
    c,
    <WorkspacesPage
      signedIn={signedIn}
      workspaces={workspaces}
      done={c.req.query("done")}
      error={error}
      approvalsOf={approvalsOf}
    />,
    error ? 400 : 200,
  );
}

/** Handles `GET /dashboard/workspaces`. */
export function showWorkspaces(c: PageContext): Promise<Response> {
  return renderWorkspacesPage(c);
}

async function runAndRedirect(c: PageContext, done: string, useCase: () => Promise<unknown>): Promise<Response> {
  const outcome = await runUseCase(useCase);
  return outcome.ok ? c.redirect(`/dashboard/workspaces?done=${done}`, 303) : renderWorkspacesPage(c, outcome.error);
}

/** Handles `POST /dashboard/workspaces`. */
export async function doCreateWorkspace(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  return runAndRedirect(c, "created", () => createWorkspace(contextOf(c), { name: form.text("name") }));
}

/** Handles `POST /dashboard/workspaces/:id/rename`. */
export async function doRenameWorkspace(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const workspaceId = c.req.param("id") ?? "";
  return runAndRedirect(c, "renamed", () => renameWorkspace(contextOf(c), { workspaceId, name: form.text("name") }));
}

/** Handles `POST /dashboard/workspaces/:id/activate`. */
export async function doActivateWorkspace(c: PageContext): Promise<Response> {
  const next = (await readForm(c)).text("next");
  const workspaceId = c.req.param("id") ?? "";
  const outcome = await runUseCase(() => activateWorkspace(contextOf(c), { workspaceId }));
  if (!outcome.ok) {
    return renderWorkspacesPage(c, outcome.error);
  }
  return c.redirect(next === "" ? "/dashboard/workspaces?done=switched" : localPath(next), 303);
}

/** Handles `POST /dashboard/workspaces/:id/approvals`. */
export async function doSetApprovalReauthentication(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const workspaceId = c.req.param("id") ?? "";
  const isRequired = form.text("asks") === "yes";
  const outcome = await runUseCase(async () => {
    if (!isRequired) {
      await requireRecentAuthentication(c.var.services, c.var.signedIn, { password: form.text(CURRENT_PASSWORD) });
    }
    await setApprovalReauthentication(contextOf(c), { workspaceId, isRequired });
  });
  return outcome.ok
    ? c.redirect(`/dashboard/workspaces?done=${isRequired ? "asks" : "asks-no-more"}`, 303)
    : renderWorkspacesPage(c, outcome.error, workspaceId);
}
