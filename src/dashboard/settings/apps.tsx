import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { type ConnectedApp, listApps, revokeApp, setAppConfirms } from "#auth/oauth/index.ts";
import { ApiAccessTabs } from "#dashboard/layout/api-access-tabs.tsx";
import { WorkspaceNote } from "#dashboard/layout/workspace-choice.tsx";
import { AskFirstForm, ConfirmsNote } from "#dashboard/layout/confirms.tsx";
import { withdrawRequestsOfRevoked } from "#confirming/index.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { readForm } from "#dashboard/request/form.ts";
import { ScopeList } from "./keys.tsx";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { ConfirmForm, DateTime, Notice } from "#dashboard/layout/components.tsx";
import { renderPage } from "#dashboard/layout/render-page.tsx";

const DONE_MESSAGES: Readonly<Record<string, string>> = {
  revoked: "Access revoked: the next call of the app is refused.",
  confirms: "Saved: it applies from the next call of the app on.",
};

const AppRow: FC<{ app: ConnectedApp; isForAgents: boolean; signedIn: SignedInUser }> = ({
  app,
  isForAgents,
  signedIn,
}) => (
  <li class="item">
    <div class="item-header">
      <h3>
        <bdi>{app.name}</bdi>
      </h3>
      {app.uri !== null && <span class="tag">{new URL(app.uri).host}</span>}
    </div>
    <p class="item-meta">
      <span>
        Connected <DateTime value={app.since} timeZone={signedIn.timeZone} />
      </span>
      <span>{isForAgents ? "As an agent tool" : "Through the API"}</span>
      <WorkspaceNote workspaceId={app.workspaceId} workspaces={signedIn.workspaces} />
      {app.scopes.includes("posts:write") && <ConfirmsNote confirms={app.confirms} holder="The app" />}
    </p>
    <ScopeList scopes={app.scopes} />
    <div class="item-actions">
      {app.scopes.includes("posts:write") &&
        (app.confirms === "self" ? (
          <AskFirstForm action={`/dashboard/apps/${app.grantId}/confirms`} target={app.name} />
        ) : (
          <ConfirmForm
            action={`/dashboard/apps/${app.grantId}/confirms`}
            verb="Stop asking"
            target={`about posts of ${app.name}`}
            description="The app then schedules and changes posts without asking you."
          >
            <input type="hidden" name="confirms" value="self" />
          </ConfirmForm>
        ))}
      <ConfirmForm
        action={`/dashboard/apps/${app.grantId}/revoke`}
        verb="Revoke"
        target={app.name}
        description="Its next call is refused. To connect again, it has to ask for your permission."
      />
    </div>
  </li>
);

const AppsPage: FC<{
  signedIn: SignedInUser;
  apps: readonly ConnectedApp[];
  mcpUrl: string;
  done: string | undefined;
}> = (props) => (
  <DashboardLayout
    title="AI & API"
    section="access"
    assets={{ styles: ["settings"] }}
    signedIn={props.signedIn}
    lead="Apps and agents with access to your account. They stay connected when you sign out; revoke an app to end its access."
  >
    <ApiAccessTabs current="apps" />
    {DONE_MESSAGES[props.done ?? ""] !== undefined && <Notice kind="success">{DONE_MESSAGES[props.done ?? ""]}</Notice>}
    <section aria-labelledby="apps">
      <h2 id="apps">Connected apps</h2>
      {props.apps.length === 0 ? (
        <p class="empty-state">
          No apps are connected. Apps and agents that you allow appear here.{" "}
          <a href="/dashboard/how-to-connect">How to connect an app</a>
        </p>
      ) : (
        <ul class="items">
          {props.apps.map((app) => (
            <AppRow app={app} isForAgents={app.resource === props.mcpUrl} signedIn={props.signedIn} />
          ))}
        </ul>
      )}
    </section>
  </DashboardLayout>
);

/** Handles `GET /dashboard/apps`. */
export async function showApps(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const apps = await listApps(services, { userId: signedIn.actor.userId });
  const { mcpUrl } = services.config;
  return renderPage(c, <AppsPage signedIn={signedIn} apps={apps} mcpUrl={mcpUrl} done={c.req.query("done")} />);
}

/** Handles `POST /dashboard/apps/:id/revoke` and `DELETE /dashboard/apps/:id`. */
export async function doRevokeApp(c: PageContext): Promise<Response> {
  const { userId } = c.var.signedIn.actor;
  await revokeApp(c.var.services, { userId, grantId: c.req.param("id") ?? "" });
  await withdrawRequestsOfRevoked(c.var.services, { userId });
  return c.redirect("/dashboard/apps?done=revoked", 303);
}

/** Handles `POST /dashboard/apps/:id/confirms`. */
export async function doSetAppConfirms(c: PageContext): Promise<Response> {
  const confirms = (await readForm(c)).text("confirms");
  const { services, signedIn } = c.var;
  await setAppConfirms(services, { userId: signedIn.actor.userId, grantId: c.req.param("id") ?? "", confirms });
  return c.redirect("/dashboard/apps?done=confirms", 303);
}
