import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { threads } from "#platforms/threads/index.ts";
import type { PlatformClient } from "#platforms/contract.ts";
import { changeSettings } from "../../sandbox/sandbox-api.ts";
import { image, job, validationInput } from "../../support/adapter-inputs.ts";
import { authorizeUrl } from "../../support/call-connector.ts";
import {
  logIn,
  logInAtPlatform,
  publishUntilSettled,
  simulatedClient,
  sandboxCredentials,
  unwrap,
} from "../../support/drive-simulator.ts";
import { toPlatformAnswer } from "../../support/platform-answer.ts";

/* The adapter against the simulator's strict readings, and against the others that a setting selects. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-02T09:00:00Z") });
});
afterEach(async () => {
  vi.useRealTimers();
  await changeSettings("threads", { quota: null });
});

describe("the login", () => {
  test("of a user who declined the publishing permission says that it is missing", async ({ expect }) => {
    const login = await logInAtPlatform(threads, "ada", {}, { untick: "threads_content_publish" });
    const { tokens } = unwrap(await login.exchange(login.params));
    expect(tokens.scopes).toEqual(["threads_basic"]);
    const { accounts } = unwrap(
      await threads.connect.listAccounts(simulatedClient(threads), sandboxCredentials(threads), tokens),
    );
    expect(accounts).toMatchObject([{ missingScopes: ["threads_content_publish"] }]);
  });

  test("goes to threads.com, as every other call, where the operator says so", async ({ expect }) => {
    const settings = { DOMAIN: "threads.com" };
    const url = await authorizeUrl(threads.connect, sandboxCredentials(threads, settings));
    expect(url.origin).toBe("https://threads.com");
    const client = simulatedClient(threads);
    const called = new Set<string>();
    const watched: PlatformClient = {
      fetch(address, init) {
        called.add(new URL(address).hostname);
        return client.fetch(address, init);
      },
    };
    const [account] = (await logIn(threads, "ada", settings)).accounts;
    const post = job({ account: account!, caption: `At threads.com ${crypto.randomUUID()}`, now: Date.now() });
    expect(await threads.prepare(watched, post, undefined)).toMatchObject({
      state: expect.stringMatching(/ready|again/),
    });
    expect([...called]).toEqual(["graph.threads.com"]);
  });

  test("tells how many posts the account may publish, in the preview", async ({ expect }) => {
    const [account] = (await logIn(threads, "ada")).accounts;
    expect(threads.limitsOf({}).dailyCaps).toEqual([{ count: 250, windowHours: 24, what: "posts" }]);
    await changeSettings("threads", { quota: 3 });
    const capabilities = unwrap(
      await threads.fetchCapabilities(simulatedClient(threads), account ?? expect.fail("no account")),
    );
    expect(threads.limitsOf(capabilities).dailyCaps).toEqual([{ count: 3, windowHours: 24, what: "posts" }]);
  });

  test("of a user who granted everything misses nothing", async ({ expect }) => {
    const { tokens } = await logIn(threads, "ada");
    expect(tokens.scopes).toEqual([
      "threads_basic",
      "threads_content_publish",
      "threads_manage_replies",
      "threads_read_replies",
    ]);
  });
});

describe("the proof of the app's secret", () => {
  test.for<[what: string, settings: Record<string, string>, simulator: Record<string, boolean>]>([
    ["is sent with every call", {}, {}],
    ["is left out where the operator says so", { APPSECRET_PROOF: "false" }, { refuse_proof: true }],
  ])("%s", async ([, settings, simulator], { expect }) => {
    await changeSettings("threads", simulator);
    const [account] = (await logIn(threads, "ada", settings)).accounts;
    if (!account) {
      throw new Error("ada has no account");
    }
    const caption = `with proof or without ${crypto.randomUUID()}`;
    const result = await publishUntilSettled(threads, account, { caption });
    expect(result).toMatchObject({ state: "published" });
    expect(unwrap(await threads.fetchCapabilities(simulatedClient(threads), account))).toHaveProperty(
      "publishingLimit",
    );
    await changeSettings("threads", { refuse_proof: null });
  });
});

test("calls that create and publish a container wait as long as Meta's own SDK, others the default", async ({
  expect,
}) => {
  const waits: Record<string, number | undefined> = {};
  const client: PlatformClient = {
    fetch(url, init) {
      waits[`${init?.method ?? "GET"} ${new URL(url).pathname.split("/").at(-1) ?? ""}`] = init?.timeoutMs;
      return toPlatformAnswer(Response.json({ id: "18070000000000001" }));
    },
  };
  const post = job();
  await threads.prepare(client, post, undefined);
  await threads.commit(client, post, { containerId: "1", restrictedCount: 0, notFoundCount: 0 });
  expect(waits).toEqual({
    "POST threads": 60_000,
    "POST threads_publish": 60_000,
    "GET 18070000000000001": 5000,
  });
});

test("8 MB of an image are read strictly, as 8,000,000 bytes", ({ expect }) => {
  const codes = (sizeBytes: number) =>
    threads
      .validate(validationInput({ media: [image({ sizeBytes })] }))
      .problems.map(({ code, limit }) => [code, limit]);
  expect([codes(8_000_000), codes(8_000_001)]).toEqual([[], [["media_too_large", 8_000_000]]]);
});
