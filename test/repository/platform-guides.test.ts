import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientIdentity, oauthMethodOf, redirectUriPattern } from "#accounts/connect/connect-methods.ts";
import { codesOf, LOGIN_ERRORS, TARGET_ERRORS } from "#core/codes.ts";
import { PLATFORM_NAMES, type Platform, PLATFORMS } from "#core/platform.ts";
import type { AppCredentials, PlatformClient } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";

/* The operators' guides say what the code does: addresses, variables, scopes and error codes are compared with it. */

const ROOT = join(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const guideOf = (platform: Platform) => read(`docs/platforms/${platform}.md`);

const OUTLINE = [
  "What you need",
  "Steps in the portal",
  "Redirect URI",
  "Settings",
  "Scopes",
  "Before review",
  "Review",
  "Limits and price",
  "Errors",
  "Open questions",
  "Sources",
];

/** The text below a heading of the second level. */
function sectionOf(guide: string, title: string): string {
  return new RegExp(`^## ${title}$([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, "m").exec(guide)?.[1] ?? "";
}

/** The cells of a section's tables, without their headings. */
function rowsOf(section: string): readonly (readonly string[])[] {
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  const isHeading = (index: number) => /^\|[-|]+\|$/.test(lines[index + 1] ?? "");
  return lines
    .filter((line, index) => !/^\|[-|]+\|$/.test(line) && !isHeading(index))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
}

const codeIn = (text: string) => Array.from(text.matchAll(/`([^`]+)`/g), ([, code = ""]) => code);

// ---- Settings

const source = (folder: string) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => read(`${folder}/${name}`))
    .join("\n");

const SETTING = /settings\["(\w+)"\]/g;
const settingsIn = (text: string) => Array.from(text.matchAll(SETTING), ([, name = ""]) => name);

/** Settings that a shared function reads, by its name: they belong to the platforms that use the function. */
const SHARED_SETTINGS: readonly (readonly [name: string, setting: string])[] = readdirSync(join(ROOT, "src/platforms"))
  .filter((name) => name.endsWith(".ts"))
  .flatMap((file) =>
    read(`src/platforms/${file}`)
      .split(/^export (?=(?:async )?function )/m)
      .flatMap((part) => {
        const name = /^(?:async )?function (\w+)/.exec(part)?.[1] ?? "";
        return settingsIn(part).map((setting) => [name, setting] as const);
      }),
  );

/** Every variable of a platform that the code reads. */
function variablesOf(platform: Platform): readonly string[] {
  const code = source(`src/platforms/${platform}`);
  const credentials = adapterFor(platform)?.operatorCredentials === "none" ? [] : ["CLIENT_ID", "CLIENT_SECRET"];
  const shared = SHARED_SETTINGS.flatMap(([name, setting]) =>
    new RegExp(`\\b${name}\\(`).test(code) ? [setting] : [],
  );
  const names = new Set([...credentials, ...settingsIn(code), ...shared]);
  return [...names].map((name) => `${platform.toUpperCase()}_${name}`).toSorted();
}

// ---- Scopes

type Settings = Readonly<Record<string, string>>;

const NO_CALLS: PlatformClient = {
  fetch: () => {
    throw new Error("starting this login must not send requests");
  },
};

function appOf(platform: Platform, variables: Settings): AppCredentials {
  const prefix = `${platform.toUpperCase()}_`;
  const settings = Object.entries(variables).map(([name, value]) => [name.slice(prefix.length), value]);
  return { clientId: "id", clientSecret: "secret", settings: Object.fromEntries(settings) as Settings };
}

/** The scopes that the code asks for with these variables. */
async function scopesAskedFor(platform: Platform, variables: Settings): Promise<readonly string[]> {
  const method = oauthMethodOf(adapterFor(platform)!)!;
  const identity = clientIdentity("https://almanac.example", platform);
  const app = appOf(platform, variables);
  if (method.clientMetadata) {
    const { scope } = z.object({ scope: z.string() }).parse(method.clientMetadata(app, identity));
    return scope.split(" ");
  }
  if (method.input.length > 0) {
    // Registered at the person's server: the call is in the recorded calls, which are compared with the code.
    return (/"scopes":"([^"]+)"/.exec(read(`docs/platforms/calls/${platform}.md`))?.[1] ?? "").split(" ");
  }
  const started = await method.start(NO_CALLS, app, {
    ...identity,
    state: "state",
    codeVerifier: "verifier",
    codeChallenge: "challenge",
    input: {},
    registrations: { find: async () => null, keep: async (_, kept) => kept, forget: async () => {} },
    now: 0,
  });
  if (!started.ok) {
    throw new Error(started.fault.message);
  }
  return (started.value.url.searchParams.get("scope") ?? "").split(/[ ,]/);
}

/** `always`, `default`, or variables that are set together, several ways apart by a semicolon. */
function conditionsOf(when: string): readonly ("always" | "default" | Settings)[] {
  return when.split("; ").map((condition) => {
    if (condition === "always" || condition === "default") {
      return condition;
    }
    const pairs = codeIn(condition).map((pair) => pair.split("=", 2) as [string, string]);
    if (pairs.length === 0 || condition.replaceAll(/`[^`]+`/g, "").replaceAll(" with ", "") !== "") {
      throw new Error(`"${condition}" is neither always, default nor variables`);
    }
    return Object.fromEntries(pairs);
  });
}

const includes = (variables: Settings, some: Settings) =>
  Object.entries(some).every(([name, value]) => variables[name] === value);

/** The scopes that the guide names for these variables. */
function scopesNamed(guide: string, variables: Settings): readonly string[] {
  const isDefault = Object.keys(variables).length === 0;
  return rowsOf(sectionOf(guide, "Scopes"))
    .filter(([, when = ""]) =>
      conditionsOf(when).some((condition) =>
        typeof condition === "string" ? condition === "always" || isDefault : includes(variables, condition),
      ),
    )
    .flatMap(([scope = ""]) => codeIn(scope));
}

/** The combinations of variables that a guide's table of scopes distinguishes. */
function variantsIn(guide: string): readonly Settings[] {
  const conditions = rowsOf(sectionOf(guide, "Scopes")).flatMap(([, when = ""]) => conditionsOf(when));
  const distinct = new Map(
    conditions.flatMap((condition) =>
      typeof condition === "string" ? [] : [[JSON.stringify(condition), condition] as const],
    ),
  );
  return [{}, ...distinct.values()];
}

const OPERATOR_CODES = codesOf(TARGET_ERRORS).filter((code) => TARGET_ERRORS[code].startsWith("The operator "));
const CODES: ReadonlySet<string> = new Set([...codesOf(TARGET_ERRORS), ...codesOf(LOGIN_ERRORS)]);

describe.each(PLATFORMS)("the guide for %s", (platform) => {
  const guide = guideOf(platform);

  test("has the outline of all guides", () => {
    expect(Array.from(guide.matchAll(/^## (.+)$/gm), ([, title]) => title)).toEqual(OUTLINE);
    expect(guide).toMatch(new RegExp(`^# ${PLATFORM_NAMES[platform]}(?: Pages)?: guide for operators$`, "m"));
    expect(sectionOf(guide, "Review")).toMatch(/^### Text to paste$[\s\S]+^### Film to record$/m);
    expect(OUTLINE.filter((title) => sectionOf(guide, title).trim().length < 5)).toEqual([]);
  });

  test("names the redirect URI that is sent", () => {
    const redirectUri = redirectUriPattern("{ORIGIN}", adapterFor(platform)!);
    expect(sectionOf(guide, "Redirect URI")).toContain(`\`\`\`text\n${redirectUri}\n\`\`\``);
  });

  test("names no other address of the connect pages than those that are served", () => {
    const named = Array.from(
      guide.matchAll(/\{ORIGIN\}\/connect\/([\w-]+)\/([\w.-]+)/g),
      ([, name, page]) => `${name} ${page}`,
    );
    const isCalled = adapterFor(platform)?.connect.readSignedRequest !== undefined;
    const isDescribed = oauthMethodOf(adapterFor(platform)!)?.clientMetadata;
    const pages = [
      "callback",
      ...(isCalled ? ["deauthorize", "data-deletion"] : []),
      ...(isDescribed ? ["client-metadata.json"] : []),
    ];
    expect([...new Set(named)].toSorted()).toEqual(pages.map((page) => `${platform} ${page}`).toSorted());
  });

  test("lists exactly the variables that the code reads", () => {
    const listed = rowsOf(sectionOf(guide, "Settings")).flatMap(([variable = ""]) => codeIn(variable));
    const own = listed.filter((name) => name !== "MEDIA_VERIFICATION_FILES");
    expect(own.toSorted()).toEqual(variablesOf(platform));
    const prefix = new RegExp(`\\b${platform.toUpperCase()}_[A-Z_]+`, "g");
    expect([...new Set(guide.match(prefix))].filter((name) => !listed.includes(name))).toEqual([]);
  });

  test("lists exactly the scopes that are asked for, under each condition", async () => {
    for (const variables of variantsIn(guide)) {
      const asked = await scopesAskedFor(platform, variables);
      expect(scopesNamed(guide, variables).toSorted(), JSON.stringify(variables)).toEqual([...asked].toSorted());
    }
  });

  test("says of each scope why it is asked for", () => {
    expect(rowsOf(sectionOf(guide, "Scopes")).filter(([, , why = ""]) => why.length < 10)).toEqual([]);
  });

  test("explains every error that only the operator can end, and no code that does not exist", () => {
    const errors = sectionOf(guide, "Errors");
    const named = rowsOf(errors).flatMap(([code = ""]) => codeIn(code));
    const explained = named.filter((code) => !/^[A-Z_]+$/.test(code));
    expect(explained.filter((code) => !CODES.has(code))).toEqual([]);
    const code = source(`src/platforms/${platform}`);
    const produced = OPERATOR_CODES.filter((name) => name === "app_misconfigured" || code.includes(`"${name}"`));
    expect(produced.filter((name) => !named.includes(name))).toEqual([]);
  });

  test("names its sources with the day on which they were read", () => {
    const sources = sectionOf(guide, "Sources");
    expect(sources).toMatch(/Read on \d{4}-\d{2}-\d{2}/);
    const addresses = rowsOf(sources).map(([, address = ""]) => address);
    expect(addresses.length).toBeGreaterThan(2);
    expect(addresses.filter((address) => !/^https:\/\/\S+(?:, https:\/\/\S+)*$/.test(address))).toEqual([]);
  });

  test("leads to the calls that settle its open questions, where there are any", () => {
    const rows = rowsOf(read("docs/platforms/live-calls.md")).filter(([names = ""]) =>
      names.split(", ").includes(PLATFORM_NAMES[platform]),
    );
    const questions = sectionOf(guide, "Open questions");
    expect(questions).toContain("live-calls.md");
    expect(/^no row|; no row/m.test(questions)).toBe(rows.length === 0);
  });
});

describe("planted mistakes", () => {
  test("a scope too many or too few is seen", async () => {
    const guide = guideOf("pinterest").replace("| `pins:read` |", "| `pins:reed` |");
    expect(scopesNamed(guide, {})).not.toEqual(await scopesAskedFor("pinterest", {}));
  });

  test("conditions are read as they are written", async () => {
    expect(conditionsOf("default; `A=1` with `B=x,y`")).toEqual(["default", { A: "1", B: "x,y" }]);
    expect(() => conditionsOf("sometimes")).toThrow("neither");
    expect(await scopesAskedFor("linkedin", { LINKEDIN_PRODUCTS: "community" })).not.toContain("openid");
  });

  test("shared settings are found where their function is used", () => {
    expect(variablesOf("threads")).toContain("THREADS_APPSECRET_PROOF");
    expect(variablesOf("facebook")).toEqual(
      expect.arrayContaining(["FACEBOOK_CONFIG_ID", "FACEBOOK_BUSINESS_MANAGEMENT"]),
    );
    expect(variablesOf("facebook")).not.toContain("FACEBOOK_APPSECRET_PROOF");
  });
});
