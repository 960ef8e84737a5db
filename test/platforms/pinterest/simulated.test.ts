import { afterEach, beforeEach, describe, test, vi } from "vitest";
import type { AccountAccess, Adapter, PlatformClient } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { pinterest as adapter } from "#platforms/pinterest/index.ts";
import {
  publishedPosts,
  logIn,
  logInAtPlatform,
  unwrap,
  injectFault,
  prepareUntilReady,
  publishUntilSettled,
  revokeAtPlatform,
  sampleMedia,
  simulatedClient,
} from "../../support/drive-simulator.ts";
import { job } from "../../support/adapter-inputs.ts";
import { changeSettings } from "../../sandbox/sandbox-api.ts";
import { refreshTokens } from "../../support/call-connector.ts";
import { toPlatformAnswer } from "../../support/platform-answer.ts";

let clock = Date.parse("2032-07-01T09:00:00Z");
beforeEach(() => {
  clock += 10 * 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Like the publisher, which retries when `prepare` throws. */
const pinterest: Adapter = {
  ...adapter,
  prepare: (...step) =>
    adapter.prepare(...step).catch(() => ({ state: "refused", fault: temporary("thrown", { httpStatus: null }) })),
};

async function connectAda(settings: Record<string, string> = {}) {
  const { accounts } = await logIn(pinterest, "ada", settings);
  const account = accounts[0]!;
  const boards = unwrap(await adapter.listBoards(simulatedClient(pinterest), account)).map((board) => board.id);
  return { account, boards };
}

const published = async (account: AccountAccess, caption: string) =>
  (await publishedPosts(pinterest, account.platformAccountId)).filter((entry) => entry.text === caption);

const POST = { method: "POST", path: "/v5/pins" };

test("listBoards returns the boards of all pages that accept pins", async ({ expect }) => {
  const { account } = await connectAda();
  const boards = unwrap(await adapter.listBoards(simulatedClient(pinterest), account));
  expect(boards.length).toBeGreaterThanOrEqual(3);
  expect(new Set(boards.map((board) => board.id)).size).toBe(boards.length);
  expect(boards.map((board) => board.privacy)).not.toContain("SECRET");
  const secret = await connectAda({ SECRET_BOARDS: "1" });
  expect(secret.boards.length).toBeGreaterThanOrEqual(boards.length);
});

test("a refresh returns a new token pair and invalidates the old one", async ({ expect }) => {
  const { tokens, accounts } = await logIn(pinterest, "ada");
  const client = simulatedClient(pinterest);
  const { app } = accounts[0]!;
  const refreshed = unwrap(await refreshTokens(adapter.connect, client, app, tokens, Date.now()));
  expect(refreshed.refreshToken).not.toBe(tokens.refreshToken);
  expect(await refreshTokens(adapter.connect, client, app, tokens, Date.now())).toMatchObject({
    ok: false,
    fault: { kind: "reconnect" },
  });
  expect((await adapter.connect.listAccounts(client, app, refreshed)).ok).toBe(true);
});

describe("a wrong app secret", () => {
  const wrong = { clientId: "sandbox-pinterest", clientSecret: "mistyped", settings: {} };
  const operatorFault = { kind: "temporary", code: "app_misconfigured", whoMustAct: "operator" };

  test("ends no login, and the right one refreshes it", async ({ expect }) => {
    const { tokens, accounts } = await logIn(pinterest, "ada");
    const client = simulatedClient(pinterest);
    expect(await refreshTokens(adapter.connect, client, wrong, tokens, Date.now())).toMatchObject({
      ok: false,
      fault: operatorFault,
    });
    expect(await refreshTokens(adapter.connect, client, accounts[0]!.app, tokens, Date.now())).toMatchObject({
      ok: true,
    });
  });

  test("is the operator's when a person logs in", async ({ expect }) => {
    const { params, exchange } = await logInAtPlatform(pinterest, "ada");
    expect(await exchange(params, wrong)).toMatchObject({ ok: false, fault: operatorFault });
  });
});

describe("an app with Trial access", () => {
  afterEach(() => changeSettings("pinterest", { access: null }));

  test("creates no pins in production, and does in Pinterest's own sandbox", async ({ expect }) => {
    await changeSettings("pinterest", { access: "trial" });
    const media = [await sampleMedia("portrait.jpg")];
    const { account, boards } = await connectAda();
    const client = simulatedClient(pinterest);
    const content = { caption: "on trial", media, options: { board_ids: boards.slice(0, 1) } };
    const post = job({ account, ...content, now: Date.now() });
    expect(await adapter.commit(client, post, await prepareUntilReady(pinterest, post))).toMatchObject({
      state: "refused",
      fault: { kind: "rate_limited", code: "app_trial_access", whoMustAct: "operator" },
    });
    const sandbox = await connectAda({ API: "sandbox" });
    expect(await publishUntilSettled(pinterest, sandbox.account, content)).toMatchObject({ state: "published" });
    expect(await published(sandbox.account, "on trial")).toHaveLength(1);
  });
});

test("a code that was used is the person's to repeat", async ({ expect }) => {
  const { params, exchange } = await logInAtPlatform(pinterest, "ada");
  unwrap(await exchange(params));
  expect(await exchange(params)).toMatchObject({ ok: false, fault: { kind: "reconnect", whoMustAct: "user" } });
});

test("a login that was revoked requires a new login", async ({ expect }) => {
  const { tokens, accounts } = await logIn(pinterest, "ada");
  await revokeAtPlatform(pinterest, accounts[0]!.platformAccountId);
  expect(await adapter.connect.listAccounts(simulatedClient(pinterest), accounts[0]!.app, tokens)).toMatchObject({
    ok: false,
    fault: { kind: "reconnect" },
  });
});

describe.each([
  { name: "image", files: ["portrait.jpg"] },
  { name: "carousel", files: ["portrait.jpg", "portrait.jpg"] },
  { name: "video", files: ["landscape.mp4"] },
])("$name", ({ name, files }) => {
  test.for(["nothing", "drop_before", "drop_after", "answer_after"] as const)(
    "is pinned exactly once on each of three boards after %s at the second",
    async (effect, { expect }) => {
      const { account, boards } = await connectAda({ RESEND: "once" });
      const board_ids = boards.slice(0, 3);
      const media = await Promise.all(files.map((file) => sampleMedia(file)));
      const caption = `A ${name} and ${effect}`;
      const options = { board_ids, title: `Blue ${name}`, link: "https://example.com/glaze?a=1" };
      let calls = 0;
      const second: Adapter = {
        ...pinterest,
        commit: async (...step) => {
          if (++calls === 2 && effect !== "nothing") {
            const answered = effect === "answer_after" && { status: 503, body: "sorry" };
            await injectFault(pinterest, { match: POST, times: 1, effect, ...answered });
          }
          return await pinterest.commit(...step);
        },
      };
      const result = await publishUntilSettled(second, account, { caption, media, options });
      expect(result, JSON.stringify(result)).toMatchObject({ state: "published" });
      const pins = await published(account, caption);
      expect(pins, result.steps.join(" ")).toHaveLength(3);
      for (const pin of pins) {
        expect(pin.media.map((item) => item.sha256)).toEqual(media.map((item) => item.sha256));
        expect(pin.title).toBe(`Blue ${name}`);
      }
      if (result.state === "published") {
        expect({ id: result.remoteId, url: result.url }).toEqual({ id: pins[0]?.id, url: pins[0]?.url });
      }
    },
  );
});

test("a video is registered again when the storage refuses it or the connection is lost", async ({ expect }) => {
  const { account, boards } = await connectAda();
  const media = [await sampleMedia("landscape.mp4")];
  const pendingFailures: ("refuse" | "lose" | "lose_answer")[] = ["refuse", "lose", "lose_answer"];
  const withFailures = (client: PlatformClient): PlatformClient => ({
    async fetch(url, init) {
      const failure = new URL(url).hostname.endsWith(".amazonaws.com") ? pendingFailures.shift() : undefined;
      if (failure === "refuse") {
        return toPlatformAnswer(new Response("<Error><Code>AccessDenied</Code></Error>", { status: 403 }));
      }
      if (failure === "lose") {
        throw new TypeError("network connection lost");
      }
      const response = await client.fetch(url, init);
      if (failure === "lose_answer") {
        throw new TypeError("network connection lost");
      }
      return response;
    },
  });
  const failingAdapter: Adapter = {
    ...pinterest,
    prepare: (client, ...step) => pinterest.prepare(withFailures(client), ...step),
  };
  await injectFault(pinterest, { match: { method: "GET", path: "/v5/media/*" }, times: 1, effect: "drop_before" });
  const options = { board_ids: boards.slice(0, 1) };
  const result = await publishUntilSettled(failingAdapter, account, { caption: "retried", media, options });
  expect(result, JSON.stringify(result)).toMatchObject({ state: "published" });
  expect(pendingFailures).toEqual([]);
  const pins = await published(account, "retried");
  expect(pins.map((pin) => pin.media.map((item) => item.sha256))).toEqual([[media[0]!.sha256]]);
});

test("a video uses the image next to it as its cover", async ({ expect }) => {
  const { account, boards } = await connectAda();
  const media = [await sampleMedia("landscape.mp4"), await sampleMedia("portrait.jpg")];
  const result = await publishUntilSettled(pinterest, account, {
    caption: "covered",
    media,
    options: { board_ids: boards.slice(0, 1) },
  });
  expect(result, JSON.stringify(result)).toMatchObject({ state: "published" });
  const [pin] = await published(account, "covered");
  expect(pin?.media[0]?.sha256).toBe(media[0]!.sha256);
});

test("a missing board does not keep the others from their pin", async ({ expect }) => {
  const { account, boards } = await connectAda();
  const media = [await sampleMedia("portrait.jpg")];
  const board_ids = [boards[0]!, "999999999999999999", boards[1]!];
  const result = await publishUntilSettled(pinterest, account, {
    caption: "one board is missing",
    media,
    options: { board_ids },
  });
  expect(result).toMatchObject({
    state: "failed",
    fault: { code: "board_not_found", message: expect.stringContaining("2 of 3") },
  });
  expect(await published(account, "one board is missing")).toHaveLength(2);
});

test("an image that Pinterest cannot fetch is sent inline", async ({ expect }) => {
  const { account, boards } = await connectAda();
  const media = [{ ...(await sampleMedia("portrait.jpg")), url: "https://nowhere.example.com/portrait.jpg" }];
  const result = await publishUntilSettled(pinterest, account, {
    caption: "unreachable image",
    media,
    options: { board_ids: boards.slice(0, 2) },
  });
  expect(result, JSON.stringify(result)).toMatchObject({ state: "published" });
  const pins = await published(account, "unreachable image");
  expect(pins.map((pin) => pin.media.map((item) => item.sha256))).toEqual([[media[0]!.sha256], [media[0]!.sha256]]);
});

test("an uncertain pin that the board does not list is not sent again", async ({ expect }) => {
  const { account, boards } = await connectAda();
  const media = [await sampleMedia("portrait.jpg")];
  const options = { board_ids: boards.slice(0, 1) };
  const result = await publishUntilSettled(pinterest, account, { caption: "no resend", media, options }, () =>
    injectFault(pinterest, { match: POST, times: 1, effect: "drop_before" }),
  );
  expect(result).toMatchObject({ state: "unknown" });
  expect(await published(account, "no resend")).toHaveLength(0);
});
