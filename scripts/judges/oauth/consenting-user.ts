import { randomBytes } from "node:crypto";

/** The callback of every judge; nothing listens there, because the user reads the address off the redirect. */
export const CALLBACK = "http://127.0.0.1:47831/callback";

function attribute(html: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "";
}

/** Somebody with a browser: signed in, answers consent pages with yes. */
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

  static async signUp(origin: string): Promise<ConsentingUser> {
    const response = await fetch(`${origin}/signup`, {
      method: "POST",
      redirect: "manual",
      headers: { origin },
      body: new URLSearchParams({
        email: `judge-${randomBytes(6).toString("hex")}@example.com`,
        password: randomBytes(16).toString("hex"),
        plan: "scale",
        time_zone: "UTC",
      }),
    });
    const cookie = /^(__Host-session=[^;]+)/.exec(response.headers.get("set-cookie") ?? "")?.[1];
    if (cookie === undefined) {
      throw new Error(`sign-up answered ${response.status}`);
    }
    return new ConsentingUser(origin, cookie);
  }

  /** Opens an authorization address, ticks everything, allows; returns where the browser would go. */
  async allow(authorizationUrl: string | URL): Promise<URL> {
    const page = await fetch(authorizationUrl, { headers: { cookie: this.#cookie }, redirect: "manual" });
    const html = await page.text();
    if (page.status !== 200) {
      throw new Error(`consent answered ${page.status} ${page.headers.get("location") ?? html.slice(0, 500)}`);
    }
    const body = new URLSearchParams({ csrf_token: attribute(html, "csrf_token"), decision: "allow" });
    for (const [, scope = ""] of html.matchAll(/name="scope" value="([^"]+)"/g)) {
      body.append("scope", scope);
    }
    const answer = await fetch(authorizationUrl, {
      method: "POST",
      redirect: "manual",
      headers: { cookie: this.#cookie, origin: this.origin },
      body,
    });
    const location = answer.headers.get("location");
    if (answer.status !== 303 || location === null) {
      throw new Error(`allow answered ${answer.status}`);
    }
    return new URL(location);
  }

  /** Whether the API lets this token in. */
  async callApi(accessToken: string): Promise<number> {
    const response = await fetch(`${this.baseUrl}/accounts`, { headers: { authorization: `Bearer ${accessToken}` } });
    await response.body?.cancel();
    return response.status;
  }

  async expectApi(accessToken: string, status: number): Promise<void> {
    const answered = await this.callApi(accessToken);
    if (answered !== status) {
      throw new Error(`the API answered ${answered} instead of ${status}`);
    }
  }

  /** A client of its own, for libraries that do not register themselves. */
  async register(
    authMethod: "none" | "client_secret_basic",
    redirectUri = CALLBACK,
  ): Promise<{ id: string; secret: string }> {
    const response = await fetch(`${this.origin}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_name: "Judge",
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: authMethod,
      }),
    });
    const client: { client_id: string; client_secret?: string } = JSON.parse(await response.text());
    return { id: client.client_id, secret: client.client_secret ?? "" };
  }
}
