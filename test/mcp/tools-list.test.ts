import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, test } from "vitest";
import { SCOPES, type Scope } from "#core/scope.ts";
import { TOOLS } from "#mcp/tools/index.ts";
import { callTool, sendMcp } from "../support/call-mcp.ts";
import { type ApiCaller, createCaller } from "../support/create-caller.ts";

/** All of `tools/list`, in tokens of o200k. */
const MAX_TOKENS = 3200;

const list = async (caller: ApiCaller): Promise<readonly { readonly name: string }[]> =>
  (await sendMcp(caller, { method: "tools/list" })).body.result.tools;

describe("tools/list", () => {
  test("is as it was reviewed", async ({ expect }) => {
    await expect(`${JSON.stringify(await list(await createCaller()), null, 2)}\n`).toMatchFileSnapshot(
      "./tools-list.snapshot.txt",
    );
  });

  test("costs a conversation little", async ({ expect }) => {
    const tokens = encode(JSON.stringify(await list(await createCaller()))).length;
    expect(tokens).toBeLessThanOrEqual(MAX_TOKENS);
  });
});

describe.each(SCOPES)("a key without %s", (scope) => {
  const others = SCOPES.filter((other) => other !== scope);
  const lacking = TOOLS.filter((tool) => tool.scope === scope).map(({ name }) => name);

  test("is not offered the tools that need it, and refused them", async ({ expect }) => {
    const caller = await createCaller({ scopes: others });
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
    const caller = await createCaller({ scopes: [scope] });
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
