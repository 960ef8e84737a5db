import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import type { Config } from "#config.ts";
import { ApiAccessTabs } from "./api-access-tabs.tsx";
import type { PageContext } from "./env.ts";
import { DashboardLayout } from "./layout.tsx";
import { CopyableText } from "./components.tsx";
import { renderPage } from "./render-page.ts";

const HowToConnectPage: FC<{ signedIn: SignedInUser; config: Config }> = ({ signedIn, config }) => (
  <DashboardLayout
    title="AI & API"
    section="access"
    assets={{ styles: ["settings"] }}
    signedIn={signedIn}
    lead="Three ways to connect. All of them use the same calendar, and nothing is scheduled without a confirmed preview."
  >
    <ApiAccessTabs current="how" />
    <div class="steps">
      <section class="card" aria-labelledby="mcp">
        <h2 id="mcp">AI agents: MCP</h2>
        <p>Give your agent this address. You sign in, choose its permissions, and it is connected.</p>
        <CopyableText text={`${config.origin}/mcp`} label="the MCP address" />
        <p>For agents with a configuration file:</p>
        <CopyableText
          block
          label="the MCP configuration"
          text={JSON.stringify({ mcpServers: { almanac: { type: "http", url: `${config.origin}/mcp` } } }, null, 2)}
        />
      </section>
      <section class="card" aria-labelledby="curl">
        <h2 id="curl">Scripts: API key</h2>
        <p>
          Create a key under <a href="/dashboard/keys">API keys</a> and send it with every call:
        </p>
        <CopyableText
          block
          label="the curl example"
          text={`export ALMANAC_KEY=alk_…\n\ncurl ${config.baseUrl}/accounts \\\n  -H "Authorization: Bearer $ALMANAC_KEY"`}
        />
      </section>
      <section class="card" aria-labelledby="oauth">
        <h2 id="oauth">Apps for other users: OAuth 2.1</h2>
        <p>Authorization code with PKCE. Clients find all endpoints, including registration, in this document:</p>
        <CopyableText text={`${config.authUrl}/.well-known/oauth-authorization-server`} label="the metadata address" />
        <p>
          The whole API is described in the <a href={config.docsUrl}>documentation</a> and at{" "}
          <a href={`${config.baseUrl}/openapi.json`}>openapi.json</a>.
        </p>
      </section>
    </div>
  </DashboardLayout>
);

/** `GET /dashboard/how-to-connect` */
export function showHowToConnect(c: PageContext): Promise<Response> {
  return renderPage(c, <HowToConnectPage signedIn={c.var.signedIn} config={c.var.services.config} />);
}
