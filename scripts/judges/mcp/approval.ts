import assert from "node:assert/strict";
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { call } from "../../service.ts";
import { openSignedIn } from "../demo/signed-in.ts";
import { createProvider } from "../oauth/mcp-clients.ts";

/*
 * An app that a person must confirm for: it consents, previews and asks with an MCP client; the person decides in Chromium. Twice: a
 * client that only reads text, and one that opens an address for the person while its call waits.
 */

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  // oxlint-disable-next-line typescript/no-explicit-any -- members of answers are read as they come
  readonly structuredContent?: any;
}

const textOf = ({ content }: Result): string => content.map(({ text }) => text ?? "").join("\n");

/** The consent page as a person finds it: nothing is changed, and Allow is pressed. */
async function consent(context: BrowserContext, url: URL): Promise<URL> {
  const page = await context.newPage();
  const callback = new Promise<URL>((resolve) => {
    page.on("request", (request) => {
      if (new URL(request.url()).port === "47831") {
        resolve(new URL(request.url()));
      }
    });
  });
  await page.goto(url.href);
  assert.equal(await page.locator('input[name="confirms"][value="person"]').isChecked(), true, "person is preselected");
  await page.getByRole("button", { name: /allow/i }).click();
  const answered = await callback;
  await page.close();
  return answered;
}

/** A client of the user, which knew only the address of the server. */
async function connect(origin: string, context: BrowserContext, opensAddresses: boolean): Promise<Client> {
  const { state, provider } = createProvider();
  const open = () =>
    new StreamableHTTPClientTransport(new URL("/mcp", origin), {
      authProvider: provider as unknown as OAuthClientProvider,
    });
  const create = () =>
    new Client(
      { name: "judge", version: "1.0.0" },
      opensAddresses ? { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { url: {} } } } : {},
    );
  const first = open();
  await assert.rejects(create().connect(first), UnauthorizedError);
  const { searchParams } = await consent(context, state.authorizationUrl ?? new URL(origin));
  await first.finishAuth(searchParams.get("code") ?? "", searchParams.get("iss") ?? "");
  const client = create();
  await client.connect(open());
  return client;
}

async function press(context: BrowserContext, url: string, button: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("button", { name: button, exact: true }).click();
  await page.waitForLoadState();
  return page;
}

/** The whole conversation, a line for each step; throws when a step is not as promised. */
export async function approvalJourney(origin: string): Promise<readonly string[]> {
  const user = await call<{ email: string; password: string; api_key: string }>(origin, "POST", "/sandbox/users", {
    body: { password: "sandbox-sandbox" },
  });
  const { accounts } = await call<{ accounts: { id: string }[] }>(origin, "POST", "/sandbox/connect", {
    body: { api_key: user.api_key, platform: "x" },
  });
  const lines: string[] = [];
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const context = await openSignedIn(browser, origin, user, {});
    for (const opensAddresses of [false, true]) {
      const client = await connect(origin, context, opensAddresses);
      lines.push(`connected by ${client.getNegotiatedProtocolVersion()}; the consent page had "person" preselected`);
      const tool = async (name: string, args: Record<string, unknown>): Promise<Result> => {
        lines.push(`> ${name} ${JSON.stringify(args)}`);
        const result = (await client.callTool({ name, arguments: args })) as Result;
        lines.push(
          ...`${result.isError === true ? "(isError) " : ""}${textOf(result)}`.split("\n").map((line) => `< ${line}`),
        );
        return result;
      };
      const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
      const previewed = await tool("preview_post", {
        caption: `A glaze, ${crypto.randomUUID()}`,
        scheduled_at: `${day}T18:00`,
        time_zone: "Europe/Berlin",
        account_ids: [accounts[0]?.id],
      });
      const token = { confirmation_token: previewed.structuredContent.confirmation_token };
      if (opensAddresses) {
        client.setRequestHandler("elicitation/create", async ({ params }) => {
          assert.equal(params.mode, "url");
          lines.push(`the client opens ${params.url}; the person presses Schedule`);
          await press(context, params.url, "Schedule");
          return { action: "accept" };
        });
      } else {
        const refused = await tool("confirm_preview", token);
        assert.equal(refused.isError, true);
        assert.match(textOf(refused), /^approval_required: /);
        const [url = ""] = /https?:\S+\/approvals\/[0-9a-f-]+/.exec(textOf(refused)) ?? [];
        assert.equal((await tool("list_posts", {})).structuredContent.posts.length, 0, "nothing was written");
        lines.push(`the person opens ${url} and presses Schedule`);
        await press(context, url, "Schedule");
      }
      const confirmed = await tool("confirm_preview", token);
      assert.equal(confirmed.structuredContent?.posts?.length, 1, textOf(confirmed));
      assert.equal(confirmed.structuredContent.posts[0].created_via, "mcp");
      assert.equal(confirmed.structuredContent.posts[0].plan_hash, previewed.structuredContent.preview.plan_hash);
      await client.close();
    }
    return lines;
  } finally {
    await browser.close();
  }
}
