import { describe, test } from "vitest";
import { TOOLS } from "#mcp/tools/index.ts";
import { createServiceFixture, obtainTokens } from "../auth/service-fixture.ts";
import { callApi } from "../support/call-api.ts";
import { callTool, sendMcp } from "../support/call-mcp.ts";
import { createAnotherWorkspace } from "../support/create-caller.ts";
import { ORIGIN } from "../support/origin.ts";

/** An app that the person allowed to read posts and no more. */
async function createReader(): Promise<{ readonly key: string; readonly userId: string }> {
  const { tokens, userId } = await obtainTokens(createServiceFixture(), {
    scopes: ["posts:read"],
    query: { resource: `${ORIGIN}/mcp` },
  });
  return { key: tokens.access_token, userId };
}

const CALL = { method: "tools/call", params: { name: "preview_post", arguments: {} } } as const;

describe("an app without a scope", () => {
  test("is offered every tool, because it can ask for more", async ({ expect }) => {
    const reader = await createReader();
    // One of them chooses among workspaces.
    await createAnotherWorkspace(reader);
    for (const era of ["2025", "2026"] as const) {
      const { body } = await sendMcp(reader, { method: "tools/list", era });
      expect(body.result.tools.map(({ name }: { name: string }) => name)).toEqual(TOOLS.map(({ name }) => name));
    }
  });

  test("that speaks 2026 is told to ask for the granted scopes and the new one", async ({ expect }) => {
    const { status, headers } = await sendMcp(await createReader(), { ...CALL, era: "2026" });
    expect(status).toBe(403);
    const challenge = headers.get("www-authenticate") ?? "";
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain(`resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp"`);
    const asked = /scope="([^"]*)"/.exec(challenge)?.[1]?.split(" ").toSorted();
    expect(asked).toEqual(["posts:read", "posts:write"]);
  });

  test("that speaks 2025 is never answered 403, which it would take for an outdated token", async ({ expect }) => {
    const reader = await createReader();
    for (const { name, scope } of TOOLS.filter((tool) => tool.scope !== null && tool.scope !== "posts:read")) {
      const refused = await callTool(reader, name, {}, { era: "2025" });
      expect(refused, name).toMatchObject({ isError: true, error: { code: "insufficient_scope" } });
      expect(refused.text).toContain(scope);
      expect(refused.text).toContain("connect this app again");
    }
  });

  test("does what it may by both protocols", async ({ expect }) => {
    const reader = await createReader();
    for (const era of ["2025", "2026"] as const) {
      expect((await callTool(reader, "list_posts", {}, { era })).data.posts).toEqual([]);
    }
  });
});

test("a token for the MCP server does not open the API, nor the other way round", async ({ expect }) => {
  const reader = await createReader();
  expect((await callApi(reader, { method: "GET", path: "/posts" })).status).toBe(401);
  const { tokens } = await obtainTokens(createServiceFixture());
  expect((await sendMcp({ key: tokens.access_token }, { method: "tools/list" })).status).toBe(401);
});
