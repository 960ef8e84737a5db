import type { FC } from "hono/jsx";
import type { SignedIn } from "#auth/index.ts";
import { type ConnectedApp, listApps, revokeApp } from "#auth/oauth/index.ts";
import { AccessTabs } from "./access-tabs.tsx";
import type { PageContext } from "./env.ts";
import { Scopes } from "./keys.tsx";
import { Room } from "./layout.tsx";
import { Confirmed, Instant, Notice } from "./parts.tsx";
import { render } from "./render.ts";

const AppRow: FC<{ app: ConnectedApp; timeZone: string }> = ({ app, timeZone }) => (
  <li class="item">
    <div class="item-head">
      <h3>
        <bdi>{app.name}</bdi>
      </h3>
      {app.uri !== null && <span class="tag">{new URL(app.uri).host}</span>}
    </div>
    <p class="item-facts">
      <span>
        Since <Instant at={app.since} timeZone={timeZone} />
      </span>
    </p>
    <Scopes scopes={app.scopes} />
    <div class="item-actions">
      <Confirmed
        action={`/dashboard/apps/${app.grantId}/revoke`}
        verb="Throw out"
        what={app.name}
        ask="Its very next call is refused. To come back it has to ask you again."
      />
    </div>
  </li>
);

const Apps: FC<{ signedIn: SignedIn; apps: readonly ConnectedApp[]; done: string | undefined }> = (props) => (
  <Room
    title="AI & API"
    section="access"
    signedIn={props.signedIn}
    lead="Apps and agents that you let in. Signing out of this browser does not end them; throwing them out does."
  >
    <AccessTabs current="apps" />
    {props.done === "revoked" && <Notice kind="good">The app is out: its next call is refused.</Notice>}
    <section aria-labelledby="apps">
      <h2 id="apps">Connected apps</h2>
      {props.apps.length === 0 ? (
        <p class="empty">
          No app is connected. When an agent asks to be let in, you will see it here.{" "}
          <a href="/dashboard/how-to-connect">How to connect one</a>
        </p>
      ) : (
        <ul class="items">
          {props.apps.map((app) => (
            <AppRow app={app} timeZone={props.signedIn.timeZone} />
          ))}
        </ul>
      )}
    </section>
  </Room>
);

/** `GET /dashboard/apps` */
export async function showApps(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const apps = await listApps(services, { userId: signedIn.actor.userId });
  return render(c, <Apps signedIn={signedIn} apps={apps} done={c.req.query("done")} />);
}

/** `POST /dashboard/apps/:id/revoke` and `DELETE /dashboard/apps/:id` */
export async function doRevokeApp(c: PageContext): Promise<Response> {
  await revokeApp(c.var.services, { userId: c.var.signedIn.actor.userId, grantId: c.req.param("id") ?? "" });
  return c.redirect("/dashboard/apps?done=revoked", 303);
}
