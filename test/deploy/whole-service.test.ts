import { afterAll, beforeAll, describe, test } from "vitest";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { PLATFORMS_WITH_APP } from "../../scripts/deploy/settings.ts";
import type { Row } from "../../scripts/doctor/row.ts";
import { CloudflareApi } from "./cloudflare-api.ts";
import { freshAccount } from "./fresh.ts";
import { Operator, type Run } from "./operator.ts";
import { type Mood, OtherServers } from "./other-servers.ts";
import { RunningUpload } from "./run-uploaded.ts";

const HEX = "0123456789abcdef0123456789abcdef";
/** Credentials of the form that each platform gives. */
const APPS: Readonly<Record<string, string>> = {
  X_CLIENT_ID: btoa("abcdefghijklmnop:1:ci").replaceAll("=", ""),
  X_CLIENT_SECRET: "xs-9f8e7d6c5b4a39281706f5e4d3c2b1a0-secret",
  TIKTOK_CLIENT_ID: "awabcdefgh123456",
  TIKTOK_CLIENT_SECRET: "TikTokSecretAbCdEfGhIjKlMnOpQrSt",
  YOUTUBE_CLIENT_ID: "123456789012-abcdefghij0123456789.apps.googleusercontent.com",
  YOUTUBE_CLIENT_SECRET: "GOCSPX-AbCdEfGhIjKlMnOpQrStUvWxYz01",
  LINKEDIN_CLIENT_ID: "78abcdefghij12",
  LINKEDIN_CLIENT_SECRET: "WPL_AP1.AbCdEfGh$12#34.IjKlMn==",
  FACEBOOK_CLIENT_ID: "1234567890123456",
  FACEBOOK_CLIENT_SECRET: `f${HEX.slice(1)}`,
  INSTAGRAM_CLIENT_ID: "2234567890123456",
  INSTAGRAM_CLIENT_SECRET: `a${HEX.slice(1)}`,
  THREADS_CLIENT_ID: "3234567890123456",
  THREADS_CLIENT_SECRET: `b${HEX.slice(1)}`,
  PINTEREST_CLIENT_ID: "1512345",
  PINTEREST_CLIENT_SECRET: `c${HEX.slice(1)}`,
};
const SETTINGS = [
  ...Object.entries(APPS).map(([name, value]) => `${name}='${value}'`),
  "OPERATOR_NAME=Ada",
  "OPERATOR_CONTACT=ada@example.com",
  `MEDIA_VERIFICATION_FILES='{"tiktokAbC.txt":"tiktok-developers-site-verification=AbC"}'`,
].join("\n");

const ORIGIN = "https://almanac.ada.workers.dev";
const servers = new OtherServers();
const api = new CloudflareApi();
let operator: Operator;
let starting: Promise<RunningUpload> | undefined;
let upload: RunningUpload | undefined;
let deployment: Run;

const rowsOf = ({ output }: Run): readonly Row[] => (JSON.parse(output) as { rows: Row[] }).rows;
const stateOf = (run: Run, what: string) => rowsOf(run).find((row) => row.what === what)?.state;
const beat = (at: number) => upload?.sql(`UPDATE service SET beat = ${at}`);

/** Every text that only the operator may know, also as it stands in a request. */
function secretTexts(): string[] {
  const secrets = Object.values(api.account.worker("almanac").secrets);
  const keys = secrets.flatMap((text) => (text.startsWith("{") ? Object.values(JSON.parse(text) as object) : []));
  const pairs = PLATFORMS_WITH_APP.map((one) => {
    const name = one.toUpperCase();
    return btoa(
      `${encodeURIComponent(APPS[`${name}_CLIENT_ID`] ?? "")}:${encodeURIComponent(APPS[`${name}_CLIENT_SECRET`] ?? "")}`,
    );
  });
  return [...secrets, ...(keys as string[]), ...pairs, ...secrets.map(encodeURIComponent), api.token];
}

beforeAll(async () => {
  api.answer = async (worker, request) => {
    // One, however many requests come while it starts.
    starting ??= RunningUpload.start(worker, api.account.database("almanac"), (...call) => servers.answer(...call));
    upload = await starting;
    return upload.fetch(request);
  };
  await api.start();
  operator = await Operator.withWholeClone(api);
  await operator.write(".env.production", SETTINGS);
  deployment = await operator.deploy();
  if (deployment.code !== 0) {
    throw new Error(deployment.output);
  }
}, 180_000);

afterAll(async () => {
  await upload?.stop();
  await api.stop();
  await operator.remove();
});

