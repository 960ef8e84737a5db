import type { FC } from "hono/jsx";
import type { SignedIn } from "#auth/index.ts";
import { PLAN_LIMITS } from "#core/plan.ts";
import type { Context } from "#context.ts";
import {
  activateWorkspace,
  createWorkspace,
  listWorkspaces,
  renameWorkspace,
  type Workspace,
} from "#workspaces/index.ts";
import type { PageContext } from "./env.ts";
import { readForm, tryVerb } from "./form.ts";
import { Room } from "./layout.tsx";
import { Field, type FormProblem, Instant, Notice, Problem } from "./parts.tsx";
import { render } from "./render.ts";

const DONE: Readonly<Record<string, string>> = {
  created: "The workspace is made. Switch to it when you are ready.",
  renamed: "The workspace has its new name.",
  switched: "You are in the other workspace now. API keys and apps see it too.",
};

const WorkspaceRow: FC<{ workspace: Workspace; timeZone: string }> = ({ workspace, timeZone }) => (
  <li class="item">
    <div class="item-head">
      <h3>{workspace.name}</h3>
      {workspace.isActive && <span class="tag live">Active</span>}
    </div>
    <p class="item-facts">
      <span>
        Since <Instant at={workspace.createdAt} timeZone={timeZone} time={false} />
      </span>
    </p>
    <div class="item-actions">
      {!workspace.isActive && (
        <form method="post" action={`/dashboard/workspaces/${workspace.id}/activate`}>
          <button class="quiet" aria-label={`Switch to ${workspace.name}`}>
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
    </div>
  </li>
);

const Workspaces: FC<{
  signedIn: SignedIn;
  workspaces: readonly Workspace[];
  done: string | undefined;
  problem?: FormProblem | undefined;
}> = ({ signedIn, workspaces, done, problem }) => (
  <Room
    title="Workspaces"
    section="workspaces"
    signedIn={signedIn}
    lead="Accounts and posts belong to a workspace. The active one decides what you, your keys and your apps see."
  >
    {done !== undefined && DONE[done] !== undefined && <Notice kind="good">{DONE[done]}</Notice>}
    <Problem problem={problem} />
    <div class="split">
      <section aria-labelledby="workspaces">
        <h2 id="workspaces">Your workspaces</h2>
        <ul class="items">
          {workspaces.map((workspace) => (
            <WorkspaceRow workspace={workspace} timeZone={signedIn.timeZone} />
          ))}
        </ul>
      </section>
      <section class="card" aria-labelledby="new-workspace">
        <h2 id="new-workspace">New workspace</h2>
        {PLAN_LIMITS[signedIn.actor.plan].workspaces ? (
          <form method="post" action="/dashboard/workspaces">
            <Field name="name" label="Name" required maxlength={100} />
            <button>Create workspace</button>
          </form>
        ) : (
          <>
            <p>More than one workspace is part of the Scale plan.</p>
            <p>
              <a class="button quiet" href="/dashboard/plan">
                See the plans
              </a>
            </p>
          </>
        )}
      </section>
    </div>
  </Room>
);

function contextOf(c: PageContext): Context {
  return { ...c.var.services, actor: c.var.signedIn.actor };
}

async function page(c: PageContext, problem?: FormProblem): Promise<Response> {
  const workspaces = await listWorkspaces(contextOf(c));
  const { signedIn } = c.var;
  return render(
    c,
    <Workspaces signedIn={signedIn} workspaces={workspaces} done={c.req.query("done")} problem={problem} />,
    problem ? 400 : 200,
  );
}

/** `GET /dashboard/workspaces` */
export function showWorkspaces(c: PageContext): Promise<Response> {
  return page(c);
}

async function afterwards(c: PageContext, done: string, verb: () => Promise<unknown>): Promise<Response> {
  const tried = await tryVerb(verb);
  return tried.ok ? c.redirect(`/dashboard/workspaces?done=${done}`, 303) : page(c, tried.problem);
}

/** `POST /dashboard/workspaces` */
export async function doCreateWorkspace(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  return afterwards(c, "created", () => createWorkspace(contextOf(c), { name: form.text("name") }));
}

/** `POST /dashboard/workspaces/:id/rename` */
export async function doRenameWorkspace(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const workspaceId = c.req.param("id") ?? "";
  return afterwards(c, "renamed", () => renameWorkspace(contextOf(c), { workspaceId, name: form.text("name") }));
}

/** `POST /dashboard/workspaces/:id/activate` */
export function doActivateWorkspace(c: PageContext): Promise<Response> {
  const workspaceId = c.req.param("id") ?? "";
  return afterwards(c, "switched", () => activateWorkspace(contextOf(c), { workspaceId }));
}
