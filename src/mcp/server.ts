import {
  CLIENT_CAPABILITIES_META_KEY,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  McpServer,
  type ScopeChallengeHandler,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Context } from "#context.ts";
import { requireSubscription } from "#core/actor.ts";
import type { Refusal } from "#core/errors.ts";
import { HOUR } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import { isJsonObject, type JsonObject } from "#core/json.ts";
import { log } from "#core/log.ts";
import type { Scope } from "#core/scope.ts";
import { wakeSenders } from "#webhooks/index.ts";
import { errorResult } from "./error-result.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { ownArguments, WORKSPACE_ARGUMENT } from "./named-workspace.ts";
import { registerPrompts } from "./prompts.ts";
import { registerResources } from "./resources.ts";
import type { Answer, Call, Tool } from "./tool/tool.ts";
import { TOOLS } from "./tools/index.ts";

/** The version of the MCP protocol that a request uses: `legacy` until 2025-11-25, `modern` from 2026-07-28 on. */
type Era = "legacy" | "modern";

const LIST_CACHE = { ttlMs: HOUR, cacheScope: "private" } as const;

/**
 * Tells clients that lists never change. They depend only on the credential and on whether its user has a second
 * workspace, which a server without sessions can tell nobody: clients read the lists again after an hour.
 */
const NO_CHANGES = { listChanged: false } as const;

/** What a message is answered with, beside its context. */
export interface Answering {
  readonly requestId: string;
  /** Whether the credential may name one of several workspaces. */
  readonly namesWorkspaces: boolean;
  /** What a tool answers instead of running. */
  readonly refusal: Refusal | null;
}

export function createServer(ctx: Context, { requestId, namesWorkspaces, refusal }: Answering, era: Era): McpServer {
  const server = new McpServer(
    { name: "almanac", title: "Almanac", version: "1.0.0", websiteUrl: ctx.config.docsUrl },
    {
      instructions: INSTRUCTIONS,
      capabilities: { tools: NO_CHANGES, resources: NO_CHANGES, prompts: NO_CHANGES },
      cacheHints: {
        "tools/list": LIST_CACHE,
        "prompts/list": LIST_CACHE,
        "resources/list": LIST_CACHE,
        "resources/templates/list": LIST_CACHE,
        "server/discover": LIST_CACHE,
      },
    },
  );
  for (const tool of TOOLS) {
    server.registerTool(
      tool.name,
      {
        inputSchema: anyArguments(tool),
        ...(era === "modern" && challengeOf(ctx, tool.scope)),
      },
      (args, protocol) => runTool(tool, toCall(ctx, requestId, protocol), isJsonObject(args) ? args : {}, refusal),
    );
  }
  const listed = TOOLS.filter(
    ({ scope, choosesWorkspace }) => isListed(ctx, scope) && (namesWorkspaces || !choosesWorkspace),
  ).map((tool) => (namesWorkspaces && !tool.choosesWorkspace ? withWorkspace(tool) : tool.listed));
  server.server.setRequestHandler("tools/list", () => ({ tools: listed }));
  registerResources(server, ctx);
  registerPrompts(server);
  return server;
}

/**
 * A schema that accepts any arguments. The library's own validation would report only the first problem, in its own
 * words.
 */
function anyArguments({ listed }: Tool) {
  return {
    "~standard": {
      version: 1 as const,
      vendor: "almanac",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => listed.inputSchema, output: () => listed.inputSchema },
    },
  };
}

/** Without a description, which every conversation would pay for once for each tool: get_overview says what it is. */
function withWorkspace({ listed }: Tool): Tool["listed"] {
  const { properties, ...schema } = listed.inputSchema;
  const named = { ...properties, [WORKSPACE_ARGUMENT]: { type: "string" } };
  return { ...listed, inputSchema: { ...schema, properties: named } };
}

function isGranted({ actor }: Pick<Context, "actor">, scope: Scope | null): boolean {
  return scope === null || actor.scopes.includes(scope);
}

/**
 * Whether `tools/list` shows a tool. A key's scopes never change, so it does not see tools beyond them. An app can
 * request more scopes, so it sees all.
 */
function isListed(ctx: Pick<Context, "actor">, scope: Scope | null): boolean {
  return isGranted(ctx, scope) || ctx.actor.credential.kind === "oauth";
}

/**
 * Lets a client ask the person for a missing scope. The challenge also names the granted scopes, because clients
 * request exactly what it names. Clients of the older protocol would only refresh their token and give up, so they get
 * an ordinary refusal.
 */
function challengeOf({ actor }: Context, scope: Scope | null): { scopeChallenge: ScopeChallengeHandler } | undefined {
  if (scope === null || actor.credential.kind !== "oauth" || actor.scopes.includes(scope)) {
    return undefined;
  }
  return { scopeChallenge: () => ({ scopes: [scope, ...actor.scopes], errorDescription: `Needs ${scope}` }) };
}

function toCall(ctx: Context, requestId: string, { mcpReq }: ServerContext): Call {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return {
    ctx,
    requestId,
    opensAddresses: capabilities?.elicitation?.url !== undefined,
    isRetry: mcpReq.inputResponses !== undefined,
  };
}

async function runTool(
  tool: Tool,
  call: Call,
  args: JsonObject,
  refusal: Refusal | null,
): Promise<CallToolResult | InputRequiredResult> {
  const { ctx, requestId } = call;
  const startedAt = ctx.clock.now();
  const result = await answer(tool, call, args, refusal);
  log("info", "mcp.tool", {
    tool: tool.name,
    result: "isError" in result && result.isError === true ? "refused" : "ok",
    ms: ctx.clock.now() - startedAt,
    credential_id: ctx.actor.credential.id,
    request_id: requestId,
  });
  return result;
}

async function answer(
  tool: Tool,
  call: Call,
  args: JsonObject,
  refusal: Refusal | null,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    if (!isGranted(call.ctx, tool.scope)) {
      refuse({ code: "insufficient_scope", message: `the credential lacks the scope ${tool.scope}` });
    }
    requireSubscription(call.ctx.actor);
    if (refusal !== null) {
      refuse(refusal);
    }
    const own = tool.choosesWorkspace ? args : ownArguments(args);
    return toResult(await tool.run(call, own).finally(() => wakeAfter(tool, call.ctx)));
  } catch (error) {
    return errorResult(call, tool.name, args, error);
  }
}

/** Notifies the webhooks after a tool that may have changed something. */
function wakeAfter(tool: Tool, { actor, ...services }: Context): void {
  if (actor.recordsEvents && tool.listed.annotations?.readOnlyHint !== true) {
    services.defer(wakeSenders(services, actor.workspaceId));
  }
}

function toResult(answered: Answer | InputRequiredResult): CallToolResult | InputRequiredResult {
  return "resultType" in answered
    ? answered
    : { content: [{ type: "text", text: answered.text }], structuredContent: { ...answered.data } };
}
