import { describe, test } from "vitest";
import type { CloudflareApi } from "./cloudflare-api.ts";
import { freshAccount, inventory } from "./fresh.ts";
import type { Operator } from "./operator.ts";

const KEYS = '{"k1":"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="}';

interface Case {
  readonly name: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly file?: string;
  readonly says: RegExp;
  readonly prepare?: (api: CloudflareApi) => void;
}

const zone = (more: Partial<CloudflareApi["account"]["zones"][number]> = {}) => ({
  id: "zone-1",
  name: "example.com",
  records: [],
  routes: [],
  ...more,
});

/** Each stops before anything is created, and says what to do. */
const CASES: readonly Case[] = [
  {
    name: "an unknown setting and two of a wrong shape, all at once",
    file: "X_CLIENT_SERCET=abc\nSIGNUP=everybody\nDOMAIN=https://posts.example.com\n",
    says: /3 settings are wrong\n {2}- DOMAIN must be a host name [^\n]+, not "https:\/\/posts\.example\.com"\n {2}- SIGNUP must be one of first, open, closed, not "everybody"\n {2}- X_CLIENT_SERCET is not a setting: did you mean X_CLIENT_SECRET\?/,
  },
  {
    name: "a secret that a # would cut off",
    file: "X_CLIENT_ID=id\nX_CLIENT_SECRET=s3cr$et#1 # of the app\nOPERATOR_NAME='No. #1' # ours\nOPERATOR_CONTACT=a@b.de # ours\n",
    says: /\.env\.production: X_CLIENT_SECRET would be cut off at the #\nNext: put the value into single quotes/,
  },
  {
    name: "no login",
    env: { CLOUDFLARE_API_TOKEN: "" },
    says: /there is no login at Cloudflare\nNext: run `npx wrangler login`/,
  },
  {
    name: "a token that is not valid",
    env: { CLOUDFLARE_API_TOKEN: "another-token" },
    says: /Invalid access token[\s\S]*Next: log in with `npx wrangler login`/,
  },
  {
    name: "the id of an account that is none of this login",
    env: { CLOUDFLARE_ACCOUNT_ID: "c".repeat(32) },
    says: /CLOUDFLARE_ACCOUNT_ID is c{32}, which is none of the accounts of this login:\n {2}- a{32} {2}Ada's account\nNext: set it to one of these/,
  },
  {
    name: "an id that no account can have",
    env: { CLOUDFLARE_ACCOUNT_ID: "my-account" },
    says: /CLOUDFLARE_ACCOUNT_ID is my-account, and an account's id has 32 letters and digits\nNext: /,
  },
  {
    name: "a token without the right for D1",
    prepare: ({ missingRights }) => missingRights.push("/d1/"),
    says: /Next: .*Account · D1 · Edit/,
  },
  {
    name: "an account without a workers.dev subdomain",
    prepare: ({ account }) => {
      account.subdomain = null;
    },
    says: /no workers\.dev subdomain yet\nNext: choose one at https:\/\/dash\.cloudflare\.com\//,
  },
  {
    name: "an account without R2",
    prepare: ({ account }) => {
      account.hasR2 = false;
    },
    says: /R2, which keeps the media, is not enabled/,
  },
  {
    name: "a domain outside of the account",
    file: "DOMAIN=posts.example.com\n",
    says: /no zone of this account contains posts\.example\.com/,
  },
  {
    name: "a domain with a DNS record",
    file: "DOMAIN=posts.example.com\n",
    prepare: ({ account }) =>
      account.zones.push(
        zone({ records: [{ type: "CNAME", name: "posts.example.com", content: "blog.example.net" }] }),
      ),
    says: /posts\.example\.com is in use: its DNS record CNAME says blog\.example\.net/,
  },
  {
    name: "a domain of another Worker",
    file: "DOMAIN=posts.example.com\n",
    prepare: ({ account }) => {
      account.zones.push(zone());
      account.domains.push({ hostname: "posts.example.com", service: "shop", zone_id: "zone-1" });
    },
    says: /posts\.example\.com is in use: it belongs to the Worker shop/,
  },
  {
    name: "a domain whose requests a route takes",
    file: "DOMAIN=posts.example.com\n",
    prepare: ({ account }) => account.zones.push(zone({ routes: [{ pattern: "*.example.com/*", script: "gateway" }] })),
    says: /posts\.example\.com is in use: the route \*\.example\.com\/\* leads to gateway/,
  },
  {
    name: "sealed logins and no TOKEN_KEYS",
    prepare: ({ account }) =>
      void account
        .createDatabase("almanac")
        .query("CREATE TABLE connections (sealed_tokens TEXT); INSERT INTO connections VALUES ('v1.k7.iv.text')"),
    says: /the database has logins that the key k7 sealed, and the Worker has no TOKEN_KEYS/,
  },
  {
    name: "TOKEN_KEYS that cannot open what is sealed",
    file: `TOKEN_KEYS='${KEYS}'\n`,
    prepare: ({ account }) =>
      void account
        .createDatabase("almanac")
        .query(
          "CREATE TABLE webhooks (sealed_secret TEXT, previous_sealed_secret TEXT); INSERT INTO webhooks VALUES ('v1.k7.iv.text', NULL)",
        ),
    says: /TOKEN_KEYS lacks k7/,
  },
];

async function isRefused({ api, operator }: { api: CloudflareApi; operator: Operator }, env: Case["env"]) {
  const before = inventory(api);
  const run = await operator.deploy({ env: env ?? {} });
  return { run, before, after: inventory(api) };
}

