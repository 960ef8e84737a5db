import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, chromium, type Frame, type Page } from "playwright-core";

interface Rpc {
  readonly result: Readonly<Record<string, unknown>>;
}

type Send = (method: string, params: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>;

/** Messages to the MCP server, as a host sends them. */
const sender =
  (origin: string, key: string): Send =>
  async (method, params) => {
    const response = await fetch(new URL("/mcp", origin), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${key}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const data = /^data: (\{.*)$/m.exec(await response.text())?.[1] ?? "{}";
    return (JSON.parse(data) as Rpc).result;
  };

/** What a host lets a card do: run its own script, and load pictures from the service. */
const policy = (origin: string) =>
  `default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src ${origin}`;

/** A host in a page: it answers the card's requests, and keeps what the card tells it. */
const HOST = `window.told=[];window.opened=[];addEventListener("message",async ({source,data:m})=>{const f=document.querySelector("iframe").contentWindow;if(source!==f||!m.method)return;
const reply=result=>f.postMessage({jsonrpc:"2.0",id:m.id,result},"*");
if(m.method==="ui/initialize")return reply({protocolVersion:"2026-01-26",hostInfo:{name:"judge",version:"1"},hostCapabilities:{},hostContext:{theme:window.theme}});
if(m.method==="ui/notifications/initialized")return f.postMessage({jsonrpc:"2.0",method:"ui/notifications/tool-result",params:window.result},"*");
if(m.method==="tools/call")return reply(await window.callTool(m.params));
if(m.method==="ui/open-link"){window.opened.push(m.params.url);return reply({})}
if(m.id!==undefined){window.told.push(m);reply({})}});`;

async function openCard(
  browser: Browser,
  { html, result, theme, send }: { html: string; result: unknown; theme: string; send: Send },
): Promise<{ page: Page; card: Frame; messages: string[] }> {
  const context = await browser.newContext({ viewport: { width: 320, height: 700 } });
  const page = await context.newPage();
  const messages: string[] = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(error.message));
  await page.exposeFunction("callTool", (params: Readonly<Record<string, unknown>>) => send("tools/call", params));
  await page.setContent(`<!doctype html><html lang="en"><title>Host</title><header><h1>Host</h1></header>`);
  await page.evaluate(
    ([script, theme, result, html]) => {
      Object.assign(window, { theme, result });
      const element = document.createElement("script");
      element.textContent = script;
      document.body.insertAdjacentElement("beforeend", element);
      const frame = document.createElement("iframe");
      frame.title = "Card";
      frame.setAttribute("sandbox", "allow-scripts");
      frame.width = "300";
      frame.height = "600";
      frame.srcdoc = html;
      document.body.insertAdjacentElement("beforeend", frame);
    },
    [HOST, theme, result, html] as const,
  );
  await page.waitForTimeout(300);
  const card = page.frames()[1];
  assert.ok(card);
  await card.waitForSelector("main p");
  return { page, card, messages };
}

/** Shows both cards in Chromium as a host does, with words that try to be markup, light and dark, 320 px wide. */
export async function checkCards(origin: string, key: string, accountId: string): Promise<readonly string[]> {
  const send = sender(origin, key);
  const read = async (name: string): Promise<string> => {
    const { contents } = (await send("resources/read", { uri: `ui://almanac/${name}` })) as {
      contents: { text: string }[];
    };
    const html = contents[0]?.text ?? "";
    return html.replace("<title>", `<meta http-equiv="Content-Security-Policy" content="${policy(origin)}"><title>`);
  };
  const [preview, calendar] = [await read("preview"), await read("calendar")];
  const day = new Date(Date.now() + 6 * 86_400_000).toISOString().slice(0, 10);
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  const lines: string[] = [];
  try {
    for (const theme of ["light", "dark"]) {
      const hostile = `<img src=x onerror=alert(1)> </script><b>bold</b> ${crypto.randomUUID()}`;
      const result = await send("tools/call", {
        name: "preview_post",
        arguments: { caption: hostile, scheduled_at: `${day}T18:00`, account_ids: [accountId] },
      });
      const { page, card, messages } = await openCard(browser, { html: preview, result, theme, send });
      assert.ok((await card.textContent("main"))?.includes(hostile));
      assert.equal(await card.locator("main img, main b").count(), 0);
      const { violations } = await new AxeBuilder({ page }).analyze();
      assert.deepEqual(
        violations.map(({ id }) => id),
        [],
      );
      assert.equal(await card.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      await card.click("button");
      await card.waitForFunction(() => document.querySelector("[role=status]")?.textContent === "Scheduled.");
      await page.waitForFunction(() => (Reflect.get(window, "told") as { method: string }[]).length > 0);
      assert.deepEqual(messages, []);
      if (process.env["PICTURES"] !== undefined) {
        await page.screenshot({ path: `${process.env["PICTURES"]}/preview-${theme}.png` });
      }
      await page.close();
      const listed = await send("tools/call", { name: "list_posts", arguments: {} });
      const week = await openCard(browser, { html: calendar, result: listed, theme, send });
      assert.ok((await week.card.textContent("main"))?.includes(hostile.slice(0, 60)));
      assert.equal(await week.card.locator("main img, main b, button").count(), 0);
      const found = await new AxeBuilder({ page: week.page }).analyze();
      assert.deepEqual(
        found.violations.map(({ id }) => id),
        [],
      );
      assert.deepEqual(week.messages, []);
      if (process.env["PICTURES"] !== undefined) {
        await week.page.screenshot({ path: `${process.env["PICTURES"]}/calendar-${theme}.png` });
      }
      await week.page.close();
      lines.push(`pass  cards, ${theme}, 320 px`);
    }
  } finally {
    await browser.close();
  }
  return lines;
}
