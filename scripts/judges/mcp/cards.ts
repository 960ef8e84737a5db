import assert from "node:assert/strict";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { build } from "esbuild";
import { type Browser, chromium, type Frame, type Page } from "playwright-core";
import { call } from "../../service.ts";
import { createAskingKey } from "../demo/asking-key.ts";
import { openSignedIn } from "../demo/signed-in.ts";
import type { Heard } from "./card-host.ts";

/* Both cards in Chromium, shown by the reference implementation of a host (`AppBridge` of ext-apps). */

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

interface CardResource {
  readonly text: string;
  readonly _meta: { readonly ui: { readonly csp: { readonly resourceDomains: readonly string[] } } };
}

/** The card under the policy that the specification derives from its metadata: its own script and style, and what it names. */
async function readCard(send: Send, name: string): Promise<string> {
  const { contents } = (await send("resources/read", { uri: `ui://almanac/${name}` })) as { contents: CardResource[] };
  const [card] = contents;
  assert.ok(card);
  const { csp } = card._meta.ui;
  assert.deepEqual(Object.keys(csp), ["resourceDomains"]);
  const domains = csp.resourceDomains.join(" ");
  const policy = `default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src ${domains}`;
  return card.text.replace("<title>", `<meta http-equiv="Content-Security-Policy" content="${policy}"><title>`);
}

/** The host's page as one script. */
async function bundleHost(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "card-host.ts")],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
  });
  return outputFiles[0]?.text ?? "";
}

interface OpenedCard {
  readonly page: Page;
  readonly card: Frame;
  /** The same for every card when it has done its work: nothing of the texts became markup, and nobody complained. */
  readonly finish: (picture: string) => Promise<void>;
}

type Theme = "light" | "dark";

interface Shown {
  readonly html: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: unknown;
  readonly theme: Theme;
  readonly send: Send;
}

const heardBy = (page: Page): Promise<Heard> => page.evaluate(() => window.host.heard());

/** The builder leaves out a frame that takes longer than a second to load axe, as on a busy machine: until it was looked at. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  for (let tries = 0; tries < 10; tries += 1) {
    const { passes, violations } = await new AxeBuilder({ page }).analyze();
    if (passes.some(({ nodes }) => nodes.some(({ target }) => target.length > 1))) {
      return violations.map(({ id }) => id);
    }
  }
  throw new Error("axe never looked at the card");
}

async function openCard(
  browser: Browser,
  host: string,
  { html, input, result, theme, send }: Shown,
): Promise<OpenedCard> {
  const context = await browser.newContext({ viewport: { width: 320, height: 700 } });
  const page = await context.newPage();
  const messages: string[] = [];
  page.on("console", (message) => {
    // The bridge notes every message for its developers.
    if (message.type() !== "debug") {
      messages.push(message.text());
    }
  });
  page.on("pageerror", (error) => messages.push(error.message));
  page.on("dialog", (dialog) => messages.push(dialog.message()));
  await page.exposeFunction("callTool", (params: Readonly<Record<string, unknown>>) => send("tools/call", params));
  await page.setContent(`<!doctype html><html lang="en"><title>Host</title><header><h1>Host</h1></header></html>`);
  await page.addScriptTag({ content: host });
  await page.evaluate((shown) => window.host.show(shown), { html, theme, input, result });
  const card = page.frames()[1];
  assert.ok(card);
  await card.waitForSelector("main p");
  const finish = async (picture: string) => {
    const schemeOf = () => card.evaluate(() => document.documentElement.style.colorScheme);
    assert.equal(await schemeOf(), theme);
    assert.equal(await card.locator("main img, main b").count(), 0);
    assert.equal(await card.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    assert.deepEqual(await violationsOf(page), []);
    if (process.env["PICTURES"] !== undefined) {
      await page.screenshot({ path: `${process.env["PICTURES"]}/${picture}-${theme}.png` });
    }
    const other: Theme = theme === "light" ? "dark" : "light";
    await page.evaluate((theme: Theme) => window.host.changeTheme(theme), other);
    await card.waitForFunction((scheme) => document.documentElement.style.colorScheme === scheme, other);
    await page.evaluate(() => window.host.end());
    const { heights, errors } = await heardBy(page);
    assert.ok((heights.at(-1) ?? 0) > 0);
    assert.deepEqual([...messages, ...errors], []);
    await context.close();
  };
  return { page, card, finish };
}

/** A user whose agent has to ask. */
async function createAskingUser(origin: string) {
  const user = await call<{ email: string; password: string; api_key: string }>(origin, "POST", "/sandbox/users", {
    body: { password: "sandbox-sandbox" },
  });
  const { accounts } = await call<{ accounts: { id: string }[] }>(origin, "POST", "/sandbox/connect", {
    body: { api_key: user.api_key, platform: "x" },
  });
  return { user, accountId: accounts[0]?.id ?? "", send: sender(origin, await createAskingKey(origin, user)) };
}