describe("npm run deploy changes nothing with", { timeout: 60_000 }, () => {
  test.for(CASES)("$name", async ({ env, file, prepare, says }, { expect }) => {
    const fresh = await freshAccount();
    prepare?.(fresh.api);
    if (file !== undefined) {
      await fresh.operator.write(".env.production", file);
    }
    const { run, before, after } = await isRefused(fresh, env);
    expect(run.code).toBe(1);
    expect(run.output).toMatch(says);
    expect(run.output).toMatch(/\nNext: \S/);
    expect(after).toEqual(before);
    expect([fresh.api.account.uploads, fresh.api.unknown]).toEqual([0, []]);
  });
});

describe("a login with wrangler", { timeout: 60_000 }, () => {
  test("is enough", async ({ expect }) => {
    const { api, operator } = await freshAccount();
    api.account.subdomain = null;
    await operator.write(
      "home/.config/.wrangler/config/default.toml",
      `oauth_token = "${api.token}"\nrefresh_token = "r"\nexpiration_time = "2099-01-01T00:00:00.000Z"\nscopes = ["account:read"]\n`,
    );
    const run = await operator.deploy({ env: { CLOUDFLARE_API_TOKEN: "" } });
    expect(run.output).toContain("no workers.dev subdomain yet");
    expect(run.output + run.processes).not.toContain(api.token);
  });
});

describe("a running service", { timeout: 120_000 }, () => {
  test("moves or loses a variable only when that is meant", async ({ expect }) => {
    const { api, operator } = await freshAccount();
    await operator.write(".env.production", "SIGNUP=closed\nOPERATOR_NAME=Ada\nOPERATOR_CONTACT=ada@example.com\n");
    expect((await operator.deploy()).code).toBe(0);
    const before = inventory(api);
    const kept = (await operator.file(".env.production")).split("\n").filter((line) => line.startsWith("TOKEN_KEY"));

    api.account.zones.push(zone());
    await operator.write(".env.production", [...kept, "SIGNUP=closed", "DOMAIN=posts.example.com"].join("\n"));
    const moved = await operator.deploy();
    expect([moved.code, inventory(api)]).toEqual([1, before]);
    expect(moved.output).toMatch(
      /runs at https:\/\/almanac\.ada\.workers\.dev, and these settings would move it to https:\/\/posts\.example\.com\nNext: .*--new-origin/,
    );
    const lost = await operator.deploy({ args: ["--new-origin"] });
    expect([lost.code, inventory(api)]).toEqual([1, before]);
    expect(lost.output).toMatch(/has OPERATOR_CONTACT, OPERATOR_NAME, and these settings do not\nNext: .*--drop-vars/);
    const meant = await operator.deploy({ args: ["--new-origin", "--drop-vars"] });
    expect(meant.code, meant.output).toBe(0);
    expect(inventory(api).vars).toEqual({
      ORIGIN: "https://posts.example.com",
      SIGNUP: "closed",
      TOKEN_KEY_ID: before.vars?.["TOKEN_KEY_ID"],
      TOKEN_KEY_IDS: before.vars?.["TOKEN_KEY_IDS"],
    });
    expect(inventory(api).secrets).toEqual(before.secrets);
  });

  test("that was edited in Cloudflare's dashboard is replaced only when that is meant", async ({ expect }) => {
    const { api, operator } = await freshAccount();
    await operator.write(".env.production", "SIGNUP=closed\n");
    expect((await operator.deploy()).code).toBe(0);
    const worker = api.account.worker("almanac");
    worker.edit("SIGNUP", "plain_text", "open");
    const before = inventory(api);
    await operator.write("migrations/9999_next.sql", "CREATE TABLE of_the_next_version (id TEXT);");
    const edited = await operator.deploy();
    expect([edited.code, inventory(api)]).toEqual([1, before]);
    expect(edited.output).toMatch(
      /the Worker almanac was changed in Cloudflare's dashboard since the last deployment, which this one would replace: of its variables SIGNUP differs\nNext: .*npm run deploy -- --overwrite/,
    );
    expect(edited.output).not.toContain("--strict");
    const meant = await operator.deploy({ args: ["--overwrite"] });
    expect(meant.code, meant.output).toBe(0);
    expect(inventory(api).vars).toMatchObject({ SIGNUP: "closed" });
    expect(inventory(api).migrations).toContainEqual({ name: "9999_next.sql" });
    expect((await operator.deploy()).code).toBe(0);
    expect(api.unknown).toEqual([]);
  });

  test("keeps a secret whose name a variable of the settings takes, unless that is meant", async ({ expect }) => {
    const { api, operator } = await freshAccount();
    expect((await operator.deploy()).code).toBe(0);
    const worker = api.account.worker("almanac");
    worker.edit("CONTACT_EMAIL", "secret_text", "hidden@example.com");
    worker.lastDeployedFrom = "wrangler";
    const before = inventory(api);
    const kept = await operator.file(".env.production");
    await operator.write(".env.production", `${kept}CONTACT_EMAIL=ada@example.com\n`);
    const stopped = await operator.deploy();
    expect([stopped.code, inventory(api)]).toEqual([1, before]);
    expect(stopped.output).toMatch(
      /the Worker has CONTACT_EMAIL as a secret, and these settings as a variable\nNext: .*--overwrite/,
    );
    expect(stopped.output).not.toContain("--strict");
    const meant = await operator.deploy({ args: ["--overwrite"] });
    expect(meant.code, meant.output).toBe(0);
    expect(inventory(api).vars).toMatchObject({ CONTACT_EMAIL: "ada@example.com" });
  });
});
