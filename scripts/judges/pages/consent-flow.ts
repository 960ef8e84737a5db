import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { PageChecker } from "./page-checker.ts";

/** An app on this computer: its callback shows a page, or redirects to a web page as some agents' callbacks do. */
async function startCallbackServer(): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname === "/redirect") {
      response.writeHead(302, { location: `https://app.example/landed${url.search}` }).end();
    } else {
      const html = "<!doctype html><html lang=en><title>Back</title><h1>Back in the app</h1></html>";
      response.writeHead(200, { "content-type": "text/html" }).end(html);
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

async function registerClient(checker: PageChecker, redirectUri: string): Promise<string> {
  const response = await checker.page.request.post(`${checker.origin}/oauth/register`, {
    data: {
      client_name: "Claude <b>Desktop</b>",
      client_uri: "https://app.example/about",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
    },
  });
  return ((await response.json()) as { client_id: string }).client_id;
}

/** Allows an app with three kinds of redirect URI, denies it once, and revokes it again. */
export async function runConsentFlow(checker: PageChecker): Promise<void> {
  const { page } = checker;
  const { server, port } = await startCallbackServer();
  try {
    await allowAccess(checker, "https origin", "https://app.example/callback", "https://app.example/callback?*");
    await allowAccess(
      checker,
      "loopback port",
      "http://127.0.0.1/callback",
      `http://127.0.0.1:${port}/callback?*`,
      port,
    );
    await allowAccess(checker, "further redirect", "http://127.0.0.1/redirect", "https://app.example/landed?*", port);
    await denyAccess(checker);
  } finally {
    server.close();
  }
  await checker.open("/dashboard/apps");
  await checker.checkPage("apps");
  await page.locator("summary", { hasText: "Revoke" }).first().click();
  await page
    .getByRole("button", { name: /^Revoke/ })
    .first()
    .click();
  await page.getByText("Access revoked").waitFor();
}

async function openConsentPage(
  checker: PageChecker,
  redirectUri: string,
  port?: number,
): Promise<{ clientId: string; verifier: string; usedRedirectUri: string }> {
  const clientId = await registerClient(checker, redirectUri);
  const verifier = randomBytes(32).toString("base64url");
  const usedRedirectUri = port === undefined ? redirectUri : redirectUri.replace("127.0.0.1", `127.0.0.1:${port}`);
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: usedRedirectUri,
    scope: "posts:read posts:write accounts:read",
    state: "a state with spaces",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  await checker.open(`/oauth/authorize?${query.toString()}`);
  return { clientId, verifier, usedRedirectUri };
}

async function allowAccess(
  checker: PageChecker,
  kind: string,
  redirectUri: string,
  finalUrl: string,
  port?: number,
): Promise<void> {
  const { page } = checker;
  const { clientId, verifier, usedRedirectUri } = await openConsentPage(checker, redirectUri, port);
  await checker.checkPage(`consent-${kind.replaceAll(" ", "-")}`);
  await page.getByRole("checkbox", { name: /posts:write/ }).uncheck();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.waitForURL(finalUrl);
  const { searchParams } = new URL(page.url());
  checker.expect(
    `${kind}: the redirect contains state and issuer`,
    searchParams.get("state") === "a state with spaces" && searchParams.get("iss") === checker.origin,
  );
  const response = await page.request.post(`${checker.origin}/oauth/token`, {
    form: {
      grant_type: "authorization_code",
      client_id: clientId,
      code: searchParams.get("code") ?? "",
      code_verifier: verifier,
      redirect_uri: usedRedirectUri,
    },
  });
  const tokens = (await response.json()) as { scope?: string };
  checker.expect(`${kind}: the selected scopes are granted`, tokens.scope === "accounts:read posts:read");
}

async function denyAccess(checker: PageChecker): Promise<void> {
  const { page } = checker;
  await openConsentPage(checker, "https://app.example/callback");
  await page.getByRole("button", { name: "Deny" }).click();
  await page.waitForURL("https://app.example/callback?*");
  checker.expect(
    "denying redirects with access_denied",
    new URL(page.url()).searchParams.get("error") === "access_denied",
  );
}
