import type { FC } from "hono/jsx";
import type { SignedIn } from "#auth/index.ts";
import type { Config } from "#config.ts";
import { AccessTabs } from "./access-tabs.tsx";
import type { PageContext } from "./env.ts";
import { Room } from "./layout.tsx";
import { Copyable } from "./parts.tsx";
import { render } from "./render.ts";

const HowToConnect: FC<{ signedIn: SignedIn; config: Config }> = ({ signedIn, config }) => (
  <Room
    title="AI & API"
    section="access"
    signedIn={signedIn}
    lead="Three ways in. All of them see the same calendar, and nothing is scheduled without a preview that was confirmed."
  >
    <AccessTabs current="how" />
    <div class="steps">
      <section class="card" aria-labelledby="mcp">
        <h2 id="mcp">An agent, by MCP</h2>
        <p>Give your agent this address. It asks you to sign in, you choose what it may do, and it is in.</p>
        <Copyable text={`${config.origin}/mcp`} label="the MCP address" />
        <p>An agent that is set up by a file wants this in it:</p>
        <Copyable
          block
          label="the MCP configuration"
          text={JSON.stringify({ mcpServers: { almanac: { type: "http", url: `${config.origin}/mcp` } } }, null, 2)}
        />
      </section>
      <section class="card" aria-labelledby="curl">
        <h2 id="curl">A script, by API key</h2>
        <p>
          Make a key under <a href="/dashboard/keys">API keys</a> and send it with every call:
        </p>
        <Copyable
          block
          label="the curl example"
          text={`export ALMANAC_KEY=alk_…\n\ncurl ${config.baseUrl}/accounts \\\n  -H "Authorization: Bearer $ALMANAC_KEY"`}
        />
      </section>
      <section class="card" aria-labelledby="oauth">
        <h2 id="oauth">An app for others, by OAuth 2.1</h2>
        <p>Authorization code with PKCE. Clients find everything else, registration included, in this document:</p>
        <Copyable text={`${config.authUrl}/.well-known/oauth-authorization-server`} label="the metadata address" />
        <p>
          The whole API is described in the <a href={config.docsUrl}>documentation</a> and at{" "}
          <a href={`${config.baseUrl}/openapi.json`}>openapi.json</a>.
        </p>
      </section>
    </div>
  </Room>
);

/** `GET /dashboard/how-to-connect` */
export function showHowToConnect(c: PageContext): Promise<Response> {
  return render(c, <HowToConnect signedIn={c.var.signedIn} config={c.var.services.config} />);
}
