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

/** Cloudflare answers a wrong account id like a missing right, so the id is checked first. */
async function assertAccount(api: CloudflareApi, named: string): Promise<void> {
  if (!/^[0-9a-f]{32}$/.test(named)) {
    throw new DeployFailure(
      `CLOUDFLARE_ACCOUNT_ID is ${named}, and an account's id has 32 letters and digits`,
      "copy it from the dashboard, at Workers & Pages",
    );
  }
  // A token may lack the right to list accounts: then the first call that needs another right tells.
  const accounts = await api.list<Account>("/accounts").catch(() => []);
  if (accounts.length > 0 && !accounts.some(({ id }) => id === named)) {
    throw new DeployFailure(
      `CLOUDFLARE_ACCOUNT_ID is ${named}, which is none of the accounts of this login:\n${listed(accounts)}`,
      "set it to one of these, or log in as somebody who may use that account",
    );
  }
}

const listed = (accounts: readonly Account[]): string =>
  accounts.map(({ id, name }) => `  - ${id}  ${name}`).join("\n");

async function chooseAccount(api: CloudflareApi): Promise<string> {
  const named = process.env["CLOUDFLARE_ACCOUNT_ID"];
  if (named !== undefined && named !== "") {
    await assertAccount(api, named);
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
      `the login belongs to ${accounts.length} accounts:\n${listed(accounts)}`,
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
