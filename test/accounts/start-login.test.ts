import { beforeEach, describe, test, vi } from "vitest";
import { finishConnect, listAccounts, syncAccounts } from "#accounts/index.ts";
import { appRegistrations } from "#accounts/connect/app-registrations.ts";
import type { Context } from "#context.ts";
import { toBase64Url } from "#core/encoding.ts";
import { RefusalError } from "#core/errors.ts";
import type { Adapter, ConnectField, CredentialsMethod, OAuthMethod, TokenSet } from "#platforms/contract.ts";
import { failed, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { postableAccount, ScriptedPlatform } from "./scripted-platform.ts";
import {
  createTestServices,
  createTestUser,
  queryRows,
  requestConnectState,
  sendStart,
  type TestServices,
} from "./test-context.ts";

const SECRET = "S3CR3T-app-password";

const field = (name: string, more: Partial<ConnectField> = {}): ConnectField => ({
  name,
  label: name,
  description: `Enter the ${name}.`,
  isSecret: false,
  isRequired: true,
  maxLength: 40,
  example: "social.example",
  ...more,
});

/** The app credentials that the simulated servers give out, one after the other. */
let registrationCount = 0;
/** Requests that left the service, by host. */
let requestedHosts: string[] = [];

beforeEach(() => {
  registrationCount = 0;
  requestedHosts = [];
});

/** Registers an app with the server that the user named, as Mastodon does. */
const oauth: OAuthMethod = {
  kind: "oauth",
  input: [field("server")],
  clientMetadata: null,
  async start(client, _app, { input, registrations, state, codeChallenge, redirectUri }) {
    const server = input["server"] ?? "";
    await client.fetch(`https://${server}/api/instance`);
    let registration = await registrations.find(server);
    if (!registration) {
      registrationCount += 1;
      registration = await registrations.keep(server, { clientSecret: `S3CR3T-registration-${registrationCount}` });
    }
    const url = new URL(`https://${server}/authorize`);
    url.search = String(new URLSearchParams({ state, code_challenge: codeChallenge, redirect_uri: redirectUri }));
    return succeeded({ url, state: { server, proof: "S3CR3T-proof-key", registration } });
  },
  exchangeCode(_client, _app, { started, codeVerifier, params, now }) {
    const tokens: TokenSet = {
      accessToken: `S3CR3T-token ${codeVerifier}`,
      refreshToken: null,
      expiresAt: now + 3_600_000,
      refreshExpiresAt: null,
      scopes: [],
      extra: { started },
      hosts: typeof started["server"] === "string" ? [started["server"]] : [],
    };
    return Promise.resolve(succeeded({ externalId: params["code"] ?? "", displayName: "Ada", tokens }));
  },
};

const credentials: CredentialsMethod = {
  kind: "credentials",
  fields: [field("identifier"), field("app_password", { isSecret: true })],
  signIn: (_client, _app, values, now) =>
    Promise.resolve(
      values["app_password"] === SECRET
        ? succeeded({
            externalId: values["identifier"] ?? "",
            displayName: "Ada",
            tokens: {
              accessToken: "S3CR3T-session",
              refreshToken: null,
              expiresAt: now + 3_600_000,
              refreshExpiresAt: null,
              scopes: [],
            },
          })
        : failed(rejected("The app password is wrong.", { httpStatus: 401 }, { code: "login_refused" })),
    ),
};

/** A platform with servers that users name. `hostToList` is the host that its listing calls. */
async function createUserNamedPlatform(
  overrides: Partial<Adapter> = {},
  { settings = {}, hostToList = "social.example" }: { settings?: Record<string, string>; hostToList?: string } = {},
): Promise<{ ctx: Context; services: TestServices; adapter: Adapter }> {
  const platform = new ScriptedPlatform("facebook");
  const adapter: Adapter = {
    ...platform.adapter,
    hasUserNamedHosts: true,
    connect: {
      ...platform.adapter.connect,
      methods: [oauth, credentials],
      async listAccounts(client) {
        await client.fetch(`https://${hostToList}/api/accounts`);
        return succeeded({ accounts: [postableAccount("1")], unpostable: [] });
      },
    },
    ...overrides,
  };
  const base = createTestServices(platform, settings);
  const services: TestServices = {
    ...base,
    adapterFor: (name) => (name === "facebook" ? adapter : undefined),
    outbound: {
      ...base.outbound,
      platformFetch: (request) => {
        requestedHosts.push(new URL(request.url).hostname);
        return Promise.resolve(Response.json({}));
      },
      publicFetch: (request) => {
        const name = new URL(request.url).searchParams.get("name") ?? "";
        const data = name.startsWith("private") ? "10.0.0.7" : "93.184.215.14";
        return Promise.resolve(Response.json({ Answer: [{ type: 1, data }] }));
      },
    },
  };
  return { ctx: { ...(await createTestUser(services)), ...services }, services, adapter };
}

async function startAt(ctx: Context, server: string) {
  const state = await requestConnectState(ctx, "facebook");
  return { state, result: await sendStart(ctx, "facebook", state, { server }) };
}

const stateRow = async (ctx: Context) =>
  (await queryRows("SELECT * FROM connect_states WHERE user_id = ?", ctx.actor.userId))[0];

describe("starting a login", () => {
  test("hands the verifier and the adapter's state to the callback, and stores both sealed", async ({ expect }) => {
    const { ctx } = await createUserNamedPlatform();
    const { state, result } = await startAt(ctx, "social.example");
    if (result.state !== "redirect") {
      throw new Error("not started");
    }
    expect(JSON.stringify(result)).not.toContain("S3CR3T");
    const row = await stateRow(ctx);
    expect(JSON.stringify(row)).not.toContain("S3CR3T");
    expect(JSON.stringify(row)).not.toContain(result.browserToken);
    expect(row).toMatchObject({ method: "oauth", code_verifier: expect.stringMatching(/^v1\.sandbox\./) as string });
    const exchanged = vi.spyOn(oauth, "exchangeCode");
    const end = await finishConnect(ctx, {
      platform: "facebook",
      params: { state, code: "ada" },
      browserToken: result.browserToken,
    });
    expect(end).toMatchObject({ ok: true, added: [{ platformAccountId: "1" }] });
    const exchange = exchanged.mock.calls[0]![2];
    exchanged.mockRestore();
    expect(exchange.started).toMatchObject({ server: "social.example", proof: "S3CR3T-proof-key" });
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(exchange.codeVerifier));
    expect(result.url.searchParams.get("code_challenge")).toBe(toBase64Url(new Uint8Array(digest)));
  });

  test("again uses a new verifier, and only the last start can be finished", async ({ expect }) => {
    const { ctx } = await createUserNamedPlatform();
    const state = await requestConnectState(ctx, "facebook");
    const starts = await Promise.all(
      Array.from({ length: 5 }, async () => await sendStart(ctx, "facebook", state, { server: "social.example" })),
    );
    const ends = await Promise.all(
      starts.map(async (start) =>
        start.state === "redirect"
          ? await finishConnect(ctx, {
              platform: "facebook",
              params: { state, code: "ada" },
              browserToken: start.browserToken,
            })
          : null,
      ),
    );
    expect(ends.filter((end) => end?.ok)).toHaveLength(1);
    expect(await sendStart(ctx, "facebook", state, { server: "social.example" })).toEqual({ state: "invalid_link" });
  });

  test.for<[string, Record<string, string>, string]>([
    ["a missing value", { method: "oauth" }, "server"],
    ["a value of spaces", { method: "oauth", server: "  " }, "server"],
    ["a value that is too long", { method: "oauth", server: "x".repeat(41) }, "server"],
    ["a missing secret", { method: "credentials", identifier: "ada" }, "app_password"],
  ])("%s is refused with the field's name", async ([, fields, param], { expect }) => {
    const { ctx } = await createUserNamedPlatform();
    const result = await sendStart(ctx, "facebook", await requestConnectState(ctx, "facebook"), fields);
    expect(result).toMatchObject({ state: "refused", problem: { param } });
    expect(requestedHosts).toEqual([]);
  });

  test("a fault is shown with advice, keeps the values and leaves the link usable", async ({ expect }) => {
    const start = () => Promise.resolve(failed<never>(temporary("The server did not answer.", { httpStatus: 503 })));
    const { ctx, adapter } = await createUserNamedPlatform();
    const failing = { ...adapter, connect: { ...adapter.connect, methods: [{ ...oauth, start }] as const } };
    const state = await requestConnectState(ctx, "facebook");
    const failingServices = { ...ctx, adapterFor: () => failing };
    expect(await sendStart(failingServices, "facebook", state, { server: "social.example" })).toMatchObject({
      state: "refused",
      values: { server: "social.example" },
      problem: { message: "Facebook: The server did not answer. Try again in a few minutes." },
    });
    expect(await sendStart(ctx, "facebook", state, { server: "social.example" })).toMatchObject({ state: "redirect" });
  });

  test("a login address that is not https is never opened", async ({ expect }) => {
    const start = () => Promise.resolve(succeeded({ url: new URL("javascript:alert(1)"), state: {} }));
    const { ctx, adapter } = await createUserNamedPlatform();
    const hostile = { ...adapter, connect: { ...adapter.connect, methods: [{ ...oauth, start }] as const } };
    const state = await requestConnectState(ctx, "facebook");
    await expect(
      sendStart({ ...ctx, adapterFor: () => hostile }, "facebook", state, { server: "social.example" }),
    ).rejects.toThrow("not https");
  });
});

