import { env, exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { SCOPES } from "#core/scope.ts";
import { callApi } from "../support/call-api.ts";
import { callTool, type Era, sendMcp } from "../support/call-mcp.ts";
import { type ApiCaller, createAnotherKey, createAnotherWorkspace, createCaller } from "../support/create-caller.ts";
import { ORIGIN } from "../support/origin.ts";

const HEADER = "almanac-workspace";
const MISSING_ID = "11111111-1111-4111-8111-111111111111";
const ERAS: readonly Era[] = ["2025", "2026"];

/** A user with two workspaces; the first is the active one. */
async function createAgency(): Promise<ApiCaller & { readonly first: string; readonly second: string }> {
  const caller = await createCaller();
  return { ...caller, first: caller.workspaceId, second: await createAnotherWorkspace(caller) };
}

const activate = (caller: ApiCaller, id: string) =>
  callApi(caller, { method: "POST", path: "/workspaces/active", body: { workspace_id: id } });

async function draftsOf({ userId }: ApiCaller): Promise<Readonly<Record<string, string[]>>> {
  const { results } = await env.DB.prepare(
    "SELECT workspace_id, content ->> '$.caption' AS caption FROM drafts WHERE user_id = ? ORDER BY id",
  )
    .bind(userId)
    .all<{ workspace_id: string; caption: string }>();
  return Object.groupBy(results, (row) => row.workspace_id) as never;
}

async function captionsIn(caller: ApiCaller, workspaceId: string): Promise<string[]> {
  const drafts = await draftsOf(caller);
  return ((drafts[workspaceId] ?? []) as unknown as { caption: string }[]).map(({ caption }) => caption);
}

describe("the argument workspace_id", () => {
  test.for(ERAS)(
    "decides where a tool of %s works, while the active workspace is switched",
    async (era, { expect }) => {
      const agency = await createAgency();
      const save = async (caption: string, id: string) => {
        const saved = await callTool(agency, "save_draft", { content: { caption }, workspace_id: id }, { era });
        expect(saved.isError, saved.text).toBe(false);
      };
      for (const active of [agency.second, agency.first, agency.second]) {
        await activate(agency, active);
        await Promise.all([save("of the first", agency.first), save("of the second", agency.second.toUpperCase())]);
      }
      expect(await captionsIn(agency, agency.first)).toEqual(Array.from({ length: 3 }, () => "of the first"));
      expect(await captionsIn(agency, agency.second)).toEqual(Array.from({ length: 3 }, () => "of the second"));
    },
  );

  test("is left out or null for the active workspace", async ({ expect }) => {
    const agency = await createAgency();
    await callTool(agency, "save_draft", { content: { caption: "left out" } });
    await callTool(agency, "save_draft", { content: { caption: "null" }, workspace_id: null });
    expect(await captionsIn(agency, agency.first)).toEqual(["left out", "null"]);
  });

  test("may repeat the header, and may not differ from it", async ({ expect }) => {
    const agency = await createAgency();
    const call = (id: string) =>
      sendMcp(agency, {
        method: "tools/call",
        params: { name: "save_draft", arguments: { content: { caption: "with a header" }, workspace_id: id } },
        headers: { [HEADER]: agency.second },
      });
    const same = await call(agency.second);
    expect(same.headers.get(HEADER)).toBe(agency.second);
    expect(same.body.result.isError).not.toBe(true);
    const other = await call(agency.first);
    expect(other.body.result).toMatchObject({
      isError: true,
      _meta: { "almanac/error": { code: "invalid_request", param: "workspace_id" } },
    });
    expect(await captionsIn(agency, agency.first)).toEqual([]);
    expect(await captionsIn(agency, agency.second)).toEqual(["with a header"]);
  });

  test.for(["", "1", 1, true, [], {}])("%j is no UUID", async (id, { expect }) => {
    const refused = await callTool(await createAgency(), "save_draft", { content: { caption: "x" }, workspace_id: id });
    expect(refused).toMatchObject({ isError: true, error: { code: "invalid_request", param: "workspace_id" } });
  });

  test("of another user is answered like one that does not exist, and nothing is written", async ({ expect }) => {
    const stranger = await createCaller();
    const agency = await createAgency();
    const save = (id: string) => callTool(agency, "save_draft", { content: { caption: "x" }, workspace_id: id });
    const [foreign, missing] = [await save(stranger.workspaceId), await save(MISSING_ID)];
    expect(foreign).toMatchObject({ isError: true, error: { code: "not_found", param: "workspace_id" } });
    expect(foreign.text).toBe(missing.text);
    expect(await draftsOf(agency)).toEqual({});
  });

  test("of a pinned key is its own workspace or unknown", async ({ expect }) => {
    const agency = await createAgency();
    const pinned = await createAnotherKey(agency, SCOPES, agency.second);
    const save = (args: object) => callTool(pinned, "save_draft", { content: { caption: "pinned" }, ...args });
    expect((await save({})).isError).toBe(false);
    expect((await save({ workspace_id: agency.second })).isError).toBe(false);
    expect(await save({ workspace_id: agency.first })).toMatchObject({ isError: true, error: { code: "not_found" } });
    const switched = await callTool(pinned, "switch_workspace", { workspace_id: agency.first });
    expect(switched).toMatchObject({ isError: true, error: { code: "workspace_pinned" } });
    expect(await captionsIn(agency, agency.second)).toEqual(["pinned", "pinned"]);
    expect(await captionsIn(agency, agency.first)).toEqual([]);
  });

  test("of switch_workspace is the one to switch to, also beside the header", async ({ expect }) => {
    const agency = await createAgency();
    const { body } = await sendMcp(agency, {
      method: "tools/call",
      params: { name: "switch_workspace", arguments: { workspace_id: agency.second } },
      headers: { [HEADER]: agency.first },
    });
    expect(body.result.structuredContent.workspace).toMatchObject({ id: agency.second, is_active: true });
  });
});

describe("the header", () => {
  test("decides for every message", async ({ expect }) => {
    const agency = await createAgency();
    const list = await sendMcp(agency, { method: "tools/list", headers: { [HEADER]: agency.second } });
    expect([list.status, list.headers.get(HEADER)]).toEqual([200, agency.second]);
    const plain = await sendMcp(agency, { method: "tools/list" });
    expect(plain.headers.get(HEADER)).toBe(agency.first);
  });

  test.for([
    ["no UUID", "no id", 400, "invalid_request"],
    ["unknown", MISSING_ID, 404, "not_found"],
  ] as const)("that is %s is refused before any tool runs", async ([, named, status, code], { expect }) => {
    const caller = await createCaller();
    for (const method of ["tools/list", "tools/call"]) {
      const refused = await sendMcp(caller, {
        method,
        params: { name: "save_draft", arguments: { content: { caption: "x" } } },
        headers: { [HEADER]: named },
      });
      expect(refused.status).toBe(status);
      expect(refused.body.error.data.code).toBe(code);
    }
    expect(await draftsOf(caller)).toEqual({});
  });

  test("is allowed and shown to pages of other sites", async ({ expect }) => {
    for (const path of ["/mcp", "/v1/posts"]) {
      const { headers } = await exports.default.fetch(`${ORIGIN}${path}`, { method: "OPTIONS" });
      expect(headers.get("access-control-allow-headers")?.toLowerCase()).toContain(HEADER);
      expect(headers.get("access-control-expose-headers")?.toLowerCase()).toContain(HEADER);
    }
  });
});

describe("get_overview", () => {
  test("tells which workspace is active and in which the call works", async ({ expect }) => {
    const agency = await createAgency();
    const { text, data } = await callTool(agency, "get_overview", { workspace_id: agency.second });
    expect(data).toMatchObject({ workspace_id: agency.second, active_workspace_id: agency.first });
    expect(text).toMatch(new RegExp(`Workspace ${agency.first}: .* \\(active\\)\\.`));
    expect(text).toMatch(new RegExp(`Workspace ${agency.second}: .* \\(of this call\\)\\.`));
    expect(text).toContain("Every tool takes workspace_id");
  });

  test("of a pinned key tells no other workspace, also not which one is active", async ({ expect }) => {
    const agency = await createAgency();
    const pinned = await createAnotherKey(agency, SCOPES, agency.second);
    const { text, data } = await callTool(pinned, "get_overview");
    expect(data).toMatchObject({ workspace_id: agency.second, active_workspace_id: null });
    expect(text).not.toContain(agency.first);
    expect(text).not.toContain("Every tool takes workspace_id");
  });
});
