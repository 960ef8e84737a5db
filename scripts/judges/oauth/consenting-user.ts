import { randomBytes } from "node:crypto";

/** The redirect URI of every client. Nothing listens there, because the URL is read from the redirect response. */
export const CALLBACK = "http://127.0.0.1:47831/callback";

function inputValue(html: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "";
}

/** A signed-in user in a browser who allows every consent request. */
export class ConsentingUser {
  readonly origin: string;
  readonly #cookie: string;

  private constructor(origin: string, cookie: string) {
    this.origin = origin;
    this.#cookie = cookie;
  }

  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  get mcpUrl(): string {
    return `${this.origin}/mcp`;
  }

  static async signUp(origin: string): Promise<ConsentingUser> {
    const response = await fetch(`${origin}/signup`, {
      method: "POST",
      redirect: "manual",
      headers: { origin },
      body: new URLSearchParams({
        email: `oauth-check-${randomBytes(6).toString("hex")}@example.com`,
        password: randomBytes(16).toString("hex"),
        plan: "scale",
        time_zone: "UTC",
      }),
    });
    return ConsentingUser.#of(origin, response);
  }

  static async signIn(origin: string, email: string, password: string): Promise<ConsentingUser> {
    const response = await fetch(`${origin}/login`, {
      method: "POST",
      redirect: "manual",
      headers: { origin },
      body: new URLSearchParams({ email, password }),
    });
    return ConsentingUser.#of(origin, response);
  }

  static #of(origin: string, response: Response): ConsentingUser {
    const cookie = /^(__Host-session=[^;]+)/.exec(response.headers.get("set-cookie") ?? "")?.[1];
    if (cookie === undefined) {
      throw new Error(`${response.url} answered ${response.status} without a session`);
    }
    return new ConsentingUser(origin, cookie);
  }

  /** Opens an authorization URL and allows every scope; returns the URL of the redirect. */
  async allow(authorizationUrl: string | URL): Promise<URL> {
    const page = await fetch(authorizationUrl, { headers: { cookie: this.#cookie }, redirect: "manual" });
    const html = await page.text();
    if (page.status !== 200) {
      throw new Error(`the consent page returned ${page.status} ${page.headers.get("location") ?? html.slice(0, 500)}`);
    }
    const body = new URLSearchParams({ csrf_token: inputValue(html, "csrf_token"), decision: "allow" });
    for (const [, scope = ""] of html.matchAll(/name="scope" value="([^"]+)"/g)) {
      body.append("scope", scope);
    }
    const response = await fetch(authorizationUrl, {
      method: "POST",
      redirect: "manual",
      headers: { cookie: this.#cookie, origin: this.origin },
      body,
    });
    const location = response.headers.get("location");
    if (response.status !== 303 || location === null) {
      throw new Error(`the consent form returned ${response.status}`);
    }
    return new URL(location);
  }

  /** The status of an API call with this token. */
  async callApi(accessToken: string): Promise<number> {
    const response = await fetch(`${this.baseUrl}/accounts`, { headers: { authorization: `Bearer ${accessToken}` } });
    await response.body?.cancel();
    return response.status;
  }

  async expectApi(accessToken: string, status: number): Promise<void> {
    const actual = await this.callApi(accessToken);
    if (actual !== status) {
      throw new Error(`the API returned ${actual} instead of ${status}`);
    }
  }

  /** Registers a client, for libraries without dynamic client registration. */
  async register(
    authMethod: "none" | "client_secret_basic",
    redirectUri = CALLBACK,
  ): Promise<{ id: string; secret: string }> {
    const response = await fetch(`${this.origin}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_name: "OAuth check",
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: authMethod,
      }),
    });
    const client: { client_id: string; client_secret?: string } = JSON.parse(await response.text());
    return { id: client.client_id, secret: client.client_secret ?? "" };
  }
}
