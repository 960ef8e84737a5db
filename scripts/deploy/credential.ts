import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { CloudflareApi, type Credential } from "./cloudflare.ts";
import { DeployFailure } from "./failure.ts";
import { runWrangler } from "./wrangler.ts";

/** The variables that wrangler too reads from `.env`. */
export async function loadDotEnv(): Promise<void> {
  const content = await readFile(".env", "utf8").catch(() => "");
  for (const [name, value] of Object.entries(parseEnv(content))) {
    if (name.startsWith("CLOUDFLARE_")) {
      process.env[name] ??= value;
    }
  }
}

/** The credential of `wrangler login` or of CLOUDFLARE_API_TOKEN; wrangler renews a login that has expired. */
async function readCredential(): Promise<Credential> {
  const token = process.env["CLOUDFLARE_API_TOKEN"];
  if (token !== undefined && token !== "") {
    return { type: "api_token", token };
  }
  const { code, output } = await runWrangler(["auth", "token", "--json"], null, { quiet: true });
  try {
    const credential = JSON.parse(output.slice(output.indexOf("{"))) as Credential;
    if (code === 0 && ("token" in credential || "key" in credential)) {
      return credential;
    }
  } catch {
    // The parser's message would quote the credential.
  }
  throw new DeployFailure(
    "there is no login at Cloudflare",
    "run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a token with the rights of docs/guide/operate.md",
  );
}

interface Account {
  readonly id: string;
  readonly name: string;
}

async function chooseAccount(api: CloudflareApi): Promise<string> {
  const named = process.env["CLOUDFLARE_ACCOUNT_ID"];
  if (named !== undefined && named !== "") {
    return named;
  }
  const accounts = await api.list<Account>("/accounts");
  const [only, ...others] = accounts;
  if (only === undefined) {
    throw new DeployFailure(
      "the API token sees no account",
      "set CLOUDFLARE_ACCOUNT_ID, which the dashboard shows at Workers & Pages",
    );
  }
  if (others.length > 0) {
    throw new DeployFailure(
      `the login belongs to ${accounts.length} accounts:\n${accounts.map(({ id, name }) => `  - ${id}  ${name}`).join("\n")}`,
      "set CLOUDFLARE_ACCOUNT_ID to the one that runs Almanac",
    );
  }
  return only.id;
}

/** Cloudflare's API as the operator, and the account to deploy to. */
export async function signIn(
  jurisdiction: string | undefined,
): Promise<{ readonly api: CloudflareApi; readonly accountId: string }> {
  const base = process.env["CLOUDFLARE_API_BASE_URL"];
  const api = new CloudflareApi(await readCredential(), { base: base === "" ? undefined : base, jurisdiction });
  return { api, accountId: await chooseAccount(api) };
}
