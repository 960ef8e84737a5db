import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { getTableColumns, getTableName, is, Table } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import * as schema from "#db/schema.ts";
import { SEALED_COLUMNS } from "#db/sealed-columns.ts";
import { PLATFORMS } from "#core/platform.ts";
import { completeConfig, namesFrom, readTrackedConfig } from "../../scripts/deploy/config-file.ts";
import { findProblems, SETTINGS } from "../../scripts/deploy/settings.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const NAMES = SETTINGS.map(({ name }) => name);

async function sourcesUnder(folder: string): Promise<Map<string, string>> {
  const files = (await readdir(join(ROOT, folder), { recursive: true })).filter((file) => /\.tsx?$/.test(file));
  return new Map(
    await Promise.all(
      files.map(async (file) => [join(folder, file), await readFile(join(ROOT, folder, file), "utf8")] as const),
    ),
  );
}

const matchesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name]) => name ?? "");

test("what is uploaded keeps the addresses of requests out of Workers Logs, and a setting that does not is found", async () => {
  const config = await readTrackedConfig();
  const keepsAddressesOut = (text: string) =>
    /^\[observability\]\nenabled = true\nredact_query_string = true$/m.test(text) &&
    /^\[observability\.logs\]\nenabled = true\ninvocation_logs = false$/m.test(text);
  expect(keepsAddressesOut(config)).toBe(true);
  for (const planted of [
    config.replace("invocation_logs = false", "invocation_logs = true"),
    config.replace("invocation_logs = false\n", ""),
    config.replace("redact_query_string = true", "redact_query_string = false"),
  ]) {
    expect(planted).not.toBe(config);
    expect(keepsAddressesOut(planted)).toBe(false);
  }
});

