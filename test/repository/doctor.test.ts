import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { DAY, MINUTE } from "#core/clock.ts";
import type { Facts, PlatformCheck, PlatformFacts } from "#operator/facts.ts";
import { checkFacts, type Expected } from "../../scripts/doctor/check-facts.ts";
import { checkPlatforms } from "../../scripts/doctor/check-platforms.ts";
import { type Row, type State, toTable } from "../../scripts/doctor/row.ts";
import { settle } from "../../scripts/doctor/settle.ts";
import { withoutTexts } from "../../scripts/doctor/without-texts.ts";

/* Every line of `npm run doctor` when all is well, and when it is not. */

const NOW = Date.parse("2026-11-23T12:00:00Z");
const ORIGIN = "https://posts.example.com";
const EXPECTED: Expected = {
  version: "1.0.0",
  origin: ORIGIN,
  migrations: ["0000_a.sql", "0001_b.sql"],
  deployedAt: NOW - 3 * MINUTE,
};

const HEALTH: Facts["health"] = {
  database: "ok",
  tokens: "ok",
  media: "ok",
  objects: "ok",
  cron: "ok",
  publishing: "ok",
};

const FACTS: Facts = {
  version: "1.0.0",
  origin: ORIGIN,
  isSimulated: false,
  now: NOW,
  tokenKeys: { isJson: true, keys: [{ id: "k1", isRight: true }], sealingId: "k1", sealed: [{ id: "k1", rows: 3 }] },
  health: HEALTH,
  migrations: ["0000_a.sql", "0001_b.sql"],
  cronRanAt: NOW - 20_000,
  mail: { isBound: true, from: "post@example.com" },
  operator: { hasName: true, hasContact: true },
  verificationFiles: [],
  signUp: { mode: "first", lacksCode: false, hasUsers: true },
  platforms: [],
};

const X: PlatformFacts = {
  platform: "x",
  needsApp: true,
  state: "configured",
  missing: [],
  shapeProblems: [],
  unusedScopes: [],
  unavailableOptions: [],
  redirectUri: `${ORIGIN}/connect/x/callback`,
  scopes: ["tweet.write"],
  review: { state: "none_needed", sentence: "No review" },
  apiVersion: { name: "v25.0", endsOn: "2028-07-29", source: "https://example.com/versions" },
  accounts: 0,
};

const rowOf = (rows: readonly Row[], what: string) => rows.find((row) => row.what === what);

test("a service in which all is well has green lines only", () => {
  const rows = [
    ...checkFacts(FACTS, EXPECTED),
    ...checkPlatforms([X], { checks: [{ platform: "x", state: "accepted", words: "" }], isSimulated: false, now: NOW }),
  ];
  expect(rows.filter(({ state }) => state !== "green")).toEqual([]);
  expect(rows.map(({ what }) => what)).toEqual([
    "Version",
    "ORIGIN",
    "Parts",
    "Migrations",
    "TOKEN_KEYS",
    "TOKEN_KEY_ID",
    "Sealed rows",
    "Cron",
    "Publishing",
    "Mail",
    "Sign-up",
    "X: credentials",
    "X: live",
    "X: login",
    "X: review",
    "X: API version",
  ]);
  expect(rowOf(rows, "X: login")?.text).toBe(`redirect URI ${ORIGIN}/connect/x/callback; scopes tweet.write`);
});

const keys = (changes: Partial<Facts["tokenKeys"]>): Partial<Facts> => ({
  tokenKeys: { ...FACTS.tokenKeys, ...changes },
});

