import {
  Client as ClientV2,
  type OAuthClientProvider as ProviderV2,
  StreamableHTTPClientTransport as TransportV2,
  UnauthorizedError as UnauthorizedV2,
} from "@modelcontextprotocol/client";
import {
  type OAuthClientProvider as ProviderV1,
  UnauthorizedError as UnauthorizedV1,
} from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { ConsentingUser } from "./consenting-user.ts";
import { type ClientState, createProvider } from "./mcp-clients.ts";

/*
 * The client SDKs connect to the MCP server with nothing but its address: the 401 of the first message leads them to the metadata, to
 * registration and to the user's consent.
 */

const INFO = { name: "judge", version: "1.0.0" };
const ASKED = "accounts:read posts:read posts:write workspaces:read";

interface ToolResult {
  readonly isError?: boolean | undefined;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

/** What the checks need of a connected client, whichever SDK it is. */
interface Session {
  tools(): Promise<number>;
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>;
}

/** One attempt to connect; null when the user has to consent first. */
type Connect = () => Promise<Session | null>;

function textOf({ content }: ToolResult): string {
  return content.map(({ text }) => text ?? "").join("\n");
}

function expectThat(holds: boolean, finding: string): void {
  if (!holds) {
    throw new Error(finding);
  }
}

const tokensOf = ({ tokens }: ClientState) => tokens as { access_token: string; scope: string };

/** Connects, consents, calls tools, and finds its token refused by the API. */
async function runSession(
  user: ConsentingUser,
  state: ClientState,
  connect: Connect,
  finish: (code: string, iss: string) => Promise<void>,
): Promise<Session> {
  expectThat((await connect()) === null, "the first connection needed no consent");
  const url = state.authorizationUrl;
  expectThat(url?.searchParams.get("resource") === user.mcpUrl, `resource is ${url?.searchParams.get("resource")}`);
  expectThat(url?.searchParams.get("scope") === ASKED, `the scopes asked for are ${url?.searchParams.get("scope")}`);
  const { searchParams } = await user.allow(url ?? "");
  await finish(searchParams.get("code") ?? "", searchParams.get("iss") ?? "");
  const session = await connect();
  if (session === null) {
    throw new Error("the second connection was refused");
  }
  const tools = await session.tools();
  expectThat(tools >= 16, `${tools} tools are listed`);
  const overview = await session.call("get_overview");
  expectThat(overview.isError !== true, `get_overview answered: ${textOf(overview)}`);
  await user.expectApi(tokensOf(state).access_token, 401);
  return session;
}

/** The older SDK, whose model reads in the result that a scope is missing. */
export async function mcpServerV1(user: ConsentingUser): Promise<string> {
  const { state, provider } = createProvider();
  const open = () => new TransportV1(new URL(user.mcpUrl), { authProvider: provider as unknown as ProviderV1 });
  let transport = open();
  const client = new ClientV1(INFO);
  const connect: Connect = async () => {
    try {
      await client.connect(transport);
    } catch (error) {
      if (error instanceof UnauthorizedV1) {
        return null;
      }
      throw error;
    }
    return {
      tools: async () => (await client.listTools()).tools.length,
      call: async (name, args) => (await client.callTool({ name, arguments: args ?? {} })) as ToolResult,
    };
  };
  const session = await runSession(user, state, connect, async (code) => {
    await transport.finishAuth(code);
    transport = open();
  });
  const refused = await session.call("sync_accounts");
  expectThat(refused.isError === true && textOf(refused).includes("insufficient_scope"), textOf(refused));
  await client.close();
  return `${client.getServerVersion()?.name}, missing scope told in the result`;
}

async function runV2(user: ConsentingUser, era: "2025" | "2026"): Promise<string> {
  const { state, provider } = createProvider();
  const open = () => new TransportV2(new URL(user.mcpUrl), { authProvider: provider as unknown as ProviderV2 });
  const create = () => new ClientV2(INFO, era === "2026" ? { versionNegotiation: { mode: "auto" } } : {});
  let transport = open();
  let client = create();
  const connect: Connect = async () => {
    try {
      await client.connect(transport);
    } catch (error) {
      if (error instanceof UnauthorizedV2) {
        return null;
      }
      throw error;
    }
    return {
      tools: async () => (await client.listTools()).tools.length,
      call: (name, args) => client.callTool({ name, arguments: args ?? {} }),
    };
  };
  const finish = async (code: string, iss: string) => {
    await transport.finishAuth(code, iss);
    transport = open();
    client = create();
  };
  const session = await runSession(user, state, connect, finish);
  if (era === "2025") {
    const refused = await session.call("sync_accounts");
    expectThat(refused.isError === true && textOf(refused).includes("insufficient_scope"), textOf(refused));
    await client.close();
    return "missing scope told in the result";
  }
  // The refusal asks for the granted scopes and the new one, so that the client does not lose what it has.
  const steppedUp = await session.call("sync_accounts").catch((error: unknown) => error);
  expectThat(steppedUp instanceof UnauthorizedV2, `the call without the scope ended with ${String(steppedUp)}`);
  const asked = state.authorizationUrl?.searchParams.get("scope")?.split(" ").sort().join(" ");
  expectThat(asked === [...ASKED.split(" "), "accounts:write"].sort().join(" "), `the step-up asks for ${asked}`);
  const { searchParams } = await user.allow(state.authorizationUrl ?? "");
  await finish(searchParams.get("code") ?? "", searchParams.get("iss") ?? "");
  const again = await connect();
  const synced = await again?.call("sync_accounts");
  expectThat(synced !== undefined && synced.isError !== true, `after the step-up: ${synced && textOf(synced)}`);
  await client.close();
  return `stepped up to ${tokensOf(state).scope.split(" ").length} scopes`;
}

/** The newer SDK as it is by default, in the protocol of 2025. */
export function mcpServerV2(user: ConsentingUser): Promise<string> {
  return runV2(user, "2025");
}

/** The newer SDK in the protocol of 2026, which asks for a missing scope itself. */
export function mcpServerV2Auto(user: ConsentingUser): Promise<string> {
  return runV2(user, "2026");
}