describe("the hosts of a user-named server", () => {
  test.for(["10.0.0.1", "[::1]", "intranet.local", "localhost", "metadata.goog", "private.example"])(
    "%s is refused with a sentence, and is not called",
    async (server, { expect }) => {
      const { ctx } = await createUserNamedPlatform({}, { settings: { MEDIA_DOH_URL: "https://dns.example/query" } });
      const logged = vi.spyOn(console, "info").mockImplementation(() => undefined);
      const { result } = await startAt(ctx, server);
      const entry: unknown = JSON.parse(String(logged.mock.lastCall?.[0]));
      logged.mockRestore();
      expect(entry).toMatchObject({ event: "connect_refused", code: "server_not_public" });
      expect(result).toMatchObject({
        state: "refused",
        problem: { message: expect.stringMatching(/cannot be used: .*public internet/) as string },
      });
      expect(requestedHosts).toEqual([]);
    },
  );

  test("are not reachable for a platform with fixed hosts", async ({ expect }) => {
    const { ctx } = await createUserNamedPlatform({ hasUserNamedHosts: false });
    expect((await startAt(ctx, "social.example")).result).toMatchObject({ state: "refused" });
    expect(requestedHosts).toEqual([]);
  });

  test("of one login are its own server's and no other", async ({ expect }) => {
    const own = await createUserNamedPlatform();
    const connect = async ({ ctx }: { ctx: Context }) => {
      const { state, result } = await startAt(ctx, "social.example");
      return await finishConnect(ctx, {
        platform: "facebook",
        params: { state, code: crypto.randomUUID() },
        browserToken: result.state === "redirect" ? result.browserToken : null,
      });
    };
    expect(await connect(own)).toMatchObject({ ok: true, pending: false });
    expect(await syncAccounts(own.ctx)).toMatchObject({ added: [expect.any(String)] });
    expect(new Set(requestedHosts)).toEqual(new Set(["social.example"]));
    const foreign = await createUserNamedPlatform({}, { hostToList: "other.example" });
    expect(await connect(foreign)).toMatchObject({ ok: true, pending: true });
    expect(requestedHosts).not.toContain("other.example");
  });
});

