import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Visit } from "./visit.ts";

/** An app on this computer: its callback answers, or hops onward to the web as some agents' callbacks do. */
async function callbackServer(): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname === "/hop") {
      response.writeHead(302, { location: `https://app.example/landed${url.search}` }).end();
    } else {
      const page = "<!doctype html><html lang=en><title>Back</title><h1>Back in the app</h1></html>";
      response.writeHead(200, { "content-type": "text/html" }).end(page);
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

async function register(visit: Visit, redirectUri: string): Promise<string> {
  const answer = await visit.page.request.post(`${visit.origin}/oauth/register`, {
    data: {
      client_name: "Claude <b>Desktop</b>",
      client_uri: "https://app.example/about",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
    },
  });
  return ((await answer.json()) as { client_id: string }).client_id;
}

/** Lets an app in by three kinds of redirect, says no once, and throws an app out again. */
export async function runConsent(visit: Visit): Promise<void> {
  const { page } = visit;
  const { server, port } = await callbackServer();
  try {
    await letIn(visit, "https origin", "https://app.example/callback", "https://app.example/callback?*");
    await letIn(visit, "loopback port", "http://127.0.0.1/callback", `http://127.0.0.1:${port}/callback?*`, port);
    await letIn(visit, "hop onward", "http://127.0.0.1/hop", "https://app.example/landed?*", port);
    await deny(visit);
  } finally {
    server.close();
  }
  await visit.go("/dashboard/apps");
  await visit.look("apps");
  await page.locator("summary", { hasText: "Throw out" }).first().click();
  await page
    .getByRole("button", { name: /^Throw out/ })
    .first()
    .click();
  await page.getByText("The app is out").waitFor();
}

async function ask(
  visit: Visit,
  redirectUri: string,
  port?: number,
): Promise<{ clientId: string; verifier: string; used: string }> {
  const clientId = await register(visit, redirectUri);
  const verifier = randomBytes(32).toString("base64url");
  const used = port === undefined ? redirectUri : redirectUri.replace("127.0.0.1", `127.0.0.1:${port}`);
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: used,
    scope: "posts:read posts:write accounts:read",
    state: "a state with spaces",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  await visit.go(`/oauth/authorize?${query.toString()}`);
  return { clientId, verifier, used };
}

async function letIn(visit: Visit, kind: string, redirectUri: string, landing: string, port?: number): Promise<void> {
  const { page } = visit;
  const { clientId, verifier, used } = await ask(visit, redirectUri, port);
  await visit.look(`consent-${kind.replaceAll(" ", "-")}`);
  await page.getByRole("checkbox", { name: /posts:write/ }).uncheck();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.waitForURL(landing);
  const { searchParams } = new URL(page.url());
  visit.check(
    `${kind}: state and issuer come back`,
    searchParams.get("state") === "a state with spaces" && searchParams.get("iss") === visit.origin,
  );
  const answer = await page.request.post(`${visit.origin}/oauth/token`, {
    form: {
      grant_type: "authorization_code",
      client_id: clientId,
      code: searchParams.get("code") ?? "",
      code_verifier: verifier,
      redirect_uri: used,
    },
  });
  const tokens = (await answer.json()) as { scope?: string };
  visit.check(`${kind}: what stayed ticked is granted`, tokens.scope === "accounts:read posts:read");
}

async function deny(visit: Visit): Promise<void> {
  const { page } = visit;
  await ask(visit, "https://app.example/callback");
  await page.getByRole("button", { name: "Deny" }).click();
  await page.waitForURL("https://app.example/callback?*");
  visit.check("a no comes back as one", new URL(page.url()).searchParams.get("error") === "access_denied");
}
