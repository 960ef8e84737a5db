import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { type ConnectedApp, listApps, revokeApp } from "#auth/oauth/index.ts";
import { ApiAccessTabs } from "./api-access-tabs.tsx";
import type { PageContext } from "./env.ts";
import { ScopeList } from "./keys.tsx";
import { DashboardLayout } from "./layout.tsx";
import { ConfirmForm, DateTime, Notice } from "./components.tsx";
import { renderPage } from "./render-page.ts";

const AppRow: FC<{ app: ConnectedApp; timeZone: string }> = ({ app, timeZone }) => (
  <li class="item">
    <div class="item-header">
      <h3>
        <bdi>{app.name}</bdi>
      </h3>
      {app.uri !== null && <span class="tag">{new URL(app.uri).host}</span>}
    </div>
    <p class="item-meta">
      <span>
        Connected <DateTime value={app.since} timeZone={timeZone} />
      </span>
    </p>
    <ScopeList scopes={app.scopes} />
    <div class="item-actions">
      <ConfirmForm
        action={`/dashboard/apps/${app.grantId}/revoke`}
        verb="Revoke"
        target={app.name}
        description="Its next call is refused. To connect again, it has to ask for your permission."
      />
    </div>
  </li>
);

const AppsPage: FC<{ signedIn: SignedInUser; apps: readonly ConnectedApp[]; done: string | undefined }> = (props) => (
  <DashboardLayout
    title="AI & API"
    section="access"
    assets={{ styles: ["settings"] }}
    signedIn={props.signedIn}
    lead="Apps and agents with access to your account. They stay connected when you sign out; revoke an app to end its access."
  >
    <ApiAccessTabs current="apps" />
    {props.done === "revoked" && <Notice kind="success">Access revoked: the next call of the app is refused.</Notice>}
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
            <AppRow app={app} timeZone={props.signedIn.timeZone} />
          ))}
        </ul>
      )}
    </section>
  </DashboardLayout>
);

/** `GET /dashboard/apps` */
export async function showApps(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const apps = await listApps(services, { userId: signedIn.actor.userId });
  return renderPage(c, <AppsPage signedIn={signedIn} apps={apps} done={c.req.query("done")} />);
}

/** `POST /dashboard/apps/:id/revoke` and `DELETE /dashboard/apps/:id` */
export async function doRevokeApp(c: PageContext): Promise<Response> {
  await revokeApp(c.var.services, { userId: c.var.signedIn.actor.userId, grantId: c.req.param("id") ?? "" });
  return c.redirect("/dashboard/apps?done=revoked", 303);
}