describe("the service", () => {
  test.each<[what: string, state: State, changes: Partial<Facts>, says: RegExp]>([
    ["Version", "yellow", { version: "0.9.0" }, /0\.9\.0 runs, this folder has 1\.0\.0: npm run deploy/],
    ["ORIGIN", "red", { origin: "https://old.example.com" }, /--new-origin/],
    ["Parts", "red", { health: { ...HEALTH, media: "does not answer" } }, /the bucket \(MEDIA\)/],
    ["Migrations", "red", { migrations: ["0000_a.sql"] }, /not applied: 0001_b\.sql: npm run deploy/],
    ["Migrations", "red", { migrations: null }, /npm run deploy/],
    ["Migrations", "yellow", { migrations: [...EXPECTED.migrations, "0002_c.sql"] }, /newer .* 0002_c\.sql: git pull/],
    ["TOKEN_KEYS", "red", keys({ isJson: false, keys: [] }), /not a JSON object/],
    ["TOKEN_KEYS", "red", keys({ keys: [{ id: "k1", isRight: false }] }), /not 32 bytes in base64: k1/],
    ["TOKEN_KEY_ID", "red", keys({ sealingId: "k2" }), /TOKEN_KEYS has no k2: set it to one of k1/],
    ["TOKEN_KEY_ID", "red", keys({ sealingId: "" }), /not set: set it to one of k1/],
    ["Sealed rows", "red", keys({ sealed: [{ id: "k0", rows: 7 }] }), /lacks k0 \(7 rows\)/],
    [
      "Sealed rows",
      "green",
      keys({
        keys: [
          { id: "k1", isRight: true },
          { id: "k2", isRight: true },
        ],
        sealingId: "k2",
      }),
      /k1: 3; keep each key/,
    ],
    ["Cron", "red", { cronRanAt: NOW - 3 * MINUTE }, /last ran .*3 minutes ago/],
    ["Cron", "green", { cronRanAt: NOW - 3 * MINUTE + 1 }, /ran 180 s ago/],
    ["Cron", "red", { cronRanAt: 0 }, /never run/],
    ["Cron", "red", { cronRanAt: null }, /never run/],
    ["Cron", "yellow", { cronRanAt: 0, now: NOW - 1 }, /waits for the first run of the cron, within a minute/],
    ["Cron", "yellow", { cronRanAt: null, now: NOW - 2 * MINUTE }, /waits for the first run of the cron/],
    [
      "Publishing",
      "red",
      { health: { ...HEALTH, publishing: "the database was put back" } },
      /npm run service -- release/,
    ],
    ["Publishing", "yellow", { health: { ...HEALTH, publishing: "PUBLISHING=hold" } }, /take the setting away/],
    ["Mail", "red", { mail: { isBound: false, from: "post@example.com" } }, /no e-mail service/],
    ["Mail", "yellow", { mail: { isBound: false, from: null } }, /MAIL_FROM is not set/],
    ["Sign-up", "red", { signUp: { mode: "first", lacksCode: true, hasUsers: false } }, /set SETUP_CODE/],
    ["Sign-up", "green", { signUp: { mode: "first", lacksCode: true, hasUsers: true } }, /first/],
  ])("%s is %s", (what, state, changes, says) => {
    const row = rowOf(checkFacts({ ...FACTS, ...changes }, EXPECTED), what);
    expect(row).toMatchObject({ state, text: expect.stringMatching(says) });
  });

  test("is red at an address without https, unless that is this machine", () => {
    const stateAt = (origin: string) =>
      rowOf(checkFacts({ ...FACTS, origin }, { ...EXPECTED, origin }), "ORIGIN")?.state;
    expect([stateAt("http://posts.example.com"), stateAt("http://localhost:8787")]).toEqual(["red", "green"]);
  });
});

describe("a platform", () => {
  const rowsFor = (changes: Partial<PlatformFacts>, check: PlatformCheck | null = null, isSimulated = false) =>
    checkPlatforms([{ ...X, ...changes }], { checks: check && [check], isSimulated, now: NOW });

  test.each<[what: string, state: State, changes: Partial<PlatformFacts>, says: RegExp]>([
    ["X", "green", { state: "not_configured" }, /docs\/platforms\/x\.md/],
    ["X: credentials", "red", { state: "half", missing: ["X_CLIENT_SECRET"] }, /X_CLIENT_SECRET is missing/],
    ["X: options", "green", { unavailableOptions: ["first_comment"] }, /not offered: first_comment; .*x\.md, Scopes/],
    ["X: X_EXTRA_SCOPES", "yellow", { unusedScopes: ["x.y"] }, /x\.y: no option needs it/],
    ["X: credentials", "yellow", { shapeProblems: ["the client id is odd"] }, /the client id is odd; .*x\.md/],
    ["X: credentials", "green", { needsApp: false }, /no app is needed/],
    ["X: review", "yellow", { review: { state: "limited", sentence: "Private posts" } }, /Private posts/],
    ["X: review", "green", { review: { state: "unstated", sentence: "Nobody knows" } }, /Nobody knows/],
    ["X: login", "green", { scopes: null }, /scopes by server/],
  ])("%s is %s", (what, state, changes, says) => {
    expect(rowOf(rowsFor(changes), what)).toMatchObject({ state, text: expect.stringMatching(says) });
  });

  test.each<[PlatformCheck["state"], State, RegExp]>([
    ["accepted", "green", /knows the app/],
    ["refused", "red", /refuses the app \(word\): docs\/platforms\/x\.md, Errors/],
    ["unknown", "yellow", /neither \(word\)/],
    ["unreachable", "yellow", /no answer/],
  ])("that answers %s is %s", (state, color, says) => {
    const rows = rowsFor({}, { platform: "x", state, words: "word" });
    expect(rowOf(rows, "X: live")).toMatchObject({ state: color, text: expect.stringMatching(says) });
  });

  test.each<[days: number, State]>([
    [61, "green"],
    [60, "yellow"],
    [1, "yellow"],
    [0, "red"],
    [-400, "red"],
  ])("whose API version ends in %i days is %s", (days, state) => {
    const endsOn = new Date(Date.parse("2026-11-23") + days * DAY).toISOString().slice(0, 10);
    const apiVersion = { name: "v1", endsOn, source: "https://example.com/versions" };
    expect(rowOf(rowsFor({ apiVersion }), "X: API version")?.state).toBe(state);
  });

  test("of the simulators has credentials of no platform's form", () => {
    const rows = rowsFor({ shapeProblems: ["odd"] }, null, true);
    expect(rowOf(rows, "X: credentials")).toMatchObject({ state: "green" });
  });
});