describe("what npm run deploy uploads", { timeout: 60_000 }, () => {
  test("is the service: it says its version, and lets in who has the printed link", async ({ expect }) => {
    expect(api.unknown).toEqual([]);
    const { modules } = api.account.worker("almanac").current;
    const named = (pattern: RegExp): string[] => modules.map(({ name }) => name).filter((name) => pattern.test(name));
    expect(named(/\.mjs$/)).toEqual(["index.mjs"]);
    expect(named(/\.mjs\.map$/)).toEqual(["index.mjs.map"]);

    const link = /https:\S+\/signup\?setup_code=(\S+)/.exec(deployment.output);
    const page = await upload?.fetch(new Request(link?.[0] ?? ORIGIN));
    expect(await page?.text()).toContain(`value="${link?.[1]}"`);
    const signUp = (setupCode: string) => {
      const fields = {
        setup_code: setupCode,
        email: "ada@example.com",
        password: "four unrelated words here",
        time_zone: "UTC",
      };
      return upload?.fetch(new Request(`${ORIGIN}/signup`), {
        method: "POST",
        headers: { origin: ORIGIN, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(fields).toString(),
      });
    };
    expect((await signUp("guessed"))?.status).toBe(400);
    expect((await signUp(link?.[1] ?? ""))?.status).toBe(303);
    expect((await signUp(link?.[1] ?? ""))?.status).toBe(400);
    const api404 = await upload?.fetch(new Request(`${ORIGIN}/v1/nothing`));
    expect([api404?.status, api404?.headers.get("almanac-version")]).toEqual([
      404,
      expect.stringMatching(/^\d+\.\d+\.\d+/),
    ]);
  });
});

describe("npm run doctor --remote", { timeout: 60_000 }, () => {
  test("finds nothing wrong with what npm run deploy has made, and prints a table", async ({ expect }) => {
    const atOnce = await operator.doctor({ args: ["--remote"] });
    expect(atOnce.code, atOnce.output).toBe(0);
    expect(atOnce.output).toMatch(/^Cron +yellow +the service waits for the first run of the cron/m);
    await beat(Date.now());
    const run = await operator.doctor({ args: ["--remote"] });
    expect(run.code, run.output).toBe(0);
    expect(run.output).toMatch(/^ORIGIN +green +https:\/\/almanac\.ada\.workers\.dev$/m);
    expect(run.output).toMatch(/^Sealed rows +green +none$/m);
    expect(run.output).toMatch(/^Verification files +green +tiktokAbC\.txt served$/m);
    expect(run.output).toMatch(/^Public pages +green /m);
    expect(run.output).toMatch(/checks of https:\/\/almanac\.ada\.workers\.dev: 0 red, \d+ yellow/);
    expect(run.output).not.toContain(": live ");
    expect([api.unknown, secretTexts().filter((text) => run.output.includes(text))]).toEqual([[], []]);
  });

  test.for<[mood: Mood, state: Row["state"], code: number]>([
    ["good", "green", 0],
    ["bad", "red", 1],
    ["unknown", "yellow", 0],
    ["unreachable", "yellow", 0],
  ])(
    "--live: each of eight platforms that is %s is %s, and no secret is printed",
    async ([mood, state, code], { expect }) => {
      await beat(Date.now());
      servers.mood = mood;
      const run = await operator.doctor({ args: ["--remote", "--live", "--json"] });
      const live = PLATFORMS_WITH_APP.map((platform) => [platform, stateOf(run, `${PLATFORM_NAMES[platform]}: live`)]);
      expect(live).toEqual(PLATFORMS_WITH_APP.map((platform) => [platform, state]));
      const reds = rowsOf(run)
        .filter((row) => row.state === "red")
        .map(({ what }) => what);
      expect(reds.length, run.output).toBe(code * PLATFORMS_WITH_APP.length);
      expect([run.code, PLATFORMS_WITH_APP.length]).toEqual([code, 8]);
      expect(secretTexts().filter((text) => run.output.includes(text))).toEqual([]);
    },
  );

  test("names what Cloudflare has otherwise than the settings say", async ({ expect }) => {
    await beat(Date.now() - 10 * 60_000);
    const worker = api.account.worker("almanac");
    const [trigger, namespaces] = [worker.schedules, api.account.namespaces.splice(0)];
    worker.schedules = [];
    const run = await operator.doctor({
      args: ["--remote", "--json"],
      env: {
        ALMANAC_SIGNUP: "closed",
        ALMANAC_STRIPE_SECRET_KEY: "",
        ALMANAC_SETUP_CODE: "another-code-of-the-operator",
      },
    });
    worker.schedules = trigger;
    api.account.namespaces.push(...namespaces);
    expect(run.code).toBe(1);
    const states = Object.fromEntries(rowsOf(run).map(({ what, state }) => [what, state]));
    expect(states).toMatchObject({
      Cron: "red",
      "Cron trigger": "red",
      Resources: "red",
      Bindings: "red",
      Settings: "yellow",
      Secrets: "green",
      Version: "green",
    });
  });

  test("says what to do without a Worker, without the right and without the key", async ({ expect }) => {
    const empty = await freshAccount();
    const nothing = await empty.operator.doctor({ args: ["--remote"] });
    expect([nothing.code, nothing.output]).toEqual([
      1,
      expect.stringMatching(/no Worker almanac in the account: npm run deploy/),
    ]);

    api.missingRights.push("/d1/");
    const right = await operator.doctor({ args: ["--remote", "--json"] });
    api.missingRights.length = 0;
    expect([right.code, stateOf(right, "Right: D1"), stateOf(right, "Right: KV")]).toEqual([1, "red", "green"]);
    expect(right.output).toContain("Account · D1 · Edit");

    const wrongKey = await operator.doctor({
      args: ["--remote", "--json"],
      env: { ALMANAC_OPERATOR_KEY: "k".repeat(40) },
    });
    expect([wrongKey.code, stateOf(wrongKey, "Service")]).toEqual([1, "red"]);

    const stranger = await operator.doctor({ args: ["--remote"], env: { CLOUDFLARE_API_TOKEN: "another-token-0123" } });
    expect([stranger.code, stranger.output]).toEqual([1, expect.stringMatching(/npx wrangler login/)]);
    expect(stranger.output).not.toContain("another-token-0123");
  });

  test("says that nothing answers on this machine", async ({ expect }) => {
    const run = await operator.doctor({ args: ["--port", "9", "--json"] });
    expect([run.code, stateOf(run, "Service")]).toEqual([1, "red"]);
  });
});