const countPosts = async (send: Send): Promise<number> => {
  const { structuredContent } = (await send("tools/call", { name: "list_posts", arguments: {} })) as {
    structuredContent: { posts: unknown[] };
  };
  return structuredContent.posts.length;
};

/** Shows both cards, with words that try to be markup, light and dark, 320 px wide; returns a line for each theme. */
export async function checkCards(origin: string, key: string, accountId: string): Promise<readonly string[]> {
  const started = Date.now();
  const send = sender(origin, key);
  const [preview, calendar, host] = [
    await readCard(send, "preview"),
    await readCard(send, "calendar"),
    await bundleHost(),
  ];
  const asking = await createAskingUser(origin);
  const day = new Date(Date.now() + 6 * 86_400_000).toISOString().slice(0, 10);
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  const lines: string[] = [];
  /** The preview card of a post, with its button pressed. */
  const pressInPreview = async (theme: Theme, accountId: string, send: Send) => {
    const caption = `<img src=x onerror=alert(1)> </script><b>bold</b> ${crypto.randomUUID()}`;
    const input = { caption, scheduled_at: `${day}T18:00`, account_ids: [accountId] };
    const result = await send("tools/call", { name: "preview_post", arguments: input });
    const opened = await openCard(browser, host, { html: preview, input, result, theme, send });
    assert.ok((await opened.card.textContent("main"))?.includes(caption));
    await opened.card.click("button");
    return { caption, ...opened };
  };
  const statusIs = (card: Frame, status: string) =>
    card.waitForFunction((status) => document.querySelector("[role=status]")?.textContent === status, status);
  try {
    for (const theme of ["light", "dark"] as const) {
      const before = await countPosts(send);
      const { page, card, caption, finish } = await pressInPreview(theme, accountId, send);
      await statusIs(card, "Scheduled.");
      await page.waitForFunction(() => window.host.heard().modelContexts.length === 1);
      const heard = await heardBy(page);
      assert.deepEqual(heard.calledTools, ["confirm_preview"]);
      assert.deepEqual(heard.openedLinks, []);
      assert.equal(await countPosts(send), before + 1);
      await finish("preview");

      const listed = await send("tools/call", { name: "list_posts", arguments: {} });
      const week = await openCard(browser, host, { html: calendar, input: {}, result: listed, theme, send });
      assert.ok((await week.card.textContent("main"))?.includes(caption.slice(0, 60)));
      assert.equal(await week.card.locator("button").count(), 0);
      assert.deepEqual((await heardBy(week.page)).calledTools, []);
      await week.finish("calendar");

      const written = await countPosts(asking.send);
      const asked = await pressInPreview(theme, asking.accountId, asking.send);
      await statusIs(asked.card, "Waits for your approval.");
      await asked.card.getByRole("button", { name: "Open to approve" }).click();
      await asked.page.waitForFunction(() => window.host.heard().openedLinks.length === 1);
      const { openedLinks, modelContexts } = await heardBy(asked.page);
      const [address = ""] = openedLinks;
      assert.ok(address.startsWith(`${origin}/approvals/`), address);
      assert.match(modelContexts[0] ?? "", /approval_required/);
      assert.equal(await countPosts(asking.send), written, "a press in the card is no approval");
      await asked.finish("approval");
      const context = await openSignedIn(browser, origin, asking.user, {});
      const approval = await context.newPage();
      await approval.goto(address);
      await approval.getByRole("button", { name: "Schedule", exact: true }).click();
      await approval.waitForLoadState();
      assert.equal(await countPosts(asking.send), written + 1);
      await context.close();
      lines.push(`pass  cards in the reference host, ${theme}, 320 px`);
    }
  } finally {
    await browser.close();
  }
  return [...lines, `the cards took ${Date.now() - started} ms`];
}
