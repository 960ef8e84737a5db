import { describe, test } from "vitest";
import { callTool, sendMcp } from "../support/call-mcp.ts";
import { createCaller } from "../support/create-caller.ts";
import { ORIGIN } from "../support/origin.ts";

const CARDS = [
  { uri: "ui://almanac/preview", maxBytes: 4400, tools: ["preview_post", "preview_edit", "preview_draft"] },
  { uri: "ui://almanac/calendar", maxBytes: 8192, tools: ["list_posts"] },
] as const;

describe.each(CARDS)("$uri", ({ uri, maxBytes, tools }) => {
  test("is a small page that may load pictures of this service and nothing else", async ({ expect }) => {
    const { body } = await sendMcp(await createCaller(), { method: "resources/read", params: { uri } });
    const [page] = body.result.contents;
    expect(page.mimeType).toBe("text/html;profile=mcp-app");
    expect(page._meta.ui.csp).toEqual({ resourceDomains: [ORIGIN] });
    expect(new TextEncoder().encode(page.text).byteLength).toBeLessThanOrEqual(maxBytes);
    expect(page.text).not.toMatch(/https?:|fetch\(|innerHTML|eval|import/);
  });

  test("is named by its tools", async ({ expect }) => {
    const { body } = await sendMcp(await createCaller(), { method: "tools/list" });
    const named = body.result.tools
      .filter((tool: { _meta?: { ui?: { resourceUri: string } } }) => tool._meta?.ui?.resourceUri === uri)
      .map(({ name }: { name: string }) => name);
    expect(named).toEqual(tools);
  });
});

test("the list that the calendar shows says in which zone", async ({ expect }) => {
  const { data } = await callTool(await createCaller(), "list_posts", { time_zone: "Asia/Tokyo" });
  expect(data.time_zone).toBe("Asia/Tokyo");
});