describe("values entered on our own page", () => {
  test("connect an account, and appear in no result, table or log", async ({ expect }) => {
    const { ctx } = await createUserNamedPlatform({}, { hostToList: "api.example.com" });
    const logged = vi.spyOn(console, "info").mockImplementation(() => undefined);
    const state = await requestConnectState(ctx, "facebook");
    const wrong = { method: "credentials", identifier: "ada", app_password: `${SECRET}-wrong` };
    const refused = await sendStart(ctx, "facebook", state, wrong);
    expect(refused).toMatchObject({
      state: "refused",
      values: { identifier: "ada" },
      problem: { message: "Facebook: The app password is wrong. Check what you entered." },
    });
    const fields = { method: "credentials", identifier: "ada", app_password: SECRET };
    const finished = await sendStart(ctx, "facebook", state, fields);
    expect(finished).toMatchObject({ state: "finished", result: { ok: true, added: [{ platformAccountId: "1" }] } });
    expect(await sendStart(ctx, "facebook", state, fields)).toEqual({ state: "invalid_link" });
    const stored = await Promise.all(
      ["connect_states", "connections", "accounts"].map(
        async (table) => await queryRows(`SELECT * FROM ${table} WHERE user_id = ?`, ctx.actor.userId),
      ),
    );
    expect(JSON.stringify([refused, finished, stored, logged.mock.calls])).not.toContain("S3CR3T");
    logged.mockRestore();
  });

  test("sent eight times at once connect once", async ({ expect }) => {
    const { ctx } = await createUserNamedPlatform({}, { hostToList: "api.example.com" });
    const state = await requestConnectState(ctx, "facebook");
    const fields = { method: "credentials", identifier: "ada", app_password: SECRET };
    const results = await Promise.all(
      Array.from({ length: 8 }, async () => await sendStart(ctx, "facebook", state, fields)),
    );
    expect(results.filter((result) => result.state === "finished")).toHaveLength(1);
    expect(await listAccounts(ctx)).toHaveLength(1);
  });
});

