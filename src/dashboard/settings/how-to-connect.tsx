import type { Child, FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import type { Config } from "#config.ts";
import { ApiAccessTabs } from "#dashboard/layout/api-access-tabs.tsx";
import type { PageContext } from "#dashboard/request/env.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { CopyableText } from "#dashboard/layout/components.tsx";
import { renderPage } from "#dashboard/layout/render-page.tsx";

const Card: FC<{ id: string; title: string; children?: Child }> = ({ id, title, children }) => (
  <section class="card" aria-labelledby={id}>
    <h3 id={id}>{title}</h3>
    {children}
  </section>
);

const json = (value: unknown) => JSON.stringify(value, null, 2);

/**
 * Says what to paste into each agent program. Menus of those programs are named only if they are the same in all
 * versions.
 */
const AgentCards: FC<{ mcpUrl: string }> = ({ mcpUrl }) => (
  <div class="steps">
    <Card id="claude" title="Claude">
      <ol class="numbered">
        <li>Open the connectors in Claude’s settings and add a custom connector.</li>
        <li>Give it a name and paste the address above; the other fields stay empty.</li>
        <li>Choose “Connect”. You sign in here and choose what Claude may do.</li>
      </ol>
    </Card>
    <Card id="claude-code" title="Claude Code">
      <CopyableText label="the command for Claude Code" text={`claude mcp add --transport http almanac ${mcpUrl}`} />
      <p>
        Then type <code>/mcp</code> in a session, choose Almanac and sign in.
      </p>
    </Card>
    <Card id="chatgpt" title="ChatGPT">
      <ol class="numbered">
        <li>Turn on developer mode in the settings of ChatGPT on the web.</li>
        <li>Create an app there (some versions say connector) with the address above as MCP server and OAuth.</li>
        <li>You sign in here and choose what ChatGPT may do.</li>
      </ol>
    </Card>
    <Card id="cursor" title="Cursor">
      <p>
        In <code>~/.cursor/mcp.json</code>, or <code>.cursor/mcp.json</code> of a project:
      </p>
      <CopyableText
        block
        label="the configuration for Cursor"
        text={json({ mcpServers: { almanac: { url: mcpUrl } } })}
      />
      <p>Cursor then asks you to sign in.</p>
    </Card>
    <Card id="vscode" title="VS Code">
      <p>
        In <code>.vscode/mcp.json</code> of a project, or your own with the command “MCP: Open User Configuration”:
      </p>
      <CopyableText
        block
        label="the configuration for VS Code"
        text={json({ servers: { almanac: { type: "http", url: mcpUrl } } })}
      />
      <p>VS Code asks you to sign in when it starts the server.</p>
    </Card>
    <Card id="other-agents" title="Other agents: an API key">
      <p>
        Agents that cannot sign in send a <a href="/dashboard/keys">key</a> as a header with every request:
      </p>
      <CopyableText
        block
        label="the configuration with a key"
        text={json({
          mcpServers: { almanac: { type: "http", url: mcpUrl, headers: { Authorization: "Bearer alk_…" } } },
        })}
      />
    </Card>
  </div>
);

const HowToConnectPage: FC<{ signedIn: SignedInUser; config: Config }> = ({ signedIn, config }) => (
  <DashboardLayout
    title="AI & API"
    section="access"
    assets={{ styles: ["settings"] }}
    signedIn={signedIn}
    lead="Agents, scripts and apps use the same calendar as you, and nothing is scheduled without a confirmed preview."
  >
    <ApiAccessTabs current="how" />
    <section aria-labelledby="agents">
      <h2 id="agents">AI agents</h2>
      <p>Every agent needs one address. It is for agents, so a browser shows nothing there.</p>
      <CopyableText text={config.mcpUrl} label="the MCP address" />
      <p>
        When an agent connects, you choose <b>who confirms posts</b>. “A person confirms in the dashboard” is
        preselected: the agent prepares a post, and it waits until you approve exactly that post here. “The app confirms
        itself” lets it schedule without asking you. You can change this at any time under{" "}
        <a href="/dashboard/apps">Connected apps</a> and <a href="/dashboard/keys">API keys</a>; an agent cannot.
      </p>
      {!config.mcpUrl.startsWith("https:") && (
        <p>
          This installation has no public https address: programs on this machine can connect, Claude and ChatGPT on the
          web cannot.
        </p>
      )}
      <p>
        <a href={`${config.docsUrl}/agents`}>More about agents, step by step</a>
      </p>
      <AgentCards mcpUrl={config.mcpUrl} />
    </section>
    <section aria-labelledby="programs">
      <h2 id="programs">Scripts and apps</h2>
      <div class="steps">
        <Card id="curl" title="Scripts: API key">
          <p>
            Create a key under <a href="/dashboard/keys">API keys</a> and send it with every call:
          </p>
          <CopyableText
            block
            label="the curl example"
            text={`export ALMANAC_KEY=alk_…\n\ncurl ${config.baseUrl}/accounts \\\n  -H "Authorization: Bearer $ALMANAC_KEY"`}
          />
          <p>
            The whole API is described in the <a href={`${config.baseUrl}/openapi.json`}>OpenAPI document</a> and in the{" "}
            <a href={config.docsUrl}>documentation</a>, which begins with{" "}
            <a href={`${config.docsUrl}/first-post`}>the first post</a>. A coding agent reads the{" "}
            <a href={`${config.origin}/.well-known/agent-skills/almanac/SKILL.md`}>skill</a>.
          </p>
        </Card>
        <Card id="oauth" title="Apps for other users: OAuth 2.1">
          <p>Authorization code with PKCE. Clients find all endpoints, including registration, in this document:</p>
          <CopyableText
            text={`${config.authUrl}/.well-known/oauth-authorization-server`}
            label="the metadata address"
          />
          <p>
            A token is for the API or for the address for agents, whichever <code>resource</code> names.{" "}
            <a href={`${config.docsUrl}/oauth`}>More about OAuth</a>
          </p>
        </Card>
      </div>
    </section>
  </DashboardLayout>
);

/** Handles `GET /dashboard/how-to-connect`. */
export function showHowToConnect(c: PageContext): Promise<Response> {
  return renderPage(c, <HowToConnectPage signedIn={c.var.signedIn} config={c.var.services.config} />);
}
