import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, test } from "vitest";
import { SCOPES, type Scope } from "#core/scope.ts";
import { TOOLS } from "#mcp/tools/index.ts";
import { callTool, sendMcp } from "../support/call-mcp.ts";
import {
  type ApiCaller,
  type ApiCallerOptions,
  createAnotherKey,
  createAnotherWorkspace,
  createCaller,
} from "../support/create-caller.ts";

/** All of `tools/list`, in tokens of o200k; the second for a person with several workspaces. */
const MAX_TOKENS = 3200;
const MAX_TOKENS_WITH_WORKSPACES = 3360;

interface Listed {
  readonly name: string;
  readonly inputSchema: { readonly properties?: Readonly<Record<string, unknown>> };
}

const list = async (caller: ApiCaller): Promise<readonly Listed[]> =>
  (await sendMcp(caller, { method: "tools/list" })).body.result.tools;

const countTokens = (tools: unknown): number => encode(JSON.stringify(tools)).length;

/** A person with a second workspace, whose credentials may name one in each call. */
async function createAgency(options: ApiCallerOptions = {}): Promise<ApiCaller> {
  const caller = await createCaller(options);
  await createAnotherWorkspace(caller);
  return caller;
}

const chooses = ({ choosesWorkspace }: (typeof TOOLS)[number]): boolean => choosesWorkspace;

describe("tools/list", () => {
  test("is as it was reviewed", async ({ expect }) => {
    await expect(`${JSON.stringify(await list(await createCaller()), null, 2)}\n`).toMatchFileSnapshot(
      "./tools-list.snapshot.txt",
    );
  });

  test("costs a conversation little", async ({ expect }) => {
    expect(countTokens(await list(await createCaller()))).toBeLessThanOrEqual(MAX_TOKENS);
    expect(countTokens(await list(await createAgency()))).toBeLessThanOrEqual(MAX_TOKENS_WITH_WORKSPACES);
  });

  test("names workspaces only where there are several, and never to a pinned key", async ({ expect }) => {
    const agency = await createAgency();
    const pinned = await createAnotherKey(agency, SCOPES, agency.workspaceId);
    const of = async (caller: ApiCaller) => {
      const tools = await list(caller);
      return {
        names: tools.map(({ name }) => name),
        naming: tools.flatMap(({ name, inputSchema }) => (inputSchema.properties?.["workspace_id"] ? [name] : [])),
      };
    };
    const all = TOOLS.map(({ name }) => name);
    const plain = TOOLS.filter((tool) => !chooses(tool)).map(({ name }) => name);
    expect(await of(agency)).toEqual({ names: all, naming: all });
    expect(await of(pinned)).toEqual({ names: plain, naming: [] });
    expect(await of(await createCaller())).toEqual({ names: plain, naming: [] });
  });
});

describe.each(SCOPES)("a key without %s", (scope) => {
  const others = SCOPES.filter((other) => other !== scope);
  const lacking = TOOLS.filter((tool) => tool.scope === scope).map(({ name }) => name);

  test("is not offered the tools that need it, and refused them", async ({ expect }) => {
    const caller = await createAgency({ scopes: others });
    const names = (await list(caller)).map(({ name }) => name);
    expect(names).toEqual(TOOLS.filter((tool) => tool.scope !== scope).map(({ name }) => name));
    for (const name of lacking) {
      const refused = await callTool(caller, name);
      expect(refused).toMatchObject({ isError: true, error: { code: "insufficient_scope" } });
      expect(refused.text).toContain(scope);
    }
  });
});

test("a key with one scope is offered its tools and those that need none", async ({ expect }) => {
  for (const scope of SCOPES) {
    const caller = await createAgency({ scopes: [scope] });
    const expected = TOOLS.filter((tool) => tool.scope === null || tool.scope === (scope satisfies Scope));
    expect((await list(caller)).map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
  }
});

test("every tool says what it does to the world", ({ expect }) => {
  for (const { listed } of TOOLS) {
    const { readOnlyHint, destructiveHint } = listed.annotations ?? {};
    expect([readOnlyHint, destructiveHint], listed.name).not.toEqual([true, true]);
    expect(listed.title?.length, listed.name).toBeGreaterThan(5);
  }
});

test("a tool that replaces what is there says that it destroys", ({ expect }) => {
  const replacing = ["set_slots", "annotate_post", "save_draft", "confirm_preview", "cancel_post", "delete_draft"];
  const destroys = TOOLS.filter(({ listed }) => listed.annotations?.destructiveHint === true).map(({ name }) => name);
  expect(destroys).toEqual(expect.arrayContaining(replacing));
});

test("without a subscription every tool says so", async ({ expect }) => {
  const caller = await createCaller({ subscription: "canceled" });
  for (const { name } of TOOLS) {
    expect(await callTool(caller, name), name).toMatchObject({
      isError: true,
      error: { code: "subscription_required" },
    });
  }
});