describe("app registrations", () => {
  test("of parallel first logins at a server are one, sealed", async ({ expect }) => {
    const { ctx } = await createUserNamedPlatform();
    const server = `${crypto.randomUUID().slice(0, 13)}.example`;
    const starts = await Promise.all(Array.from({ length: 4 }, async () => await startAt(ctx, server)));
    expect(starts.every(({ result }) => result.state === "redirect")).toBe(true);
    const kept = await appRegistrations(ctx, "facebook").find(server);
    expect(kept).toEqual({ clientSecret: expect.stringMatching(/^S3CR3T-registration-\d$/) as string });
    const rows = await queryRows("SELECT * FROM app_registrations WHERE server = ?", server);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain("S3CR3T");
    // Known from now on.
    const before = registrationCount;
    await startAt(ctx, server);
    expect(registrationCount).toBe(before);
  });

  test("are kept per platform and server; the first one wins", async ({ expect }) => {
    const { ctx } = await createUserNamedPlatform();
    const registrations = appRegistrations(ctx, "facebook");
    const server = `${crypto.randomUUID().slice(0, 13)}.example`;
    expect(await registrations.find(server)).toBeNull();
    expect(await registrations.keep(server, { id: 1 })).toEqual({ id: 1 });
    expect(await registrations.keep(server, { id: 2 })).toEqual({ id: 1 });
    expect(await appRegistrations(ctx, "x").find(server)).toBeNull();
    expect(await registrations.find(`other.${server}`)).toBeNull();
  });

  test("that a server forgot are replaced once, also by two logins at once", async ({ expect }) => {
    const { ctx } = await createUserNamedPlatform();
    const server = `${crypto.randomUUID().slice(0, 13)}.example`;
    const [one, two] = [appRegistrations(ctx, "facebook"), appRegistrations(ctx, "facebook")];
    await one.keep(server, { id: "forgotten" });
    expect(await two.find(server)).toEqual({ id: "forgotten" });
    await one.forget(server);
    expect(await one.keep(server, { id: "new" })).toEqual({ id: "new" });
    await two.forget(server);
    expect(await two.keep(server, { id: "second" })).toEqual({ id: "new" });
  });

  test("cannot be read in the row of another server", async ({ expect }) => {
    const { ctx } = await createUserNamedPlatform();
    const [server, other] = [
      `${crypto.randomUUID().slice(0, 13)}.example`,
      `${crypto.randomUUID().slice(0, 13)}.example`,
    ];
    const registrations = appRegistrations(ctx, "facebook");
    await registrations.keep(server, { id: 1 });
    await queryRows(
      "INSERT INTO app_registrations SELECT platform, ?, sealed, created_at FROM app_registrations WHERE server = ?",
      other,
      server,
    );
    await expect(registrations.find(other)).rejects.toThrow("damaged");
  });
});

describe("the input of a connect request", () => {
  test("fills the page in, trimmed", async ({ expect }) => {
    const { ctx } = await createUserNamedPlatform();
    await requestConnectState(ctx, "facebook", { server: " social.example ", identifier: "" });
    expect((await stateRow(ctx))?.["input"]).toBe('{"server":"social.example"}');
  });

  test.for<[Record<string, string>, string]>([
    [{ sever: "social.example" }, "input.sever"],
    [{ app_password: SECRET }, "input.app_password"],
    [{ server: "x".repeat(41) }, "input.server"],
    [{ __proto__x: "y" }, "input.__proto__x"],
  ])("%j is refused", async ([input, param], { expect }) => {
    const { ctx } = await createUserNamedPlatform();
    const refusal = await requestConnectState(ctx, "facebook", input).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RefusalError);
    expect((refusal as RefusalError).refusal).toMatchObject({ code: "validation_failed", param });
    expect(JSON.stringify((refusal as RefusalError).refusal)).not.toContain(SECRET);
  });
});
