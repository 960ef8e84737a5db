import type { FC } from "hono/jsx";
import { listKeys, type SignedIn } from "#auth/index.ts";
import { listApps } from "#auth/oauth/index.ts";
import { listWorkspaces, type Workspace } from "#workspaces/index.ts";
import type { PageContext } from "./env.ts";
import { Room } from "./layout.tsx";
import { Instant } from "./parts.tsx";
import { PLAN_NAMES } from "./plan-words.ts";
import { render } from "./render.ts";

const Overview: FC<{
  signedIn: SignedIn;
  workspace: Workspace | undefined;
  keys: number;
  apps: number;
  docsUrl: string;
}> = ({ signedIn, workspace, keys, apps, docsUrl }) => (
  <Room
    title="Overview"
    section="overview"
    signedIn={signedIn}
    lead={
      workspace && (
        <>
          You are in the workspace <b>{workspace.name}</b>.
        </>
      )
    }
  >
    <ul class="tiles">
      <li class="card">
        <h2>API keys</h2>
        <p class="number">{keys}</p>
        <a href="/dashboard/keys">{keys === 0 ? "Make the first one" : "See them"}</a>
      </li>
      <li class="card">
        <h2>Connected apps</h2>
        <p class="number">{apps}</p>
        <a href={apps === 0 ? "/dashboard/how-to-connect" : "/dashboard/apps"}>
          {apps === 0 ? "Let an agent in" : "See them"}
        </a>
      </li>
      <li class="card">
        <h2>Plan</h2>
        <p class="number">{PLAN_NAMES[signedIn.actor.plan]}</p>
        <a href="/dashboard/plan">
          {signedIn.subscription?.status === "trialing" &&
          signedIn.subscription.currentPeriodEnd !== null &&
          signedIn.actor.subscribed ? (
            <>
              Free until{" "}
              <Instant at={signedIn.subscription.currentPeriodEnd} timeZone={signedIn.timeZone} time={false} />
            </>
          ) : (
            "See what it allows"
          )}
        </a>
      </li>
    </ul>
    <section class="card" aria-labelledby="first">
      <h2 id="first">Your first post in three calls</h2>
      <ol class="plain numbered">
        <li>
          <b>Connect</b> a social account: <code>POST /v1/accounts</code> answers with an address to open in this
          browser.
        </li>
        <li>
          <b>Preview</b>: <code>POST /v1/posts/preview</code> checks every rule of every platform and shows what would
          go out.
        </li>
        <li>
          <b>Confirm</b>: <code>POST /v1/posts/confirm</code> with the token of the preview. What was previewed is what
          is published, once, on time.
        </li>
      </ol>
      <p>
        <a href={docsUrl}>Documentation</a>
      </p>
    </section>
  </Room>
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
  const live = keys.filter((key) => key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now));
  const workspace = workspaces.find((candidate) => candidate.isActive);
  const { docsUrl } = services.config;
  return render(
    c,
    <Overview signedIn={signedIn} workspace={workspace} keys={live.length} apps={apps.length} docsUrl={docsUrl} />,
  );
}
