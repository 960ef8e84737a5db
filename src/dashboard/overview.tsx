import type { FC } from "hono/jsx";
import { listKeys, type SignedInUser } from "#auth/index.ts";
import { listApps } from "#auth/oauth/index.ts";
import { listWorkspaces, type Workspace } from "#workspaces/index.ts";
import type { PageContext } from "./env.ts";
import { DashboardLayout } from "./layout.tsx";
import { DateTime } from "./components.tsx";
import { PLAN_NAMES } from "./plan-labels.ts";
import { renderPage } from "./render-page.ts";

const OverviewPage: FC<{
  signedIn: SignedInUser;
  workspace: Workspace | undefined;
  keys: number;
  apps: number;
  docsUrl: string;
}> = ({ signedIn, workspace, keys, apps, docsUrl }) => (
  <DashboardLayout
    title="Overview"
    section="overview"
    signedIn={signedIn}
    lead={
      workspace && (
        <>
          Active workspace: <b>{workspace.name}</b>
        </>
      )
    }
  >
    <ul class="tiles">
      <li class="card">
        <h2>API keys</h2>
        <p class="tile-value">{keys}</p>
        <a href="/dashboard/keys">{keys === 0 ? "Create your first key" : "View keys"}</a>
      </li>
      <li class="card">
        <h2>Connected apps</h2>
        <p class="tile-value">{apps}</p>
        <a href={apps === 0 ? "/dashboard/how-to-connect" : "/dashboard/apps"}>
          {apps === 0 ? "Connect an agent" : "View apps"}
        </a>
      </li>
      <li class="card">
        <h2>Plan</h2>
        <p class="tile-value">{PLAN_NAMES[signedIn.actor.plan]}</p>
        <a href="/dashboard/plan">
          {signedIn.subscription?.status === "trialing" &&
          signedIn.subscription.currentPeriodEnd !== null &&
          signedIn.actor.subscribed ? (
            <>
              Free trial until{" "}
              <DateTime value={signedIn.subscription.currentPeriodEnd} timeZone={signedIn.timeZone} showTime={false} />
            </>
          ) : (
            "View plan"
          )}
        </a>
      </li>
    </ul>
    <section class="card" aria-labelledby="first">
      <h2 id="first">Your first post in three calls</h2>
      <ol class="plain-list numbered">
        <li>
          <b>Connect</b> a social account: <code>POST /v1/accounts</code> returns a link to open in this browser.
        </li>
        <li>
          <b>Preview</b>: <code>POST /v1/posts/preview</code> checks the rules of every platform and shows what would be
          published.
        </li>
        <li>
          <b>Confirm</b>: <code>POST /v1/posts/confirm</code> with the token of the preview. Exactly what was previewed
          is published, once, on time.
        </li>
      </ol>
      <p>
        <a href={docsUrl}>Documentation</a>
      </p>
    </section>
  </DashboardLayout>
);

/** `GET /dashboard` */
export async function showOverview(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const { actor } = signedIn;
  const now = services.clock.now();
  const [workspaces, keys, apps] = await Promise.all([
    listWorkspaces({ ...services, actor }),
    listKeys(services, { userId: actor.userId }),
    listApps(services, { userId: actor.userId }),
  ]);
  const activeKeys = keys.filter((key) => key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now));
  const workspace = workspaces.find((candidate) => candidate.isActive);
  const { docsUrl } = services.config;
  return renderPage(
    c,
    <OverviewPage
      signedIn={signedIn}
      workspace={workspace}
      keys={activeKeys.length}
      apps={apps.length}
      docsUrl={docsUrl}
    />,
  );
}