describe("the table of settings", () => {
  test("has every variable that the service reads, and no other", async () => {
    const read = new Set<string>();
    for (const [path, text] of await sourcesUnder("src")) {
      const platform = /^src\/platforms\/([a-z]+)\//.exec(path)?.[1];
      for (const name of matchesIn(text, /settings\["([A-Z_]+)"\]/g)) {
        // What several platforms share stands beside their folders, and each of them can set it.
        if (platform !== undefined) {
          read.add(`${platform.toUpperCase()}_${name}`);
        }
      }
      if (!path.startsWith("src/sandbox/") && platform === undefined) {
        for (const name of matchesIn(text, /(?:setting\(|readText\(env, |env\[)"([A-Z_]+)"/g)) {
          read.add(name);
        }
      }
    }
    read.delete("EMAIL");
    const derived =
      /_(?:CLIENT_ID|CLIENT_SECRET|CLIENT_SECRET_NEXT)$|^STRIPE_PRICE_|^TOKEN_KEY|^(?:DOMAIN|WORKER_NAME|LOCATION|WORKER_AT_LOCATION|JURISDICTION|FIT_IMAGES)$/;
    const shared = /_(?:APPSECRET_PROOF|BUSINESS_MANAGEMENT|CONFIG_ID|EXTRA_SCOPES)$/;
    expect([...read].filter((name) => !NAMES.includes(name))).toEqual([]);
    expect(NAMES.filter((name) => !read.has(name) && !derived.test(name) && !shared.test(name))).toEqual([]);
  });

  test("has what the guides of the platforms say", async () => {
    const documented: string[] = [];
    for (const platform of PLATFORMS) {
      const guide = await readFile(join(ROOT, "docs/platforms", `${platform}.md`), "utf8");
      const rows = guide.split("\n").filter((line) => line.startsWith(`| \`${platform.toUpperCase()}_`));
      documented.push(...rows.flatMap((row) => matchesIn(row.split("|")[1] ?? "", /`([A-Z_]+)`/g)));
    }
    expect(documented.toSorted()).toEqual(
      NAMES.filter(
        // How a secret is replaced is the same everywhere, and in docs/guide/operate.md.
        (name) =>
          PLATFORMS.some((platform) => name.startsWith(`${platform.toUpperCase()}_`)) && !name.endsWith("_SECRET_NEXT"),
      ).toSorted(),
    );
  });

  test("is in docs/guide/operate.md, with the same secrets", async () => {
    const [, settings = ""] = (await readFile(join(ROOT, "docs/guide/operate.md"), "utf8")).split("\n### Settings\n");
    const rows = (settings.split(/^##/m)[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
    const documented = new Map(
      rows.flatMap((row) => {
        const [, names = "", secret = ""] = row.split("|");
        return matchesIn(names, /`([A-Z{}_]+)`/g).map((name) => [name, secret.trim() === "yes"] as const);
      }),
    );
    const ofService = SETTINGS.filter(({ name }) => !PLATFORMS.some((one) => name.startsWith(`${one.toUpperCase()}_`)));
    const expected = [
      ...ofService.map(({ name, kind }) => [name, kind === "secret"] as const),
      ["{PLATFORM}_CLIENT_ID", false] as const,
      ["{PLATFORM}_CLIENT_SECRET", true] as const,
      ["{PLATFORM}_CLIENT_SECRET_NEXT", true] as const,
    ];
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(expected));
  });
});

describe("a setting of a wrong form is named with what it must be, and a secret is not quoted", () => {
  test.each<[name: string, value: string, problem: string]>([
    ["TOKEN_KEYS", '{"k1":"c2hvcnQ="}', "TOKEN_KEYS must be a JSON object of key id to 32 bytes in base64"],
    ["SETUP_CODE", "short", "SETUP_CODE must be at least 20 letters, digits, dashes and underscores"],
    ["OPERATOR_KEY", "k".repeat(31), "OPERATOR_KEY must be at least 32 letters, digits, dashes and underscores"],
    ["ALERT_WEBHOOK_SECRET", "whsec_c2hvcnQ=", "ALERT_WEBHOOK_SECRET must be `whsec_` and 24 to 64 bytes in base64"],
    ["X_CLIENT_SECRET", "two\nlines", "X_CLIENT_SECRET must be one line of text"],
    ["BLUESKY_PRIVATE_KEY", '{"kty":"RSA"}', "BLUESKY_PRIVATE_KEY must be a P-256 private key as JWK on one line"],
    [
      "WORKER_NAME",
      "My Worker",
      'WORKER_NAME must be at most 50 lower-case letters, digits and dashes, not "My Worker"',
    ],
    ["BASE_URL", "http://a.example", 'BASE_URL must be an address that begins with https://, not "http://a.example"'],
    ["PUBLISHING", "off", 'PUBLISHING must be hold or left out, not "off"'],
    ["QUOTAS", "20000", 'QUOTAS must be a JSON object on one line, not "20000"'],
    ["MAIL_FROM", "almanac", 'MAIL_FROM must be an e-mail address, not "almanac"'],
    ["TIKTOK_AUDITED", "yes", 'TIKTOK_AUDITED must be true or false, not "yes"'],
    ["LOCATION", "mars", 'LOCATION must be one of wnam, enam, weur, eeur, apac, oc, not "mars"'],
    ["JURISDICTION", "us", 'JURISDICTION must be eu or left out, not "us"'],
    ["WORKER_AT_LOCATION", "true", "LOCATION is missing: WORKER_AT_LOCATION needs it"],
    ["DATABASE_LIMIT_BYTES", "1.5", 'DATABASE_LIMIT_BYTES must be a whole number, not "1.5"'],
    ["ORIGIN", "https://a.example", "ORIGIN is not a setting: the address follows from DOMAIN"],
    ["LINKDIN_CLIENT_ID", "x", "LINKDIN_CLIENT_ID is not a setting: did you mean LINKEDIN_CLIENT_ID?"],
    ["SINGUP", "open", "SINGUP is not a setting: did you mean SIGNUP?"],
    ["COLOUR", "red", "COLOUR is not a setting: docs/guide/operate.md lists the settings"],
    ["OPERATOR_NAME", "Ada", "OPERATOR_CONTACT is missing: OPERATOR_NAME needs it"],
  ])("%s=%s", (name, value, problem) => {
    const [found, ...others] = findProblems(new Map([[name, value]]));
    expect(found).toContain(problem);
    expect(others).toEqual([]);
    const isSecret = SETTINGS.some((one) => one.name === name && one.kind === "secret");
    expect(isSecret && found?.includes(value)).toBe(false);
  });

  test("a right one is not", () => {
    const values = {
      DOMAIN: "posts.example.com",
      TOKEN_KEYS: JSON.stringify({ k1: Buffer.alloc(32).toString("base64") }),
      QUOTAS: '{"scale":{"previews_per_hour":20000}}',
      LINKEDIN_PRODUCTS: "member,community",
      X_CLIENT_SECRET: "a$b#c'd",
    };
    expect(findProblems(new Map(Object.entries(values)))).toEqual([]);
  });
});

describe("wrangler.toml", () => {
  test("names nothing that belongs to one installation", async () => {
    const tracked = await readTrackedConfig();
    expect(tracked).not.toMatch(/^(?:database_id|id|account_id|routes|ORIGIN) = /m);
    expect(tracked).not.toContain("env.sandbox");
    expect(tracked).toMatch(/^preview_urls = false$/m);
    expect(tracked).toMatch(/^\[secrets\]\nrequired = \["TOKEN_KEYS"\]$/m);
  });

  test("is completed with ids, address, version and variables of any text", async () => {
    const tracked = await readTrackedConfig();
    const config = completeConfig(tracked, {
      names: namesFrom(tracked, "posts"),
      resources: { databaseId: "id-of-d1", tokensId: "id-of-kv" },
      accountId: "id-of-account",
      version: "1.2.3",
      domain: "posts.example.com",
      vars: new Map([["OPERATOR_NAME", 'Ada "the first" \\ ü $& $1']]),
      sendsEmail: true,
      fitsImages: true,
      workerLocation: undefined,
      jurisdiction: undefined,
    });
    for (const line of [
      'name = "posts"\naccount_id = "id-of-account"\nworkers_dev = false\nroutes = [{ pattern = "posts.example.com", custom_domain = true }]\n',
      'command = "npm run --silent build -- production --version 1.2.3"\n',
      'binding = "DB"\ndatabase_id = "id-of-d1"\ndatabase_name = "posts"\n',
      'binding = "TOKENS"\nid = "id-of-kv"\n',
      'bucket_name = "posts-media"\n',
      '[[send_email]]\nname = "EMAIL"\n',
      '[vars]\nOPERATOR_NAME = "Ada \\"the first\\" \\\\ ü $& $1"\n',
    ]) {
      expect(config).toContain(line);
    }
  });

  test("gives each installation of an account rate limits of its own, and the same ones each time", async () => {
    const tracked = await readTrackedConfig();
    const namespacesOf = (name: string | undefined) =>
      matchesIn(
        completeConfig(tracked, {
          names: namesFrom(tracked, name),
          resources: { databaseId: "id-of-d1", tokensId: "id-of-kv" },
          accountId: "id-of-account",
          version: "1.2.3",
          domain: undefined,
          vars: new Map(),
          sendsEmail: false,
          fitsImages: true,
          workerLocation: undefined,
          jurisdiction: undefined,
        }),
        /^namespace_id = "(.*)"$/gm,
      );
    const installations = [
      undefined,
      "posts",
      "posts-2",
      "p",
      ...Array.from({ length: 200 }, (_, at) => `posts-of-${at}`),
    ];
    const all = installations.flatMap(namespacesOf);
    expect(all).toHaveLength(installations.length * matchesIn(tracked, /^(namespace_id) = /gm).length);
    expect(new Set(all).size).toBe(all.length);
    // Cloudflare wants an integer as text; more than 31 bits are nowhere promised.
    expect(all.filter((id) => !/^[1-9]\d*$/.test(id) || Number(id) >= 2 ** 31)).toEqual([]);
    expect(namespacesOf("almanac")).toEqual(namespacesOf(undefined));
  });

  test("keeps the names and ids that the deploy button wrote", async () => {
    const tracked = (await readTrackedConfig())
      .replace('name = "almanac"', 'name = "my-almanac"')
      .replace('database_name = "almanac"', 'database_name = "my-posts"\ndatabase_id = "made-by-the-button"')
      .replace('binding = "TOKENS"', 'binding = "TOKENS"\nid = "made-too"')
      .replace('bucket_name = "almanac-media"', 'bucket_name = "my-media"');
    const names = namesFrom(tracked, undefined);
    expect(names).toEqual({
      worker: "my-almanac",
      database: "my-posts",
      databaseId: "made-by-the-button",
      tokens: "my-almanac-tokens",
      tokensId: "made-too",
      bucket: "my-media",
    });
    const resources = { databaseId: "made-by-the-button", tokensId: "made-too" };
    const config = completeConfig(tracked, {
      names,
      resources,
      accountId: "id-of-account",
      version: "1.2.3",
      domain: undefined,
      vars: new Map(),
      sendsEmail: false,
      fitsImages: false,
      workerLocation: undefined,
      jurisdiction: undefined,
    });
    expect(config.match(/made-by-the-button/g)).toHaveLength(1);
    expect(config.match(/made-too/g)).toHaveLength(1);
    expect(config).not.toMatch(/^binding = "IMAGES"$(?![^]*env\.sandbox\.images)/m);
  });
});

test("every column that TOKEN_KEYS seals for longer than a day is looked at before new keys are made", () => {
  const sealed = Object.values(schema as Record<string, unknown>)
    .filter((table): table is Table => is(table, Table))
    .flatMap((table) =>
      Object.values(getTableColumns(table))
        .filter(({ name }) => /sealed/.test(name))
        .map(({ name }) => `${getTableName(table)}.${name}`),
    );
  const known = SEALED_COLUMNS.map(([table, name]) => `${table}.${name}`);
  // A login that was begun, and ends within ten minutes.
  expect(sealed.filter((column) => column !== "connect_states.sealed_started").toSorted()).toEqual(known.toSorted());
});

test(".dev.vars.example has only comments, because the deploy button asks for every other line as a secret", async () => {
  const lines = (await readFile(join(ROOT, ".dev.vars.example"), "utf8")).split("\n");
  expect(lines.filter((line) => line !== "" && !line.startsWith("#"))).toEqual([]);
});

test("the deploy button's texts are about bindings that there are", async () => {
  const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
    cloudflare: { bindings: Record<string, { description: string }> };
  };
  const tracked = await readTrackedConfig();
  const names = Object.keys(manifest.cloudflare.bindings);
  expect(names.filter((name) => !tracked.includes(`binding = "${name}"`))).toEqual([]);
});