describe("live calls that settle a question", () => {
  const QUESTIONS = [
    { id: "reads", question: "Does it read?", writes: null },
    { id: "posts", question: "Does it post?", writes: "a post that is deleted at once" },
  ];
  const ANSWER = {
    state: "answered",
    answer: { conclusion: "It does", evidence: ["POST /posts: HTTP 201"], leftBehind: ["https://x.example/1"] },
  };

  async function settleWith(confirm: (question: string) => Promise<boolean>) {
    const calls: string[] = [];
    const server = createServer(({ method, url, headers }, response) => {
      calls.push([method, url, headers.authorization, headers["almanac-account-key"] ?? "-"].join(" "));
      response.end(JSON.stringify(method === "GET" ? { questions: QUESTIONS } : ANSWER));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const report = await settle({
      address: { origin, operatorKey: "operator" },
      version: "1.0.0",
      platform: "x",
      accountId: "acc_1",
      accountKey: "mine",
      confirm,
    });
    await new Promise((resolve) => server.close(resolve));
    return { report, calls };
  }

  test("are asked about before they write, and not made without a yes", async () => {
    const asked: string[] = [];
    const { report, calls } = await settleWith((question) => {
      asked.push(question);
      return Promise.resolve(false);
    });
    expect(asked).toEqual([expect.stringMatching(/Does it post\?[^]*a post that is deleted at once/)]);
    expect(calls).toEqual([
      "GET /operator/live-questions/x Bearer operator -",
      "POST /operator/live-questions/reads/accounts/acc_1 Bearer operator mine",
    ]);
    expect(report).toContain("## Does it post?\nNot asked: it writes to the account.");
  });

  test("make a report for the form, with what is left behind", async () => {
    const { report, calls } = await settleWith(() => Promise.resolve(true));
    expect(calls).toHaveLength(3);
    expect(report).toMatch(/^# Live calls: x, Almanac 1\.0\.0, \d{4}-\d\d-\d\d\n/);
    expect(report).toContain(
      "## Does it post?\nIt does.\n- POST /posts: HTTP 201\n- **still there, remove it by hand:** https://x.example/1",
    );
  });
});

describe("what is printed", () => {
  test("is a table whose long texts go on below themselves", () => {
    const rows: Row[] = [
      { what: "Mail", state: "yellow", text: "one two three four five six seven eight nine ten" },
      { what: "Version", state: "green", text: "1.0.0" },
    ];
    expect(toTable(rows, { columns: 30 })).toBe(
      [
        "Mail     yellow  one two three four five six seven eight",
        "                 nine ten",
        "Version  green   1.0.0",
      ].join("\n"),
    );
    expect(toTable(rows, { hasColors: true })).toContain("\u001B[33myellow\u001B[0m");
  });

  test("holds no secret, neither in a text nor in JSON", () => {
    const secrets = ['{"k1":"key-of-32-bytes"}', 'with"quotes"', "short"];
    const text = `key-of-32-bytes ${JSON.stringify({ it: 'with"quotes"' })} with"quotes" short`;
    expect(withoutTexts(text, secrets)).toBe('… {"it":"…"} … short');
  });
});
